"""Monthly statements for partners: the captures and refunds for each ride or tow, and the totals."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Final, Protocol, TypeAlias

from attrs import frozen

from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents
from repaircore.payments.model import EntryKind

_MONTH: Final = re.compile(r"(?P<year>20[0-9]{2})-(?P<month>0[1-9]|1[0-2])", re.ASCII)
_DECEMBER: Final = 12


@frozen(kw_only=True)
class StatementLine:
    """Money that a partner earned (a capture) or gave back (a refund, which is negative).

    ``subject`` is the ride or the tow; ``partner_reference`` is the partner's own reference for it.
    """

    at: datetime
    kind: EntryKind
    subject: str
    partner_reference: str | None
    payment_id: str
    currency: str
    amount: Cents


@frozen(kw_only=True)
class Statement:
    """A month's lines, oldest first, and their totals; ``refunded`` is a positive amount."""

    month: str
    lines: tuple[StatementLine, ...]
    captured: Cents
    refunded: Cents


class StatementRecords(Protocol):
    """The entries in the books that statements read."""

    def list_earnings(
        self, caller: PartnerCaller, *, since: datetime, until: datetime
    ) -> Sequence[StatementLine]:
        """List a partner's captures and refunds at or after ``since`` and before ``until``, oldest first."""


class StatementsWork(Protocol):
    """The part of a unit of work that statements need."""

    @property
    def statements(self) -> StatementRecords:
        """The entries in the books that statements read."""


OpenStatements: TypeAlias = Callable[[], AbstractContextManager[StatementsWork]]
"""Open a read-only unit of work."""


@frozen(kw_only=True)
class Statements:
    """Returns partners' monthly statements."""

    read: OpenStatements

    def of_month(self, month: str, caller: PartnerCaller) -> Statement:
        """Return the caller's statement for a month such as ``2026-11``, in UTC; the current month's is not final.

        Raises:
            Invalid: on ``month``.
        """
        found = _MONTH.fullmatch(month)
        if found is None:
            raise Invalid({"month": ["The month field must be a month such as 2026-11."]})
        since = datetime(int(found["year"]), int(found["month"]), 1, tzinfo=UTC)
        with self.read() as work:
            lines = work.statements.list_earnings(caller, since=since, until=_following(since))
        return Statement(
            month=month,
            lines=tuple(lines),
            captured=sum(max(0, line.amount) for line in lines),
            refunded=-sum(min(0, line.amount) for line in lines),
        )


def _following(month: datetime) -> datetime:
    """Return the start of the following month."""
    if month.month == _DECEMBER:
        return month.replace(year=month.year + 1, month=1)
    return month.replace(month=month.month + 1)
