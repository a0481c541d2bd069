"""Invoice drafts: what was read from an invoice, in cents, and what is doubtful."""

from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Final

from attrs import Factory, evolve, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents, round_half_up
from repaircore.quote_text.kinds import LineKind

MOST_LINES: Final = 60
"""The maximum number of lines in a draft."""

WORK: Final = frozenset({LineKind.REPAIR, LineKind.PART, LineKind.DIAGNOSIS})
"""Kinds of lines that may be a repair. The other kinds apply to the whole invoice; nothing is learned from them."""


class DraftStatus(StrEnum):
    """Whether a draft can still be changed, or its transactions have been recorded."""

    DRAFT = "draft"
    RECORDED = "recorded"


@frozen(kw_only=True)
class DraftLine:
    """A line of an invoice, with money in cents; the ``total`` of a discount is negative.

    ``problem_slug`` is the repair, or None if none is chosen; ``suggestions`` are the slugs of repairs that it may be.
    Fields that are missing from the invoice are None.
    """

    kind: LineKind
    description: str
    total: Cents
    problem_slug: str | None = None
    labor_hours: float | None = None
    labor_rate: Cents | None = None
    parts_total: Cents | None = None
    suggestions: tuple[str, ...] = ()

    @property
    def labor(self) -> Cents:
        """Return the labor cost, hours times rate, or 0 if either is unknown."""
        return round_half_up(round((self.labor_hours or 0) * (self.labor_rate or 0), 6))


@frozen(kw_only=True)
class DraftInvoice:
    """The content of an invoice. ``subtotal`` and ``total`` are the amounts stated on it, or None."""

    shop_name: str | None = None
    facility_id: int | None = None
    zip_code: str | None = None
    invoice_number: str | None = None
    performed_on: date | None = None
    vin: str | None = None
    year: int | None = None
    make: str | None = None
    model: str | None = None
    trim: str | None = None
    odometer: int | None = None
    lines: tuple[DraftLine, ...] = ()
    subtotal: Cents | None = None
    total: Cents | None = None

    @property
    def vehicle_name(self) -> str:
        """Return the vehicle's year, make, model and trim as one string, or "" if none of them is known."""
        return " ".join(str(part) for part in (self.year, self.make, self.model, self.trim) if part)

    @property
    def line_total(self) -> Cents:
        """Return the sum of the lines."""
        return sum(line.total for line in self.lines)


@frozen(kw_only=True)
class ReadInvoice:
    """What was read from an invoice.

    ``doubts`` maps dotted field names to sentences. ``unread`` holds the lines whose amounts are not in any field; it
    is empty if the sums match without them.
    """

    invoice: DraftInvoice
    doubts: Mapping[str, str] = Factory(dict)
    unread: tuple[str, ...] = ()


@frozen(kw_only=True)
class InvoiceDraft:
    """An account's draft. ``transactions`` are the ids of its recorded transactions, in the order of its repairs."""

    number: str
    environment: Environment
    owner_id: int
    invoice: DraftInvoice
    doubts: Mapping[str, str] = Factory(dict)
    unread: tuple[str, ...] = ()
    status: DraftStatus = DraftStatus.DRAFT
    transactions: tuple[int, ...] = ()
    file_name: str
    file_hash: bytes
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    version: int = 1
    id: int = 0

    def recorded(self, transactions: tuple[int, ...], *, at: datetime) -> "InvoiceDraft":
        """Return the draft marked as recorded, with the ids of its transactions."""
        return evolve(self, status=DraftStatus.RECORDED, transactions=transactions, updated_at=at)


@frozen(kw_only=True)
class DraftSummary:
    """A draft as it appears in lists; ``total`` is the sum of its lines."""

    number: str
    status: DraftStatus
    shop_name: str | None
    vehicle: str
    vin: str | None
    performed_on: date | None
    total: Cents
    line_count: int
    doubt_count: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    version: int
