"""The credibility walk: from all vehicles to this one's years, each level counting for what it knows."""

from attrs import frozen

from repaircore.estimates.variances import BOOK_COUNTS_AS, Variances
from repaircore.transactions.evidence import GRAIN, Cell, Level, Levels

__all__ = ["NO_INDEX", "Stop", "VehicleIndex", "Walk", "arrival", "vehicle_index", "walk"]

_MAKE_LEANS_ON = 20
_MODEL_LEANS_ON = 20
# A make's (a model's) index counts half once so many invoices of other repairs stand behind it.


@frozen(kw_only=True)
class VehicleIndex:
    """How much dearer (ln) other repairs are on the make, and on the model on top of that."""

    make: float = 0.0
    model: float = 0.0
    make_invoices: int = 0
    model_invoices: int = 0


NO_INDEX = VehicleIndex()


@frozen
class Stop:
    """One level of the walk: its invoices, what they count there (0 to 1), and the mean (ln) afterwards."""

    level: Level
    invoices: int
    credibility: float
    mean: float


@frozen(kw_only=True)
class Walk:
    """Where the walk ended: the mean (ln, relative to the book) and the variance of that mean.

    ``book`` is what the book still counts in it, 0 to 1; the rest is what the cells say.
    """

    mean: float
    variance: float
    book: float
    stops: tuple[Stop, ...]


def vehicle_index(shared: Levels, own: Levels, center: int) -> VehicleIndex:
    """Compare other repairs of the make and the model with other repairs of all vehicles.

    ``shared`` are the cells that all problems share, ``own`` those of this problem; ``center`` is the
    problem's. This problem's own invoices are left out: they have their say in the walk.
    """
    make = shared.make.without(own.make.recentered(center))
    if make.w <= 0:
        return NO_INDEX
    everywhere = shared.problem.without(own.problem.recentered(center)).mean
    a = (make.s * GRAIN - make.w * everywhere) / (make.w + _MAKE_LEANS_ON)
    model = shared.model.without(own.model.recentered(center))
    b = (model.s * GRAIN - model.w * (everywhere + a)) / (model.w + _MODEL_LEANS_ON)
    return VehicleIndex(make=a, model=b, make_invoices=make.w, model_invoices=model.w)


def walk(cells: Levels, variances: Variances, index: VehicleIndex = NO_INDEX) -> Walk:
    """Combine the book (mean 0) with the four cells; see docs/explanation/estimation.md, section 3.

    At each level the doubt grows by how much such cells differ, and the cell's own mean counts by
    its credibility ``g = v / (v + within / invoices)``.
    """
    mean, v, book = _begin(cells.problem, variances)
    stops = [Stop(Level.PROBLEM, cells.problem.w, cells.problem.w / (cells.problem.w + BOOK_COUNTS_AS), mean)]
    for level, cell, between, shift in (
        (Level.MAKE, cells.make, variances.make, index.make),
        (Level.MODEL, cells.model, variances.model, index.model),
        (Level.YEARS, cells.years, variances.years, 0.0),
    ):
        g, mean, v = _step(cell, mean + shift, v + between, variances.within)
        book *= 1 - g
        stops.append(Stop(level, cell.w, g, mean))
    return Walk(mean=mean, variance=v, book=book, stops=tuple(stops))


def arrival(
    cells: Levels, variances: Variances, index: VehicleIndex = NO_INDEX
) -> tuple[float, float, float]:
    """Give the mean, the variance and the book's part that ``walk`` ends with, without its stops.

    An import asks very often.
    """
    within = variances.within
    mean, v, book = _begin(cells.problem, variances)
    make, mean, v = _step(cells.make, mean + index.make, v + variances.make, within)
    model, mean, v = _step(cells.model, mean + index.model, v + variances.model, within)
    years, mean, v = _step(cells.years, mean + 0.0, v + variances.years, within)
    return mean, v, book * (1 - make) * (1 - model) * (1 - years)


def _begin(cell: Cell, variances: Variances) -> tuple[float, float, float]:
    weight = cell.w + BOOK_COUNTS_AS
    return cell.s * GRAIN / weight, variances.within / weight, BOOK_COUNTS_AS / weight


def _step(cell: Cell, mean: float, v: float, within: float) -> tuple[float, float, float]:
    g = _credibility(v, cell, within)
    return g, mean + g * (cell.mean - mean), v * (1 - g)


def _credibility(v: float, cell: Cell, within: float) -> float:
    return v * cell.w / (v * cell.w + within) if cell.w else 0.0
