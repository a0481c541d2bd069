"""Which figures of a price model count at all."""

import math

from repaircore.problems.model import Problem

__all__ = ["PLAUSIBLE", "is_plausible"]

PLAUSIBLE = 20
"""A model's figure counts from 1/20 of the book's low price to 20 times its high price.

The dearest make in the dearest state is about eight times an ordinary car, so that an honest figure has
room; a figure in cents, in another currency or out of thin air has none. See
docs/decisions/model-figures-that-count.md.
"""


def is_plausible(average: float, problem: Problem) -> bool:
    """Tell whether a price in cents is finite, at least a cent and near enough to the book's range."""
    return (
        math.isfinite(average)
        and average >= 1
        and problem.low / PLAUSIBLE <= average <= problem.high * PLAUSIBLE
    )
