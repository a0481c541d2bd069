"""Prior probabilities of repairs, before any clue."""

import math
from collections.abc import Sequence
from typing import Final

from repaircore.book.model import Problem, Wear

_DUE: Final = frozenset({"maintenance-due", "oil-change-due"})
"""Symptoms that are not complaints, because they follow from the calendar."""

_TRUST: Final = 0.5
"""The trust in the book's intervals: 1 is full, 0 is none. A vehicle with a complaint is not a random sample."""

_LEAST_FELT: Final = 0.01
_LEAST: Final = 1 / 8
_MOST: Final = 2.0


def prior_bits(problem: Problem) -> float:
    """Return the base-2 logarithm of how often somebody who notices something needs a repair.

    That is the frequency of the repair, times the probability that its symptoms are noticed.
    """
    silent = math.prod(1 - symptom.share for symptom in problem.symptoms if symptom.slug not in _DUE)
    felt = max(_LEAST_FELT, 1 - silent)
    return _TRUST * math.log2(felt * 12 / problem.recurrence.months)


_BOOK_COUNT: Final = 400.0
"""The number of counted cases that weigh as much as the frequencies of the book."""


def with_seen(bits: Sequence[float], seen: Sequence[float]) -> tuple[float, ...]:
    """Return priors that combine the book with ``seen``, how often each repair was needed in counted cases."""
    if not any(seen):
        return tuple(bits)
    whole = math.fsum(2.0**prior for prior in bits)
    counted = math.fsum(seen)
    return tuple(
        math.log2((often + _BOOK_COUNT * 2.0**prior / whole) / (counted + _BOOK_COUNT))
        for prior, often in zip(bits, seen, strict=True)
    )


def mileage_bits(problem: Problem, mileage: int) -> float:
    """Return the bits by which a mileage makes a repair likelier than average.

    Wear parts fail ever more often towards the end of their interval (a Weibull distribution of shape 3). Beyond it,
    replaced parts mix with old ones, and the rate returns to the average. Random failures do not age.
    """
    if problem.recurrence.kind is not Wear.WEAR:
        return 0.0
    age = mileage / problem.recurrence.miles
    return math.log2(max(_LEAST, min(_MOST, 3 * age**2)) if age < 1 else 1 + (_MOST - 1) / age)
