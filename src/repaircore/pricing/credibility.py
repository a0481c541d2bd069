"""The credibility walk: from all vehicles to the vehicle's own years, each level weighted by its credibility."""

from attrs import frozen

from repaircore.pricing.variances import Variances
from repaircore.transactions.evidence import GRAIN, NO_LEVELS, Cell, Grain, Levels
from repaircore.transactions.levels import Level


@frozen(kw_only=True)
class VehicleIndex:
    """The price index (ln) of the make, and of the model relative to it, from other repairs.

    ``make_taken`` and ``model_taken`` are the numbers of invoices that another installation's history counts as.
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
    """One level of the walk: its invoices, their credibility (0 to 1), and the mean (ln) afterward.

    ``taken`` is the number of invoices that another installation's history counts as; it adds to ``credibility``.
    """

    level: Level
    invoices: int
    credibility: float
    mean: float
    taken: int = 0


@frozen(kw_only=True)
class Walk:
    """The result of the walk: the mean (ln, relative to the book) and its variance.

    ``book`` is the weight that the book still has, 0 to 1; the cells have the rest.
    """

    mean: float
    variance: float
    book: float
    stops: tuple[LevelResult, ...]


def vehicle_index(
    shared: Levels, own: Levels, variances: Variances, prior: Levels = NO_LEVELS
) -> VehicleIndex:
    """Return the price indexes of the make and the model, from comparing their other repairs with all vehicles'.

    ``shared`` are the cells that all problems share, and ``own`` those of this problem, whose invoices are left out
    here because they count in the walk. ``prior`` are those of another installation, relative to all vehicles there.
    """
    center = variances.center
    make_w, make_s = _others(shared.make, own.make, center)
    if make_w + prior.make.w <= 0:
        return NO_INDEX
    w, s = _others(shared.problem, own.problem, center)
    everywhere = s * GRAIN / w if w else 0.0
    lies = make_s * GRAIN - make_w * everywhere + prior.make.s * GRAIN
    a = lies / (make_w + prior.make.w + variances.within / variances.make_index)
    model_w, model_s = _others(shared.model, own.model, center)
    lies = model_s * GRAIN - model_w * (everywhere + a) + prior.model.s * GRAIN - prior.model.w * a
    b = lies / (model_w + prior.model.w + variances.within / variances.model_index)
    return VehicleIndex(
        make=a,
        model=b,
        make_invoices=make_w,
        model_invoices=model_w,
        make_taken=prior.make.w,
        model_taken=prior.model.w,
    )


def _others(shared: Cell, own: Cell, center: Grain) -> tuple[int, Grain]:
    """Return the number of other repairs' invoices and their sum; no cell is created, as imports call this very often."""
    return shared.w - own.w, shared.s - own.s + own.w * center


def walk(
    cells: Levels, variances: Variances, index: VehicleIndex = NO_INDEX, prior: Levels = NO_LEVELS
) -> Walk:
    """Combine the book (mean 0) with the four cells; see docs/explanation/estimation.md, section 3.

    Each invoice counts once, at its closest level: the model's level, for example, counts those of its other years. At
    each level, the between-cell variance is added, and the mean of the level's invoices is weighted by the credibility
    ``g = v / (v + noise / invoices)``, where the noise is the variance of an invoice around the level's own price.
    ``prior`` adds invoices to the cells.
    """
    own, taken = cells.apart(), prior.apart()
    mean, v, book = variances.root * GRAIN, 0.0, 1.0
    stops = []
    for level, cell, more, shift, between, noise in (
        (Level.PROBLEM, own.problem, taken.problem, 0.0, variances.book, variances.around),
        (Level.MAKE, own.make, taken.make, index.make, variances.make, variances.around_make),
        (Level.MODEL, own.model, taken.model, index.model, variances.model, variances.around_model),
        (Level.YEARS, own.years, taken.years, 0.0, variances.years, variances.within),
    ):
        both = cell.joined(more)
        g, mean, v = _step(both.w, both.s, mean + shift, v + between, noise)
        book *= 1 - g
        stops.append(LevelResult(level, cell.w, g, mean, more.w))
    return Walk(mean=mean, variance=v, book=book, stops=tuple(stops))


def arrival(cells: Levels, variances: Variances, index: VehicleIndex = NO_INDEX) -> tuple[float, float]:
    """Return the mean and the variance that ``walk`` ends with, without its levels.

    Imports call this very often, so it unpacks the levels instead of creating cells.
    """
    problem, make, model, years = cells.problem, cells.make, cells.model, cells.years
    mean, v = variances.root * GRAIN, variances.book
    _, mean, v = _step(problem.w - make.w, problem.s - make.s, mean, v, variances.around)
    v += variances.make
    _, mean, v = _step(make.w - model.w, make.s - model.s, mean + index.make, v, variances.around_make)
    v += variances.model
    _, mean, v = _step(model.w - years.w, model.s - years.s, mean + index.model, v, variances.around_model)
    _, mean, v = _step(years.w, years.s, mean, v + variances.years, variances.within)
    return mean, v


def _step(w: int, s: Grain, mean: float, v: float, noise: float) -> tuple[float, float, float]:
    if w <= 0:
        return 0.0, mean, v
    g = v * w / (v * w + noise)
    return g, mean + g * (s * GRAIN / w - mean), v * (1 - g)
