"""Money is whole cents inside and dollars with two decimals outside."""

import math
from typing import TypeAlias

__all__ = ["Cents", "cents", "dollars", "half_up"]

Cents: TypeAlias = int
"""US cents. Whole, so that sums are exact."""


def half_up(amount: float) -> int:
    """Round to the nearest whole number, halves away from zero, as invoices do."""
    return math.floor(abs(amount) + 0.5) * (1 if amount >= 0 else -1)


def cents(amount: float) -> Cents:
    """Turn dollars into cents, to the nearest cent."""
    return half_up(round(amount * 100, 6))


def dollars(amount: Cents) -> float:
    """Turn cents into the dollars that are shown; exact to two decimals."""
    return amount / 100
