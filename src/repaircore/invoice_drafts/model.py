"""A draft of an invoice: what was read from it, in cents, and what is doubtful."""

from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Final

from attrs import Factory, evolve, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents, round_half_up
from repaircore.quote_text.kinds import LineKind

MOST_LINES: Final = 60
"""The most lines of a draft."""

WORK: Final = frozenset({LineKind.REPAIR, LineKind.PART, LineKind.DIAGNOSIS})
"""Kinds of lines that may be a repair. The others are shared by all of an invoice's repairs, and nothing is learned from them."""


class DraftStatus(StrEnum):
    """Whether a draft can still be changed, or its transactions are recorded."""

    DRAFT = "draft"
    RECORDED = "recorded"


@frozen(kw_only=True)
class DraftLine:
    """A line of an invoice in cents; ``total`` of a discount is below zero.

    ``problem_slug`` is the repair, None where none is chosen; ``suggestions`` are slugs that it may be. Fields that are
    missing from the invoice are None.
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
        """Return what the hours cost at the rate; 0 where either is not known."""
        return round_half_up(round((self.labor_hours or 0) * (self.labor_rate or 0), 6))


@frozen(kw_only=True)
class DraftInvoice:
    """The content of an invoice. ``subtotal``, ``tax`` and ``total`` are as it states them; None where it does not."""

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
        """Return the vehicle in words, "" where none is named."""
        return " ".join(str(part) for part in (self.year, self.make, self.model, self.trim) if part)

    @property
    def line_total(self) -> Cents:
        """Return the sum of the lines."""
        return sum(line.total for line in self.lines)


@frozen(kw_only=True)
class ReadInvoice:
    """What was read from an invoice.

    ``doubts`` are sentences by the dotted name of the field, ``unread`` lines with amounts that are not in any field.
    """

    invoice: DraftInvoice
    doubts: Mapping[str, str] = Factory(dict)
    unread: tuple[str, ...] = ()


@frozen(kw_only=True)
class InvoiceDraft:
    """A draft of an account. ``transactions`` are the ids of what was recorded from it, in the order of its repairs."""

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
        """Return the draft after its transactions were recorded."""
        return evolve(self, status=DraftStatus.RECORDED, transactions=transactions, updated_at=at)


@frozen(kw_only=True)
class DraftSummary:
    """A draft as lists show it."""

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
