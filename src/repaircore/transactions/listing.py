"""Filters for transactions, and the totals of transactions by month."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final
from uuid import UUID

from attrs import field, frozen

from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents
from repaircore.kernel.spelling import make_key
from repaircore.transactions.sums import Dimension, month_of

_EARLIEST: Final = date(1900, 1, 1)
_LATEST: Final = date(3000, 1, 1)
"""No invoice is dated outside these bounds; within them, a day can be added or subtracted without overflow."""


def _within_reach(day: date | None) -> date | None:
    return None if day is None else min(_LATEST, max(_EARLIEST, day))


@frozen(kw_only=True)
class TransactionFilter:
    """A filter for invoices; fields that are None match all. Both dates are inclusive.

    ``make_key`` is the key that makes are compared by (``repaircore.kernel.spelling.make_key``).
    """

    problem_id: int | None = None
    vehicle_id: UUID | None = None
    facility_id: int | None = None
    make_key: str | None = None
    first: date | None = field(default=None, converter=_within_reach)
    last: date | None = field(default=None, converter=_within_reach)

    @property
    def days(self) -> "Span":
        """Return the dates as a span."""
        return Span(self.first, self.last)

    @property
    def dimensions(self) -> dict[Dimension, str]:
        """Return the dimensions that the filter selects by, with their values; there are no sums by ``vehicle_id``."""
        values = {
            Dimension.PROBLEM: self.problem_id,
            Dimension.MAKE: self.make_key,
            Dimension.FACILITY: self.facility_id,
        }
        return {name: str(value) for name, value in values.items() if value is not None}


@frozen(kw_only=True, slots=False)  # queries for pages inherit from it and from another class
class ListTransactions:
    """Filters for a list of transactions; makes are compared by ``make_key``, and both dates are inclusive."""

    problem_id: int | None = None
    vehicle_id: UUID | None = None
    facility_id: int | None = None
    make: str | None = None
    date_from: date | None = None
    date_to: date | None = None

    def parse(self) -> TransactionFilter:
        """Return the parsed filter.

        Raises:
            Invalid: on ``date_to`` if it is before ``date_from``.
        """
        first, last = self.date_from, self.date_to
        if first is not None and last is not None and last < first:
            raise Invalid({"date_to": ["The date to field must not be before the date from field."]})
        return TransactionFilter(
            problem_id=self.problem_id,
            vehicle_id=self.vehicle_id,
            facility_id=self.facility_id,
            make_key=None if self.make is None else make_key(self.make),
            first=first,
            last=last,
        )


ALL_TRANSACTIONS: Final = ListTransactions()


@frozen(kw_only=True)
class MonthTotals:
    """The totals of the invoices in a month, such as ``2026-01``."""

    month: str
    n: int
    parts_total: Cents
    labor_total: Cents

    @property
    def total(self) -> Cents:
        """Return the sum of parts and labor."""
        return self.parts_total + self.labor_total


@frozen(kw_only=True)
class Statistics:
    """The totals of invoices, overall and for each month, earliest first."""

    months: tuple[MonthTotals, ...]

    @property
    def n(self) -> int:
        """Return the number of invoices."""
        return sum(month.n for month in self.months)

    @property
    def parts_total(self) -> Cents:
        """Return the sum of all parts."""
        return sum(month.parts_total for month in self.months)

    @property
    def labor_total(self) -> Cents:
        """Return the sum of all labor."""
        return sum(month.labor_total for month in self.months)

    @property
    def total(self) -> Cents:
        """Return the sum of parts and labor."""
        return self.parts_total + self.labor_total


@frozen
class Span:
    """A span of days or months from ``first`` to ``last``, inclusive; None means no limit."""

    first: date | None
    last: date | None

    @property
    def is_empty(self) -> bool:
        """Return whether the span contains nothing."""
        return self.first is not None and self.last is not None and self.first > self.last

    def meet(self, other: "Span") -> "Span":
        """Return the intersection of both spans."""
        firsts = [day for day in (self.first, other.first) if day is not None]
        lasts = [day for day in (self.last, other.last) if day is not None]
        return Span(max(firsts, default=None), min(lasts, default=None))


def days_of(month: str) -> Span:
    """Return the days of a month."""
    first = date.fromisoformat(f"{month}-01")
    return Span(first, _next_month(first) - timedelta(days=1))


def months_and_edges(first: date | None, last: date | None) -> tuple[Span, Sequence[Span]]:
    """Split a span of days into its whole months and the remaining days at its ends.

    There may be no whole months. There are at most two spans of remaining days, each within one month.
    """
    begin = first if first is None or first.day == 1 else _next_month(first)
    end = last if last is None or _is_last(last) else last.replace(day=1) - timedelta(days=1)
    whole, days = Span(begin, end), Span(first, last)
    if days.is_empty:
        return whole, []
    if first is not None and last is not None and month_of(first) == month_of(last) and whole.is_empty:
        return whole, [days]
    edges = []
    if first is not None and begin is not None and first != begin:
        edges.append(Span(first, begin - timedelta(days=1)))
    if last is not None and end is not None and last != end:
        edges.append(Span(end + timedelta(days=1), last))
    return whole, edges


def _next_month(day: date) -> date:
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1)


def _is_last(day: date) -> bool:
    return _next_month(day) - timedelta(days=1) == day
