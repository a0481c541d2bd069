"""Rank fusion: one list out of several that were made in different ways.

Each list gives a repair its weight over (60 + its rank), and the sums decide (reciprocal rank fusion; Cormack, Clarke
and Büttcher 2009). Ranks need no common scale: what words score, what letters share and what was learned from outcomes
cannot be compared otherwise.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.book.model import Problem

_FLAT: Final = 60
"""How much ranks are evened out: the first is not worth twice the second."""


@frozen
class SearchHit:
    """A repair that a search found. ``score`` is 0 to 1: 1 when the text is the repair's very name."""

    problem: Problem
    score: float


@frozen(kw_only=True)
class RankedList:
    """Repairs by their slugs with a score of 0 to 1, best first.

    Args:
        repairs: each repair once.
        weight: how much the list counts beside the words of the search, which count 1.
        alone: whether nothing in the text is left for other lists to rank, as when it is only a trouble code.
    """

    repairs: Sequence[tuple[str, float]]
    weight: float = 1.0
    alone: bool = False


def fuse(lists: Iterable[tuple[Sequence[SearchHit], float]]) -> list[SearchHit]:
    """Merge ranked lists with their weights, best first; of equals the one with the lower id.

    A score is the best that any list gives, but never more than that of a repair before it.
    """
    worth: dict[int, float] = {}
    best: dict[int, SearchHit] = {}
    for found, weight in lists:
        for rank, one in enumerate(found, start=1):
            number = one.problem.id
            worth[number] = worth.get(number, 0.0) + weight / (_FLAT + rank)
            if number not in best or one.score > best[number].score:
                best[number] = one
    merged = sorted(best.values(), key=lambda one: (-worth[one.problem.id], one.problem.id))
    least = 1.0
    for at, one in enumerate(merged):
        least = min(least, one.score)
        merged[at] = evolve(one, score=least)
    return merged
