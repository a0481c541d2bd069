"""Fit variances: how much invoices, repairs, makes, models and years really differ."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

from attrs import frozen

from repaircore.kernel.money import round_half_up
from repaircore.pricing.priors import NO_PRIORS, PriorFit
from repaircore.pricing.variances import Variances, variances_of
from repaircore.transactions.evidence import EVERY_PROBLEM, GRAIN, NOTHING, Cell, CellKey, Grain, Kind
from repaircore.transactions.levels import Level

_LEANS_ON = 20
_INDEX_LEANS_ON = 4
_INDEX_KNOWN = 10
_ROOT_LEANS_ON = 4
_LEVELS = (Level.PROBLEM, Level.MAKE, Level.MODEL, Level.YEARS)
_PRIOR = variances_of(1.0)
_UNKNOWN_SPREAD = 0.3
LEAST_RATIO = 0.01
MOST_RATIO = 4.0
LEAST_INDEX = 0.002
MOST_INDEX = 2.0
LEAST_BOOK = 0.02
MOST_BOOK = 30.0
_ROUNDS = 4

_Cells = Mapping[Level, Mapping[str, Cell]]
_NO_CELLS: _Cells = {level: {} for level in _LEVELS}


@frozen(kw_only=True)
class Refit:
    """The variances of each problem with invoices or a prior; those of ``EVERY_PROBLEM`` are for a book spread of 1.

    Saving them must move the shared cells of each problem to its new center (``recentering``).
    """

    variances: Mapping[int, Variances]


def refit(
    cells: Iterable[tuple[CellKey, Cell]],
    spreads: Mapping[int, float],
    priors: Mapping[int, PriorFit] = NO_PRIORS,
) -> Refit:
    """Fit all problems to their price cells; ``spreads`` are the book's, by problem.

    ``within = (20·σ² + SS)/(20 + df)`` for each problem, computed from its cells by years. The variances of makes,
    models and years are ratios to it that are the same for all problems (analysis of variance of nested groups, from
    the bottom up), shrunk toward the book's ratios. So are those of repairs around the book, and of the indexes of
    makes and models. Other kinds of cells and shared cells are ignored.

    ``priors`` were imported from another installation: everything is shrunk toward them instead of the book, and
    repairs that have priors but no invoices are fitted as well.
    """
    problems = _grouped(cells)
    if not problems:
        return Refit(variances={p: fit.variances for p, fit in priors.items()})
    start = priors[EVERY_PROBLEM].variances if EVERY_PROBLEM in priors else _PRIOR
    known = sorted({*problems, *priors} - {EVERY_PROBLEM})
    prior = {p: _prior(p, spreads, priors) for p in known}
    wider = _spread_factor(problems, prior)
    within = {p: _within(problems.get(p, _NO_CELLS), prior[p].within * wider) for p in known}
    roots = {p: _root_cell(problems.get(p, _NO_CELLS), priors.get(p)) for p in known}
    root, book = _root(roots, within, start)
    centers = {p: _center(cell, root, book) for p, cell in roots.items()}
    make, model = _indexes(problems, within, centers, start)
    others = _others(problems)
    ratios = _ratios(problems, within, (make * others, model * others), _starts(start))
    fitted = {
        p: Variances(
            within=within[p],
            book=within[p] * book,
            make=within[p] * ratios[Level.MAKE],
            model=within[p] * ratios[Level.MODEL],
            years=within[p] * ratios[Level.YEARS],
            make_index=within[p] * make,
            model_index=within[p] * model,
            unit=prior[p].unit,
            center=centers[p],
            root=root,
        )
        for p in known
    }
    whole = start.within * wider
    fitted[EVERY_PROBLEM] = Variances(
        within=whole,
        book=whole * book,
        make=whole * ratios[Level.MAKE],
        model=whole * ratios[Level.MODEL],
        years=whole * ratios[Level.YEARS],
        make_index=whole * make,
        model_index=whole * model,
        unit=_PRIOR.unit,
        center=root,
        root=root,
    )
    return Refit(variances=fitted)


def recentering(cell: Cell, before: Grain, after: Grain) -> Cell:
    """Return the change to a shared cell when a problem's cell in it moves to another center."""
    return cell.recentered(after).without(cell.recentered(before))


def _grouped(cells: Iterable[tuple[CellKey, Cell]]) -> dict[int, _Cells]:
    problems: dict[int, dict[Level, dict[str, Cell]]] = defaultdict(lambda: {level: {} for level in _LEVELS})
    for key, cell in cells:
        if key.kind is Kind.PRICE and key.problem_id != EVERY_PROBLEM and cell.w > 0:
            problems[key.problem_id][key.level][key.key] = cell
    return dict(problems)


def _prior(problem_id: int, spreads: Mapping[int, float], priors: Mapping[int, PriorFit]) -> Variances:
    if problem_id in priors:
        return priors[problem_id].variances
    spread = spreads.get(problem_id, _UNKNOWN_SPREAD)
    return (
        priors[EVERY_PROBLEM].variances.of_spread(spread) if EVERY_PROBLEM in priors else variances_of(spread)
    )


def _root_cell(own: _Cells, prior: PriorFit | None) -> Cell:
    """Return a repair's invoices plus those that its prior counts as; a repair without either counts as nothing."""
    cell = own[Level.PROBLEM].get("", NOTHING)
    return cell if prior is None else cell.joined(prior.cell)


def _squares_within(own: _Cells) -> tuple[float, int]:
    years = own[Level.YEARS].values()
    return sum(c.within for c in years), sum(c.w - 1 for c in years)


def _spread_factor(problems: Mapping[int, _Cells], prior: Mapping[int, Variances]) -> float:
    """Return how much more invoices vary than the book says, as one factor for all problems.

    Few invoices are for the same years of a model, but most are for the same repair: their variance around the repair's
    mean shows how much invoices vary overall, and leaves the expected shares of makes, models and years unchanged.
    """
    total = _shrunk_toward(
        (
            (own[Level.PROBLEM][""].within, own[Level.PROBLEM][""].w - 1, prior[p].around)
            for p, own in problems.items()
        ),
        1.0,
    )
    return _shrunk_toward(((*_squares_within(own), prior[p].within) for p, own in problems.items()), total)


def _shrunk_toward(found: Iterable[tuple[float, int, float]], start: float) -> float:
    squares, freedom = _LEANS_ON * start, float(_LEANS_ON)
    for more, df, expected in found:
        squares += more / expected
        freedom += df
    return squares / freedom


def _within(own: _Cells, prior: float) -> float:
    squares, freedom = _squares_within(own)
    return (_LEANS_ON * prior + squares) / (_LEANS_ON + freedom)


def _root(cells: Mapping[int, Cell], within: Mapping[int, float], start: Variances) -> tuple[Grain, float]:
    """Return how far all repairs lie above the book, and how much repairs differ from that, relative to ``within``.

    Both are computed in turn for a few rounds, each repair weighted by its credibility.
    """
    roots = [(cell, within[p]) for p, cell in cells.items() if cell.w > 0]
    ratio = expected = start.book / start.within
    mean = 0.0
    for _ in range(_ROUNDS):
        weights = [1 / (sigma * (ratio + 1 / cell.w)) for cell, sigma in roots]
        typical = sum(weights) / len(weights)
        leaning = _ROOT_LEANS_ON * typical
        lies = sum(w * cell.mean for w, (cell, _) in zip(weights, roots, strict=True))
        mean = (lies + leaning * start.root * GRAIN) / (sum(weights) + leaning)
        # A repair with few invoices says little about how much repairs differ.
        squares, freedom = _LEANS_ON * 0.2 * expected, _LEANS_ON * 0.2
        for cell, sigma in roots:
            trust = ratio / (ratio + 1 / cell.w)
            squares += trust * max(0.0, (cell.mean - mean) ** 2 / sigma - 1 / cell.w)
            freedom += trust
        ratio = min(MOST_BOOK, max(LEAST_BOOK, squares / freedom))
    return round_half_up(mean / GRAIN), ratio


def _center(cell: Cell, root: Grain, book: float) -> Grain:
    if cell.w <= 0:
        return root
    credibility = book * cell.w / (book * cell.w + 1)
    return round_half_up(root + credibility * (cell.s / cell.w - root))


class _Group:
    """The invoices of a make or model over all repairs: their number, the sum of their residuals, and squares of both.

    The squares are computed for each repair, and added up.
    """

    __slots__ = ("s", "same_s", "same_w", "w")

    def __init__(self) -> None:
        self.w = self.s = self.same_w = self.same_s = 0.0

    def add(self, w: float, s: float) -> None:
        self.w += w
        self.s += s
        self.same_w += w * w
        self.same_s += s * s

    @property
    def pairs(self) -> float:
        """Return twice the number of pairs of invoices for different repairs."""
        return self.w * self.w - self.same_w

    @property
    def products(self) -> float:
        """Return twice the sum of the products of each such pair's residuals, which are alike because of the index."""
        return self.s * self.s - self.same_s


def _indexes(
    problems: Mapping[int, _Cells],
    within: Mapping[int, float],
    centers: Mapping[int, Grain],
    start: Variances,
) -> tuple[float, float]:
    """Return how much the indexes of makes and of models differ, relative to ``within``.

    Two invoices of different repairs have nothing in common but the make, or the model: their residuals' mean product
    is the variance of its index, however much a single invoice varies.
    """
    groups: dict[Level, dict[str, _Group]] = {
        Level.MAKE: defaultdict(_Group),
        Level.MODEL: defaultdict(_Group),
    }
    for p, own in problems.items():
        center, sigma = centers[p], math.sqrt(within[p])
        for level, found in groups.items():
            for key, cell in own[level].items():
                found[key].add(cell.w, cell.recentered(center).s * GRAIN / sigma)
    models = groups[Level.MODEL]
    of_models: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for key, group in models.items():
        both = of_models[key.split("|")[0]]
        both[0] += group.pairs
        both[1] += group.products
    make = _between(
        (
            (group.w, group.pairs - of_models[key][0], group.products - of_models[key][1])
            for key, group in groups[Level.MAKE].items()
        ),
        start.make_index / start.within,
    )
    model = _between(
        ((group.w, group.pairs, group.products - group.pairs * make) for group in models.values()),
        start.model_index / start.within,
    )
    return make, model


def _others(problems: Mapping[int, _Cells]) -> float:
    """Return the share of an index's invoices that are for other repairs; an index of one repair explains nothing."""
    counts = [own[Level.PROBLEM][""].w for own in problems.values()]
    return 1 - sum(w * w for w in counts) / sum(counts) ** 2


def _between(groups: Iterable[tuple[float, float, float]], start: float) -> float:
    """Return the variance between groups from their invoices, pairs and products of pairs, shrunk toward ``start``."""
    squares, weight = _INDEX_LEANS_ON * start, float(_INDEX_LEANS_ON)
    for w, pairs, products in groups:
        if pairs > 0:
            trust = (w / (w + _INDEX_KNOWN)) ** 2
            squares += trust * products / pairs
            weight += trust
    return min(MOST_INDEX, max(LEAST_INDEX, squares / weight))


def _starts(start: Variances) -> Mapping[Level, float]:
    """Return how much makes, models and years are expected to differ in total, relative to ``within``.

    A fit from another installation states only what its indexes leave unexplained.
    """
    found = {Level.MAKE: start.make, Level.MODEL: start.model, Level.YEARS: start.years}
    if start is not _PRIOR:
        found[Level.MAKE] += start.make_index
        found[Level.MODEL] += start.model_index
    return {level: variance / start.within for level, variance in found.items()}


def _ratios(
    problems: Mapping[int, _Cells],
    within: Mapping[int, float],
    indexes: tuple[float, float],
    starts: Mapping[Level, float],
) -> dict[Level, float]:
    """Solve E[SS between] = (more cells)·σ² + Σ τ²·(more overlap), the finest level first.

    The shared indexes explain a part of what makes and models differ by; what is left is the repair's own.
    """
    shared = {Level.MAKE: indexes[0], Level.MODEL: indexes[1], Level.YEARS: 0.0}
    found: dict[Level, float] = {}
    for i in (3, 2, 1):
        explained, weight = 0.0, 0.0
        for p, own in problems.items():
            upper, lower = own[_LEVELS[i - 1]], own[_LEVELS[i]]
            between = (_squares(lower) - _squares(upper)) / within[p]
            explained += between - (len(lower) - len(upper))
            explained -= sum(
                found[level] * (_overlap(lower, own[level]) - _overlap(upper, own[level]))
                for level in _LEVELS[i + 1 :]
            )
            weight += _overlap(lower, lower) - _overlap(upper, lower)
        level = _LEVELS[i]
        found[level] = (_LEANS_ON * starts[level] + explained) / (_LEANS_ON + weight)
    return {level: min(MOST_RATIO, max(LEAST_RATIO, ratio - shared[level])) for level, ratio in found.items()}


def _squares(cells: Mapping[str, Cell]) -> float:
    return sum(cell.w * cell.mean**2 for cell in cells.values())


def _overlap(outer: Mapping[str, Cell], inner: Mapping[str, Cell]) -> float:
    """Add up w²/W over the inner cells, W being the invoices of the outer cell that holds them."""
    depth = next((key.count("|") for key in outer if key), -1)  # the same for all keys of a level
    return sum(cell.w**2 / outer[_outer_key(key, depth)].w for key, cell in inner.items())


def _outer_key(key: str, depth: int) -> str:
    return "" if depth < 0 else "|".join(key.split("|")[: depth + 1])
