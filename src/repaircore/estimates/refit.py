"""Learn from the cells how much invoices, makes, models and years really differ."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from attrs import frozen

from repaircore.estimates.variances import BOOK_COUNTS_AS, Variances, variances_of
from repaircore.kernel.money import half_up
from repaircore.transactions.evidence import EVERY_PROBLEM, NOTHING, Cell, CellKey, Kind, Level

__all__ = ["Refit", "refit"]

_LEANS_ON = 20
_LEVELS = (Level.PROBLEM, Level.MAKE, Level.MODEL, Level.YEARS)
_PRIOR = variances_of(1.0)
_UNKNOWN_SPREAD = 0.3
_LEAST_RATIO = 0.01
_MOST_RATIO = 4.0

_Cells = Mapping[Level, Mapping[str, Cell]]


@frozen(kw_only=True)
class Refit:
    """The variances of each problem that has invoices, and the shared cells rewritten to its centers.

    Both are to be stored in one transaction, and the shared rows that are not among ``shared`` removed.
    """

    variances: Mapping[int, Variances]
    shared: Mapping[CellKey, Cell]


def refit(cells: Iterable[tuple[CellKey, Cell]], spreads: Mapping[int, float]) -> Refit:
    """Fit all problems anew from their price cells; ``spreads`` are the book's, by problem.

    ``within = (20·σ² + SS)/(20 + df)`` for each problem, from what its years' cells hold. How much makes,
    models and years differ is one ratio to that for all problems (analysis of variance of nested groups,
    from the bottom up), leaning on the book's ratio. Other kinds and the shared cells are passed over.
    """
    problems = _grouped(cells)
    within = {p: _within(own, _prior(p, spreads)) for p, own in problems.items()}
    ratios = _ratios(problems, within)
    fitted = {
        p: Variances(
            within=within[p],
            make=within[p] * ratios[Level.MAKE],
            model=within[p] * ratios[Level.MODEL],
            years=within[p] * ratios[Level.YEARS],
            center=_center(own),
        )
        for p, own in problems.items()
    }
    return Refit(variances=fitted, shared=_shared(problems, fitted))


def _grouped(cells: Iterable[tuple[CellKey, Cell]]) -> dict[int, _Cells]:
    problems: dict[int, dict[Level, dict[str, Cell]]] = defaultdict(lambda: {level: {} for level in _LEVELS})
    for key, cell in cells:
        if key.kind is Kind.PRICE and key.problem_id != EVERY_PROBLEM and cell.w > 0:
            problems[key.problem_id][key.level][key.key] = cell
    return dict(problems)


def _prior(problem_id: int, spreads: Mapping[int, float]) -> Variances:
    return variances_of(spreads[problem_id]) if problem_id in spreads else variances_of(_UNKNOWN_SPREAD)


def _within(own: _Cells, prior: Variances) -> float:
    years = own[Level.YEARS].values()
    squares, freedom = sum(c.within for c in years), sum(c.w - 1 for c in years)
    return (_LEANS_ON * prior.within + squares) / (_LEANS_ON + freedom)


def _center(own: _Cells) -> int:
    root = own[Level.PROBLEM][""]
    return half_up(root.s / (root.w + BOOK_COUNTS_AS))


def _ratios(problems: Mapping[int, _Cells], within: Mapping[int, float]) -> dict[Level, float]:
    """Solve E[SS between] = (more cells)·σ² + Σ τ²·(more overlap), the finest level first."""
    prior = {Level.MAKE: _PRIOR.make, Level.MODEL: _PRIOR.model, Level.YEARS: _PRIOR.years}
    found: dict[Level, float] = {}
    for i in (3, 2, 1):
        told, weight = 0.0, 0.0
        for p, own in problems.items():
            upper, lower = own[_LEVELS[i - 1]], own[_LEVELS[i]]
            between = (_squares(lower) - _squares(upper)) / within[p]
            told += between - (len(lower) - len(upper))
            told -= sum(
                found[level] * (_overlap(lower, own[level]) - _overlap(upper, own[level]))
                for level in _LEVELS[i + 1 :]
            )
            weight += _overlap(lower, lower) - _overlap(upper, lower)
        level = _LEVELS[i]
        start = prior[level] / _PRIOR.within
        ratio = (_LEANS_ON * start + told) / (_LEANS_ON + weight)
        found[level] = min(_MOST_RATIO, max(_LEAST_RATIO, ratio))
    return found


def _squares(cells: Mapping[str, Cell]) -> float:
    return sum(cell.w * cell.mean**2 for cell in cells.values())


def _overlap(outer: Mapping[str, Cell], inner: Mapping[str, Cell]) -> float:
    """Add up w²/W over the inner cells, W being the invoices of the outer cell that holds them."""
    cut = {key.count("|") if key else -1 for key in outer}
    depth = max(cut, default=-1)
    return sum(cell.w**2 / outer[_outer_key(key, depth)].w for key, cell in inner.items())


def _outer_key(key: str, depth: int) -> str:
    return "" if depth < 0 else "|".join(key.split("|")[: depth + 1])


def _shared(problems: Mapping[int, _Cells], fitted: Mapping[int, Variances]) -> dict[CellKey, Cell]:
    shared: dict[CellKey, Cell] = {}
    for p, own in problems.items():
        for level in _LEVELS[:3]:
            for text, cell in own[level].items():
                key = CellKey(EVERY_PROBLEM, Kind.PRICE, level, text)
                shared[key] = shared.get(key, NOTHING).joined(cell.recentered(fitted[p].center))
    return shared
