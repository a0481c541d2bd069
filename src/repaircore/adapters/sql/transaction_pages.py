"""Pages of invoices, found by skipping whole months (docs/decisions/invoice-sums.md)."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.adapters.sql.transaction_months import conditions, month_counts
from repaircore.kernel.callers import Environment
from repaircore.transactions.listing import Span, TransactionFilter, days_of


def page_ids(
    connection: Connection, wanted: TransactionFilter, environment: Environment, *, start: int, length: int
) -> tuple[Sequence[int], int]:
    """Return the ids of matching invoices from offset ``start`` on, latest first, and their total number."""
    months = month_counts(connection, wanted, environment)
    ends = list(accumulate(n for _, n in months))
    total = ends[-1] if ends else 0
    shown = min(length, total - start)
    if shown <= 0:
        return [], total
    latest, skipped = _latest_month(ends, start)
    earliest, left = _earliest_month(ends, start + shown - 1)
    # Counted from the nearer end, so that at most half a month is skipped.
    backwards = left < skipped
    on, number = transactions.c.performed_on, transactions.c.id
    # One bound only, because SQLite uses just one to enter an index.
    month = days_of(months[earliest if backwards else latest][0])
    days = wanted.days.meet(Span(month.first, None) if backwards else Span(None, month.last))
    query = (
        sa.select(number)
        .where(*conditions(connection, wanted, environment, days))
        .order_by(*((on, number) if backwards else (on.desc(), number.desc())))
        .offset(left if backwards else skipped)
        .limit(shown)
    )
    found = list(connection.execute(query).scalars())
    return found[::-1] if backwards else found, total


def _latest_month(ends: Sequence[int], place: int) -> tuple[int, int]:
    """Return the month of an offset, and how many of its invoices come before it."""
    month = bisect_right(ends, place)
    return month, place - (ends[month - 1] if month else 0)


def _earliest_month(ends: Sequence[int], place: int) -> tuple[int, int]:
    """Return the month of an offset, and how many of its invoices come after it."""
    month = bisect_right(ends, place)
    return month, ends[month] - 1 - place
