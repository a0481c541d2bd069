"""What the invoices of a month add up to, of all of them and of each problem, make and facility.

However many invoices there are, a list is counted and statistics are told from a few of these rows. Every
change moves them in its own transaction, so that they are exact at any moment.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from enum import StrEnum

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.transactions.model import Transaction


class Dimension(StrEnum):
    """What invoices are summed by."""

    ALL = "all"
    PROBLEM = "problem"
    MAKE = "make"
    FACILITY = "facility"


@frozen(kw_only=True)
class SumOf:
    """How many invoices there are, and what they come to."""

    n: int
    total: Cents


@frozen(kw_only=True)
class SumChange:
    """What to add to the sums of one row; a row that is not there counts as zeros.

    ``value`` is a problem's or facility's id, written out, or a make as ``make_key`` gives it, and empty
    for all invoices. ``month`` is ``2026-01``.
    """

    dimension: str
    value: str
    month: str
    n: int
    parts_total: Cents
    labor_total: Cents

    @property
    def row(self) -> tuple[str, str, str]:
        """Name the row within an environment."""
        return self.dimension, self.value, self.month


def month_of(day: date) -> str:
    """Name the month of a day: ``2026-01``."""
    return day.isoformat()[:7]


def sum_changes(transaction: Transaction, make_key: str, sign: int = 1) -> tuple[SumChange, ...]:
    """Give what an invoice adds to its rows; with a ``sign`` of -1, what takes it out again.

    ``make_key`` is the one that is kept with the invoice: a vehicle's make may be corrected later.
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
    """Add up the changes of each row, in the order of the rows; one that comes to nothing is left out."""
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
