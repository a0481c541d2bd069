"""How often a repair is needed, before anything is said of what is wrong."""

import math
from collections.abc import Sequence
from typing import Final

from repaircore.book.model import Problem, Wear

_DUE: Final = frozenset({"maintenance-due", "oil-change-due"})
"""Symptoms that are no complaint: the calendar has them."""

_TRUST: Final = 0.5
"""How far the book's intervals are trusted: 1 fully, 0 not at all. Who asks is no random vehicle of the road."""

_LEAST_FELT: Final = 0.01
_LEAST: Final = 1 / 8
_MOST: Final = 2.0


def prior_bits(problem: Problem) -> float:
    """Say how often somebody who notices something needs a repair, as a logarithm to the base of 2.

    That is: how often it is needed at all, times how likely it makes itself felt.
    """
    silent = math.prod(1 - one.share for one in problem.symptoms if one.slug not in _DUE)
    felt = max(_LEAST_FELT, 1 - silent)
    return _TRUST * math.log2(felt * 12 / problem.recurrence.months)


_BOOK_COUNT: Final = 400.0
"""What the book says of how often repairs are needed weighs as much as so many cases that were counted."""


def with_seen(bits: Sequence[float], seen: Sequence[float]) -> tuple[float, ...]:
    """Return the priors after cases were counted: how often each repair was needed, beside what the book says.

    Nothing counted changes nothing but the common height.
    """
    if not any(seen):
        return tuple(bits)
    whole = math.fsum(2.0**one for one in bits)
    counted = math.fsum(seen)
    return tuple(
        math.log2((often + _BOOK_COUNT * 2.0**one / whole) / (counted + _BOOK_COUNT))
        for one, often in zip(bits, seen, strict=True)
    )


def mileage_bits(problem: Problem, mileage: int) -> float:
    """Say by how much a mileage makes a repair likelier than on average, in bits.

    A part that wears fails ever more often towards its interval (a Weibull law of shape 3). Beyond that
    replaced ones mix with old ones, and it is as on average again. What fails at random does not age.
    """
    if problem.recurrence.kind is not Wear.WEAR:
        return 0.0
    age = mileage / problem.recurrence.miles
    return math.log2(max(_LEAST, min(_MOST, 3 * age**2)) if age < 1 else 1 + (_MOST - 1) / age)
