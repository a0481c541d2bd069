"""An operator's price adjustment, applied on the way out to every money figure alike."""

from typing import TYPE_CHECKING

from attrs import evolve

from repaircore.estimates.told import Breakdown
from repaircore.kernel.money import Cents, half_up

if TYPE_CHECKING:
    from repaircore.estimates.model import LocalEstimate

__all__ = ["HIGHEST_PERCENT", "LOWEST_PERCENT", "adjusted", "adjusted_amount", "adjusted_breakdown"]

LOWEST_PERCENT = -90.0
HIGHEST_PERCENT = 500.0


def adjusted_amount(amount: Cents, percent: float) -> Cents:
    """Move an amount by ``percent``, to the nearest cent; what is positive stays at least one cent.

    Raises:
        ValueError: the percentage is not within -90 to 500.
    """
    if not LOWEST_PERCENT <= percent <= HIGHEST_PERCENT:
        raise ValueError(
            f"a price adjustment lies within {LOWEST_PERCENT:.0f} and {HIGHEST_PERCENT:.0f} percent"
        )
    return max(min(amount, 1), half_up(round(amount * (100 + percent) / 100, 6)))


def adjusted_breakdown(breakdown: Breakdown, percent: float) -> Breakdown:
    """Move unit prices and the rate, never hours nor quantities, so that the lines still add up."""
    lines = tuple(
        evolve(line, unit_price=adjusted_amount(line.unit_price, percent)) for line in breakdown.parts
    )
    return evolve(breakdown, parts=lines, labor_rate=adjusted_amount(breakdown.labor_rate, percent))


def adjusted(estimate: "LocalEstimate", percent: float) -> "LocalEstimate":
    """Move low, average and high alike; the average stays the sum of the adjusted lines.

    The explanation tells of the price before the adjustment.
    """
    if percent == 0:
        return estimate
    breakdown = adjusted_breakdown(estimate.breakdown, percent)
    average = max(1, breakdown.total)
    return evolve(
        estimate,
        low=min(average, adjusted_amount(estimate.low, percent)),
        average=average,
        high=max(average, adjusted_amount(estimate.high, percent)),
        breakdown=breakdown,
    )
