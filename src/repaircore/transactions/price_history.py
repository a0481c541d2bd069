"""The prices paid for a repair: their distribution and their trend by month."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from statistics import fmean
from typing import Final, TypeAlias

from attrs import frozen

from repaircore.kernel.money import Cents, round_half_up

Payment: TypeAlias = tuple[date, Cents]
"""The day of a repair, and what was paid for it."""

_LOW: Final = 0.1
_HIGH: Final = 0.9


@frozen(kw_only=True)
class MonthPaid:
    """The prices paid in a month (given as its first day), in cents.

    80% of the invoices are between ``low`` and ``high``, and ``middle`` is the median.
    """

    month: date
    invoices: int
    low: Cents
    middle: Cents
    high: Cents


@frozen(kw_only=True)
class Paid:
    """The prices paid, in cents and sorted; ``low``, ``middle`` and ``high`` are as in ``MonthPaid``.

    ``months`` are in order, without empty ones.
    """

    totals: Sequence[Cents]
    low: Cents
    middle: Cents
    average: Cents
    high: Cents
    months: Sequence[MonthPaid]


def paid_of(payments: Iterable[Payment]) -> Paid | None:
    """Summarize payments; return None if there are none."""
    by_month: dict[date, list[Cents]] = defaultdict(list)
    for day, total in payments:
        by_month[day.replace(day=1)].append(total)
    totals = sorted(total for month in by_month.values() for total in month)
    if not totals:
        return None
    return Paid(
        totals=totals,
        low=_quantile(totals, _LOW),
        middle=_quantile(totals, 0.5),
        average=round_half_up(fmean(totals)),
        high=_quantile(totals, _HIGH),
        months=[_month(month, sorted(by_month[month])) for month in sorted(by_month)],
    )


def _month(month: date, totals: Sequence[Cents]) -> MonthPaid:
    return MonthPaid(
        month=month,
        invoices=len(totals),
        low=_quantile(totals, _LOW),
        middle=_quantile(totals, 0.5),
        high=_quantile(totals, _HIGH),
    )


def _quantile(totals: Sequence[Cents], share: float) -> Cents:
    """Return a quantile of sorted totals, interpolating between two of them."""
    place = share * (len(totals) - 1)
    under = int(place)
    over = min(under + 1, len(totals) - 1)
    return round_half_up(totals[under] + (totals[over] - totals[under]) * (place - under))
