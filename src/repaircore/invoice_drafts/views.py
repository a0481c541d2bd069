"""Invoice drafts, as clients see them over HTTP and on the command line."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Self, TypeAlias

from repaircore.book.model import Problem
from repaircore.invoice_drafts.model import DraftLine, DraftStatus, DraftSummary, InvoiceDraft
from repaircore.invoice_drafts.sums import sums_that_differ
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.views import Count, Dollars, view
from repaircore.quote_text.kinds import LineKind

FindProblem: TypeAlias = Callable[[str], Problem | None]
"""Return the repair with the given slug, or None if there is none."""


@view
class DraftRepairView:
    """A repair in the book."""

    id: int
    slug: str
    name: str

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the view of a repair."""
        return cls(id=problem.id, slug=problem.slug, name=problem.display_name)


@view
class DraftLineView:
    """A line; ``suggestions`` are the repairs that it may be. Fields that are missing from the invoice are null."""

    kind: LineKind
    description: str
    problem: DraftRepairView | None
    suggestions: list[DraftRepairView]
    labor_hours: float | None
    labor_rate: Dollars | None
    parts_total: Dollars | None
    total: Dollars

    @classmethod
    def of(cls, line: DraftLine, find: FindProblem) -> Self:
        """Return the view of a line."""
        return cls(
            kind=line.kind,
            description=line.description,
            problem=_repair(line.problem_slug, find),
            suggestions=[found for slug in line.suggestions if (found := _repair(slug, find)) is not None],
            labor_hours=line.labor_hours,
            labor_rate=dollars_or_none(line.labor_rate),
            parts_total=dollars_or_none(line.parts_total),
            total=dollars(line.total),
        )


def _repair(slug: str | None, find: FindProblem) -> DraftRepairView | None:
    problem = None if slug is None else find(slug)
    return None if problem is None else DraftRepairView.of(problem)


@view
class DraftDoubtView:
    """A doubt about a field: the field's dotted name, and why its value may be wrong."""

    field: str
    message: str


@view
class InvoiceDraftView:
    """An invoice draft.

    ``differences`` has a sentence for each sum that does not match, ``unread`` the lines whose amounts are not in any
    field.
    """

    number: str
    status: DraftStatus
    file_name: str
    shop_name: str | None
    facility_id: int | None
    zip_code: str | None
    invoice_number: str | None
    performed_on: date | None
    vin: str | None
    year: int | None
    make: str | None
    model: str | None
    trim: str | None
    odometer: int | None
    lines: list[DraftLineView]
    lines_total: Dollars
    subtotal: Dollars | None
    total: Dollars | None
    differences: list[str]
    doubts: list[DraftDoubtView]
    unread: list[str]
    transactions: list[int]
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    version: int

    @classmethod
    def of(cls, draft: InvoiceDraft, find: FindProblem) -> Self:
        """Return the view of a draft."""
        invoice = draft.invoice
        return cls(
            number=draft.number,
            status=draft.status,
            file_name=draft.file_name,
            shop_name=invoice.shop_name,
            facility_id=invoice.facility_id,
            zip_code=invoice.zip_code,
            invoice_number=invoice.invoice_number,
            performed_on=invoice.performed_on,
            vin=invoice.vin,
            year=invoice.year,
            make=invoice.make,
            model=invoice.model,
            trim=invoice.trim,
            odometer=invoice.odometer,
            lines=[DraftLineView.of(line, find) for line in invoice.lines],
            lines_total=dollars(invoice.line_total),
            subtotal=dollars_or_none(invoice.subtotal),
            total=dollars_or_none(invoice.total),
            differences=[*sums_that_differ(invoice)],
            doubts=[DraftDoubtView(field=field, message=text) for field, text in draft.doubts.items()],
            unread=[*draft.unread],
            transactions=[*draft.transactions],
            created_at=draft.created_at,
            updated_at=draft.updated_at,
            expires_at=draft.expires_at,
            version=draft.version,
        )


@view
class InvoiceDraftSummaryView:
    """A draft in a list; ``total`` is the sum of its lines."""

    number: str
    status: DraftStatus
    shop_name: str | None
    vehicle: str
    vin: str | None
    performed_on: date | None
    total: Dollars
    lines: Count
    doubts: Count
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    version: int

    @classmethod
    def of(cls, summary: DraftSummary) -> Self:
        """Return the view of a draft in a list."""
        return cls(
            number=summary.number,
            status=summary.status,
            shop_name=summary.shop_name,
            vehicle=summary.vehicle,
            vin=summary.vin,
            performed_on=summary.performed_on,
            total=dollars(summary.total),
            lines=summary.line_count,
            doubts=summary.doubt_count,
            created_at=summary.created_at,
            updated_at=summary.updated_at,
            expires_at=summary.expires_at,
            version=summary.version,
        )


@view
class DeletedInvoiceDraftView:
    """The number of a deleted draft."""

    number: str
