"""Rank fusion: merge lists that were ranked in different ways.

In each list, a repair scores the list's weight divided by (60 + the repair's rank), and these scores are added up
(reciprocal rank fusion; Cormack, Clarke and Büttcher 2009). The lists' own scores (of words, of shared letters, and of
learned outcomes) have no common scale, but their ranks can be compared.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.book.model import Problem

_FLAT: Final = 60
"""Flattens the ranks, so that the first is not worth twice the second."""


@frozen
class SearchHit:
    """A repair that a search found. ``score`` is from 0 to 1; 1 means that the search text is exactly its name."""

    problem: Problem
    score: float


@frozen(kw_only=True)
class RankedList:
    """The slugs of repairs with scores from 0 to 1, best first.

    Args:
        repairs: each repair once.
        weight: the weight of the list relative to the words of the search, whose weight is 1.
        alone: whether nothing in the text is left for other lists, as when it is only a trouble code.
    """

    repairs: Sequence[tuple[str, float]]
    weight: float = 1.0
    alone: bool = False


def fuse(lists: Iterable[tuple[Sequence[SearchHit], float]]) -> list[SearchHit]:
    """Merge ranked lists with their weights, best first; on a tie, the lower id comes first.

    A repair's score is its best one in any list, but never exceeds the score of a repair before it.
    """
    worth: dict[int, float] = {}
    best: dict[int, SearchHit] = {}
    for found, weight in lists:
        for rank, hit in enumerate(found, start=1):
            number = hit.problem.id
            worth[number] = worth.get(number, 0.0) + weight / (_FLAT + rank)
            if number not in best or hit.score > best[number].score:
                best[number] = hit
    merged = sorted(best.values(), key=lambda hit: (-worth[hit.problem.id], hit.problem.id))
    least = 1.0
    for at, hit in enumerate(merged):
        least = min(least, hit.score)
        merged[at] = evolve(hit, score=least)
    return merged
