"""Monthly sums of invoices: of all invoices, and by problem, make and facility.

These few rows suffice to count a list and to compute statistics, however many invoices there are. Every change to an
invoice updates them in the same transaction, so they are always exact.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from enum import StrEnum

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.transactions.model import Transaction


class Dimension(StrEnum):
    """The properties by which invoices are summed."""

    ALL = "all"
    PROBLEM = "problem"
    MAKE = "make"
    FACILITY = "facility"


@frozen(kw_only=True)
class SumOf:
    """The number of invoices, and their total in cents."""

    n: int
    total: Cents


@frozen(kw_only=True)
class SumChange:
    """A change to the sums of one row; a missing row counts as zeros.

    ``value`` is the id of a problem or facility as a string, a ``make_key``, or empty for all invoices. ``month`` is
    like ``2026-01``.
    """

    dimension: str
    value: str
    month: str
    n: int
    parts_total: Cents
    labor_total: Cents

    @property
    def row(self) -> tuple[str, str, str]:
        """Return the key of the row within an environment."""
        return self.dimension, self.value, self.month


def month_of(day: date) -> str:
    """Return the month of a day, such as ``2026-01``."""
    return day.isoformat()[:7]


def sum_changes(transaction: Transaction, make_key: str, sign: int = 1) -> tuple[SumChange, ...]:
    """Return the changes that an invoice makes to its rows; a ``sign`` of -1 undoes them.

    ``make_key`` is the key stored with the invoice, because a vehicle's make may be corrected later.
    """
    values = {
        Dimension.ALL: "",
        Dimension.PROBLEM: str(transaction.problem_id),
        Dimension.MAKE: make_key,
    }
    if transaction.facility_id is not None:
        values[Dimension.FACILITY] = str(transaction.facility_id)
    return tuple(
        SumChange(
            dimension=dimension,
            value=value,
            month=month_of(transaction.performed_on),
            n=sign,
            parts_total=sign * transaction.parts_total,
            labor_total=sign * transaction.labor_total,
        )
        for dimension, value in values.items()
    )


def net(changes: Iterable[SumChange]) -> tuple[SumChange, ...]:
    """Return the net change to each row, sorted by row, leaving out zero changes."""
    rows: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for change in changes:
        moved = rows[change.row]
        moved[0] += change.n
        moved[1] += change.parts_total
        moved[2] += change.labor_total
    return tuple(
        SumChange(dimension=dimension, value=value, month=month, n=n, parts_total=parts, labor_total=labor)
        for (dimension, value, month), (n, parts, labor) in sorted(rows.items())
        if n or parts or labor
    )
