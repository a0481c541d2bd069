"""Input for drafts, with money in dollars."""

from datetime import date
from typing import Annotated, Final, Self, TypeAlias

from attrs import frozen

from repaircore.facilities.zip_code import ZipCode
from repaircore.invoice_drafts.model import MOST_LINES, WORK, DraftInvoice, DraftLine
from repaircore.kernel.money import Cents, cents, dollars, dollars_or_none
from repaircore.kernel.rules import DateRange, Length, PlainText, Range, YearRange
from repaircore.kernel.texts import stripped
from repaircore.quote_text.kinds import LineKind
from repaircore.transactions.limits import FIRST_DAY, MOST_HOURS, MOST_MILES

_MOST_DOLLARS: Final = 1_000_000
_MOST_RATE: Final = 10_000
_MOST_VERSION: Final = 2**63 - 1
_LAST_DAY: Final = date(2100, 12, 31)

_Dollars: TypeAlias = Annotated[float, Range(0, _MOST_DOLLARS)]
_SignedDollars: TypeAlias = Annotated[float, Range(-_MOST_DOLLARS, _MOST_DOLLARS)]
_Name: TypeAlias = Annotated[str, PlainText(0, 100)]


@frozen(kw_only=True)
class DraftLineInput:
    """A line; ``problem_identifier`` is the id or slug of its repair. The total of a discount is negative."""

    kind: LineKind = LineKind.REPAIR
    description: Annotated[str, PlainText(0, 200)] = ""
    problem_identifier: str | None = None
    labor_hours: Annotated[float, Range(0, MOST_HOURS)] | None = None
    labor_rate: Annotated[float, Range(0, _MOST_RATE)] | None = None
    parts_total: _Dollars | None = None
    total: _SignedDollars

    @classmethod
    def of(cls, line: DraftLine) -> Self:
        """Return the input for a line, in dollars."""
        return cls(
            kind=line.kind,
            description=line.description,
            problem_identifier=line.problem_slug,
            labor_hours=line.labor_hours,
            labor_rate=dollars_or_none(line.labor_rate),
            parts_total=dollars_or_none(line.parts_total),
            total=dollars(line.total),
        )

    def line(self, slug: str | None) -> DraftLine:
        """Return the line in cents, with the slug of its repair; charges have no repair, labor or parts."""
        is_work = self.kind in WORK
        return DraftLine(
            kind=self.kind,
            description=" ".join(self.description.split()),
            problem_slug=slug if is_work else None,
            labor_hours=self.labor_hours if is_work else None,
            labor_rate=_cents_or_none(self.labor_rate) if is_work else None,
            parts_total=_cents_or_none(self.parts_total) if is_work else None,
            total=cents(self.total),
        )


@frozen(kw_only=True)
class UpdateInvoiceDraft:
    """A whole draft as corrected by a person: it replaces what was read, and clears all doubts.

    ``version`` is the version that the person saw.
    """

    shop_name: _Name | None = None
    facility_id: Annotated[int, Range(1, 2**63 - 1)] | None = None
    zip_code: ZipCode | None = None
    invoice_number: Annotated[str, PlainText(0, 40)] | None = None
    performed_on: Annotated[date, DateRange(FIRST_DAY, _LAST_DAY)] | None = None
    vin: Annotated[str, PlainText(0, 40)] | None = None
    year: Annotated[int, YearRange(1900, 2100)] | None = None
    make: _Name | None = None
    model: _Name | None = None
    trim: _Name | None = None
    odometer: Annotated[int, Range(0, MOST_MILES)] | None = None
    lines: Annotated[list[DraftLineInput], Length(1, MOST_LINES)]
    subtotal: _SignedDollars | None = None
    total: _SignedDollars | None = None
    version: Annotated[int, Range(1, _MOST_VERSION)] | None = None

    @classmethod
    def of(cls, invoice: DraftInvoice, *, version: int | None = None) -> Self:
        """Return the input for an invoice, in dollars."""
        names = ("shop_name", "facility_id", "zip_code", "invoice_number", "performed_on")
        vehicle = ("vin", "year", "make", "model", "trim", "odometer")
        return cls(
            **{name: getattr(invoice, name) for name in (*names, *vehicle)},
            lines=[DraftLineInput.of(line) for line in invoice.lines],
            subtotal=dollars_or_none(invoice.subtotal),
            total=dollars_or_none(invoice.total),
            version=version,
        )


@frozen(kw_only=True)
class RecordInvoiceDraft:
    """The version of the draft that the person saw; ``accept_difference`` records it even if its sums do not match."""

    version: Annotated[int, Range(1, _MOST_VERSION)] | None = None
    accept_difference: bool = False


def _cents_or_none(amount: float | None) -> Cents | None:
    return None if amount is None else cents(amount)


def invoice_of(data: UpdateInvoiceDraft, lines: tuple[DraftLine, ...], *, vin: str | None) -> DraftInvoice:
    """Return the invoice in a request, in cents, with the converted ``lines`` and the normalized ``vin``."""
    return DraftInvoice(
        shop_name=stripped(data.shop_name),
        facility_id=data.facility_id,
        zip_code=data.zip_code,
        invoice_number=stripped(data.invoice_number),
        performed_on=data.performed_on,
        vin=vin,
        year=data.year,
        make=stripped(data.make),
        model=stripped(data.model),
        trim=stripped(data.trim),
        odometer=data.odometer,
        lines=lines,
        subtotal=_cents_or_none(data.subtotal),
        total=_cents_or_none(data.total),
    )
