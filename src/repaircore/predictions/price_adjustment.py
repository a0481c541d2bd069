"""The operator's price adjustment, applied to every amount of money in an answer."""

from typing import TYPE_CHECKING

from attrs import evolve, frozen

from repaircore.kernel.money import Cents, round_half_up
from repaircore.pricing.model import Breakdown, balanced

if TYPE_CHECKING:  # a cached prediction is not estimated again
    from repaircore.pricing.estimator import LocalEstimate

LOWEST_PERCENT = -90.0
HIGHEST_PERCENT = 500.0


@frozen(kw_only=True)
class UpdatePriceAdjustment:
    """The percentage to adjust every price by, from -90 to 500."""

    percent: float


def adjusted_amount(amount: Cents, percent: float) -> Cents:
    """Return an amount changed by ``percent``, to the nearest cent; a positive amount stays at least one cent.

    Raises:
        ValueError: the percentage is not between -90 and 500.
    """
    if not LOWEST_PERCENT <= percent <= HIGHEST_PERCENT:
        raise ValueError(
            f"A price adjustment must be between {LOWEST_PERCENT:.0f} and {HIGHEST_PERCENT:.0f} percent."
        )
    return max(min(amount, 1), round_half_up(round(amount * (100 + percent) / 100, 6)))


def adjusted_breakdown(breakdown: Breakdown, percent: float) -> Breakdown:
    """Itemize the adjusted total with the same hours and quantities, at the adjusted rate.

    The lines add up to ``adjusted_amount`` of the total, to the cent, if any part has a quantity of 1. If parts come
    only in pairs or sets, the sum is as close as whole unit prices allow (within half a cent for each piece of the
    smallest set). Without parts, the sum is the hours at the adjusted rate (within half a cent for each hour).
    """
    moved = evolve(
        breakdown,
        parts=tuple(
            evolve(line, unit_price=adjusted_amount(line.unit_price, percent)) for line in breakdown.parts
        ),
        labor_rate=adjusted_amount(breakdown.labor_rate, percent),
    )
    for_parts = adjusted_amount(breakdown.total, percent) - moved.labor_total
    return evolve(moved, parts=balanced(moved.parts, for_parts))


def adjusted_estimate(estimate: "LocalEstimate", percent: float) -> "LocalEstimate":
    """Return an estimate with its prices changed by ``percent``; the steps of its explanation stay the same."""
    breakdown = adjusted_breakdown(estimate.breakdown, percent) if percent else estimate.breakdown
    low, average, high = adjusted_range(estimate.low, breakdown, estimate.high, percent)
    return evolve(estimate, low=low, average=average, high=high, breakdown=breakdown)


def adjusted_range(
    low: Cents, breakdown: Breakdown, high: Cents, percent: float
) -> tuple[Cents, Cents, Cents]:
    """Return the adjusted low, average and high, in ascending order; the average is the sum of the adjusted lines."""
    average = max(1, breakdown.total)
    return min(average, adjusted_amount(low, percent)), average, max(average, adjusted_amount(high, percent))
