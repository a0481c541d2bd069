"""Money: whole cents internally, dollars with two decimals in requests and responses."""

import math
from decimal import Decimal
from typing import TypeAlias

from attrs import frozen

Cents: TypeAlias = int
"""US cents. Whole, so that sums are exact."""

Percent: TypeAlias = Decimal | int
"""A percentage exactly as written: 8.2 has no exact binary floating-point form."""


@frozen(kw_only=True)
class PriceRange:
    """What something will cost: the average, and the range of eight out of ten bills; ``low <= average <= high``."""

    low: Cents
    average: Cents
    high: Cents


_WHOLE = 2.0**53
"""From here on a float has no fraction, and multiplying it by 100 may overflow."""


def round_half_up(amount: float) -> int:
    """Round to the nearest whole number, halves away from zero, as invoices do."""
    return math.floor(abs(amount) + 0.5) * (1 if amount >= 0 else -1)


def cents(amount: float) -> Cents:
    """Convert finite dollars to cents, to the nearest cent."""
    if abs(amount) >= _WHOLE:
        return int(amount) * 100
    return round_half_up(round(amount * 100, 6))


def percent_of(amount: Cents, percent: Percent) -> Cents:
    """Return a percentage of an amount, to the nearest cent, halves up; neither may be negative."""
    numerator, denominator = percent.as_integer_ratio()
    return (2 * numerator * amount + 100 * denominator) // (200 * denominator)


def dollars_or_none(amount: Cents | None) -> float | None:
    """Convert cents to dollars; None stays None."""
    return None if amount is None else dollars(amount)


def dollars(amount: Cents) -> float:
    """Convert cents to dollars, exact to two decimals."""
    return amount / 100
