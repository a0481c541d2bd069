"""What a shop's invoices say that an hour of its labor costs."""

from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Final

from attrs import frozen

from repaircore.kernel.money import Cents, round_half_up

FEWEST: Final = 5
"""So many invoices tell a shop's rate; fewer do not."""

_SHORTEST: Final = 0.1
"""Hours are billed in tenths; less labor than that tells a flat fee."""
_CHEAPEST: Final[Cents] = 10_00
_DEAREST: Final[Cents] = 1_000_00
_YEARS: Final = 3


@frozen(kw_only=True)
class LaborBill:
    """The labor of one invoice."""

    performed_on: date
    hours: float
    total: Cents

    @property
    def rate(self) -> Cents | None:
        """Return what an hour cost, in whole cents; None where that is not what the invoice tells."""
        if self.hours < _SHORTEST:
            return None
        rate = round_half_up(self.total / self.hours)
        return rate if _CHEAPEST <= rate <= _DEAREST else None


@frozen(kw_only=True)
class ShopLabor:
    """A shop's rate in cents per hour, and the number of invoices that it is the median of."""

    rate: Cents
    sample_size: int


def three_years_before(day: date) -> date:
    """Return the first day of those whose invoices tell of today."""
    return day.replace(year=day.year - _YEARS, day=min(day.day, 28))


def labor_of(bills: Iterable[LaborBill], *, since: date) -> ShopLabor | None:
    """Return the rate that a shop's invoices tell, None where too few do.

    It is the median, which no outlier moves as long as most invoices are right. Labor given away, flat fees and slips of
    the keyboard do not count at all. Where the invoices since a day are enough, the older ones do not count
    either: they tell what an hour cost then. However many bills there are, what is held is one count for
    each rate in whole cents.
    """
    recent, older = Counter[Cents](), Counter[Cents]()
    for bill in bills:
        if (rate := bill.rate) is not None:
            (recent if bill.performed_on >= since else older)[rate] += 1
    counted = recent if recent.total() >= FEWEST else recent + older
    size = counted.total()
    return ShopLabor(rate=_median(counted, size), sample_size=size) if size >= FEWEST else None


def _median(counts: Counter[Cents], size: int) -> Cents:
    lower, upper = _ranked(counts, (size - 1) // 2), _ranked(counts, size // 2)
    return round_half_up((lower + upper) / 2)


def _ranked(counts: Counter[Cents], rank: int) -> Cents:
    """Return the value that stands at a rank, from 0."""
    passed = 0
    for value in sorted(counts):
        passed += counts[value]
        if passed > rank:
            return value
    raise IndexError(rank)
