"""The credibility walk: from all vehicles to this one's years, each level weighted by its credibility."""

from attrs import frozen

from repaircore.pricing.variances import Variances
from repaircore.transactions.evidence import GRAIN, NO_LEVELS, Cell, Level, Levels


@frozen(kw_only=True)
class VehicleIndex:
    """The price index (ln) of the make, and of the model relative to it, from other repairs.

    ``make_taken`` and ``model_taken`` are what the invoices of another installation count as in it.
    """

    make: float = 0.0
    model: float = 0.0
    make_invoices: int = 0
    model_invoices: int = 0
    make_taken: int = 0
    model_taken: int = 0


NO_INDEX = VehicleIndex()


@frozen
class LevelResult:
    """One level of the walk: its invoices, their credibility (0 to 1), and the mean (ln) afterwards.

    ``taken`` is what the invoices of another installation count as; they have their part in ``credibility``.
    """

    level: Level
    invoices: int
    credibility: float
    mean: float
    taken: int = 0


@frozen(kw_only=True)
class Walk:
    """The result of the walk: the mean (ln, relative to the book) and its variance.

    ``book`` is what the book still counts in it, 0 to 1; the rest is what the cells say.
    """

    mean: float
    variance: float
    book: float
    stops: tuple[LevelResult, ...]


def vehicle_index(
    shared: Levels, own: Levels, variances: Variances, prior: Levels = NO_LEVELS
) -> VehicleIndex:
    """Compare other repairs of the make and the model with other repairs of all vehicles.

    ``shared`` are the cells that all problems share, ``own`` those of this problem. This problem's own invoices are
    left out: they have their say in the walk. ``prior`` are those of another installation, relative to all vehicles there.
    """
    center = variances.center
    make = shared.make.without(own.make.recentered(center))
    if make.w + prior.make.w <= 0:
        return NO_INDEX
    everywhere = shared.problem.without(own.problem.recentered(center)).mean
    lies = make.s * GRAIN - make.w * everywhere + prior.make.s * GRAIN
    a = lies / (make.w + prior.make.w + variances.within / variances.make_index)
    model = shared.model.without(own.model.recentered(center))
    lies = model.s * GRAIN - model.w * (everywhere + a) + prior.model.s * GRAIN - prior.model.w * a
    b = lies / (model.w + prior.model.w + variances.within / variances.model_index)
    return VehicleIndex(
        make=a,
        model=b,
        make_invoices=make.w,
        model_invoices=model.w,
        make_taken=prior.make.w,
        model_taken=prior.model.w,
    )


def walk(
    cells: Levels, variances: Variances, index: VehicleIndex = NO_INDEX, prior: Levels = NO_LEVELS
) -> Walk:
    """Combine the book (mean 0) with the four cells; see docs/explanation/estimation.md, section 3.

    At each level the doubt grows by how much such cells differ, and the cell's own mean counts by
    its credibility ``g = v / (v + within / invoices)``. ``prior`` counts as that many more invoices in them.
    """
    g, mean, v = _step(
        cells.problem.joined(prior.problem), variances.root * GRAIN, variances.book, variances.within
    )
    book = 1 - g
    stops = [LevelResult(Level.PROBLEM, cells.problem.w, g, mean, prior.problem.w)]
    for level, cell, taken, between, shift in (
        (Level.MAKE, cells.make, prior.make, variances.make, index.make),
        (Level.MODEL, cells.model, prior.model, variances.model, index.model),
        (Level.YEARS, cells.years, prior.years, variances.years, 0.0),
    ):
        g, mean, v = _step(cell.joined(taken), mean + shift, v + between, variances.within)
        book *= 1 - g
        stops.append(LevelResult(level, cell.w, g, mean, taken.w))
    return Walk(mean=mean, variance=v, book=book, stops=tuple(stops))


def arrival(cells: Levels, variances: Variances, index: VehicleIndex = NO_INDEX) -> tuple[float, float]:
    """Return the mean and the variance that ``walk`` ends with, without its stops.

    An import asks very often.
    """
    within = variances.within
    _, mean, v = _step(cells.problem, variances.root * GRAIN, variances.book, within)
    _, mean, v = _step(cells.make, mean + index.make, v + variances.make, within)
    _, mean, v = _step(cells.model, mean + index.model, v + variances.model, within)
    _, mean, v = _step(cells.years, mean + 0.0, v + variances.years, within)
    return mean, v


def _step(cell: Cell, mean: float, v: float, within: float) -> tuple[float, float, float]:
    g = _credibility(v, cell, within)
    return g, mean + g * (cell.mean - mean), v * (1 - g)


def _credibility(v: float, cell: Cell, within: float) -> float:
    return v * cell.w / (v * cell.w + within) if cell.w else 0.0
