"""The labor rate of a shop, from its invoices."""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Final

from attrs import frozen

from repaircore.kernel.money import Cents, round_half_up

FEWEST: Final = 5
"""The minimum number of invoices needed to determine a shop's rate."""

_SHORTEST: Final = 0.1
"""Hours are billed in tenths; less labor than that is a flat fee."""
_CHEAPEST: Final[Cents] = 10_00
_DEAREST: Final[Cents] = 1_000_00
_YEARS: Final = 3


@frozen(kw_only=True)
class LaborBill:
    """The labor on one invoice: its day, the hours, and their total price in cents."""

    performed_on: date
    hours: float
    total: Cents

    @property
    def rate(self) -> Cents | None:
        """Return the rate per hour in whole cents, or None if the invoice does not show a plausible one."""
        if self.hours < _SHORTEST:
            return None
        rate = round_half_up(self.total / self.hours)
        return rate if _CHEAPEST <= rate <= _DEAREST else None


@frozen(kw_only=True)
class ShopLabor:
    """A shop's median rate in cents per hour, and the number of invoices behind it."""

    rate: Cents
    sample_size: int


def three_years_before(day: date) -> date:
    """Return the same day three years earlier; days after the 28th become the 28th."""
    return day.replace(year=day.year - _YEARS, day=min(day.day, 28))


def labor_of(bills: Iterable[LaborBill], *, since: date) -> ShopLabor | None:
    """Return a shop's rate from its invoices, or None if there are too few.

    It is the median, which outliers do not move as long as most invoices are right. Free labor, flat fees and typos
    do not count. If there are enough invoices since ``since``, older ones do not count either, because rates rise.
    Memory does not depend on the number of bills: it holds one count for each rate in whole cents.
    """
    recent, older = Counter[Cents](), Counter[Cents]()
    for bill in bills:
        if (rate := bill.rate) is not None:
            (recent if bill.performed_on >= since else older)[rate] += 1
    counted = recent if recent.total() >= FEWEST else recent + older
    size = counted.total()
    return ShopLabor(rate=_median(counted, size), sample_size=size) if size >= FEWEST else None


def _median(counts: Counter[Cents], size: int) -> Cents:
    lower, upper = _value_at(counts, (size - 1) // 2), _value_at(counts, size // 2)
    return round_half_up((lower + upper) / 2)


def _value_at(counts: Counter[Cents], rank: int) -> Cents:
    """Return the value at a zero-based rank in sorted order."""
    passed = 0
    for value in sorted(counts):
        passed += counts[value]
        if passed > rank:
            return value
    raise IndexError(rank)
