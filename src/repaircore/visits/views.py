"""Visits as clients see them over HTTP and at the command line."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal, Self

from repaircore.book.fit import FitOutcome
from repaircore.facilities.rates import RateBasis
from repaircore.facilities.sales_taxes import LaborTax
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.timeline import Step, TimelineStep, timeline_view
from repaircore.kernel.views import Count, Dollars, view
from repaircore.predictions.views import BreakdownPartView, LaborRegionView
from repaircore.pricing.model import PartsTier
from repaircore.visits.lifecycle import Action, Status
from repaircore.visits.model import (
    AppliedTax,
    Charges,
    Choice,
    Decision,
    Estimate,
    LineKind,
    LineSaving,
    PricedLine,
    Totals,
    Visit,
    VisitCustomer,
    VisitSummary,
    VisitVehicle,
)


@view
class VisitVehicleView:
    """The vehicle of a visit; ``vin`` is null if it was given by year, make and model."""

    vin: str | None
    display_name: str
    year: int
    make: str
    model: str
    trim: str | None
    engine: str | None

    @classmethod
    def of(cls, vehicle: VisitVehicle) -> Self:
        """Return the view of a vehicle."""
        return cls(
            vin=vehicle.vin,
            display_name=vehicle.display_name,
            year=vehicle.year,
            make=vehicle.make,
            model=vehicle.model,
            trim=vehicle.trim,
            engine=vehicle.engine,
        )


@view
class LineSavingView:
    """What a line saves because another one is done in the same visit."""

    with_line: int
    hours: float
    labor: Dollars
    parts: Dollars
    reason: str

    @classmethod
    def of(cls, saving: LineSaving) -> Self:
        """Return the view of a saving, in dollars."""
        return cls(
            with_line=saving.other,
            hours=round(saving.hours, 2),
            labor=dollars(saving.labor),
            parts=dollars(saving.parts),
            reason=saving.reason,
        )


@view
class DecisionView:
    """A customer's decision on a line."""

    choice: Choice
    name: str
    note: str | None
    at: datetime

    @classmethod
    def of(cls, decision: Decision) -> Self:
        """Return the view of a decision."""
        return cls(choice=decision.choice, name=decision.name, note=decision.note, at=decision.at)


@view
class VisitLineView:
    """A line with its price, in the visit and alone; ``parts`` are the parts of a repair before savings.

    ``approved_total`` is the approved amount if the invoiced amount is different.
    """

    id: int
    kind: LineKind
    description: str
    problem_identifier: str | None
    parts_tier: PartsTier | None
    quantity: int
    parts: list[BreakdownPartView]
    labor_hours: float
    labor_rate: Dollars
    parts_total: Dollars
    labor_total: Dollars
    fee_total: Dollars
    low_total: Dollars
    average_total: Dollars
    high_total: Dollars
    alone_total: Dollars
    saved: Dollars
    savings: list[LineSavingView]
    fit: FitOutcome
    fit_reason: str | None
    outside_book: bool
    decision: DecisionView | None
    approved_total: Dollars | None

    @classmethod
    def of(cls, line: PricedLine) -> Self:
        """Return the view of a line, in dollars."""
        return cls(
            id=line.id,
            kind=line.requested.kind,
            description=line.description,
            problem_identifier=line.problem_slug,
            parts_tier=line.parts_tier,
            quantity=line.requested.quantity,
            parts=[BreakdownPartView.of(item) for item in line.items],
            labor_hours=round(line.hours, 2),
            labor_rate=dollars(line.rate),
            parts_total=dollars(line.parts),
            labor_total=dollars(line.labor),
            fee_total=dollars(line.fee),
            low_total=dollars(line.low),
            average_total=dollars(line.average),
            high_total=dollars(line.high),
            alone_total=dollars(line.apart),
            saved=dollars(line.saved),
            savings=[LineSavingView.of(saving) for saving in line.savings],
            fit=line.fit,
            fit_reason=line.fit_reason,
            outside_book=line.outside,
            decision=None if line.decision is None else DecisionView.of(line.decision),
            approved_total=dollars_or_none(line.approved),
        )


@view
class SalesTaxView:
    """The sales tax on a visit; ``low`` and ``high`` are at the lowest and highest rates in the state."""

    state: str
    percent: float
    labor: LaborTax
    taxable: Dollars
    amount: Dollars
    low: Dollars
    high: Dollars
    text: str

    @classmethod
    def of(cls, tax: AppliedTax) -> Self:
        """Return the view of a tax, in dollars."""
        return cls(
            state=tax.state,
            percent=tax.percent,
            labor=tax.labor,
            taxable=dollars(tax.base),
            amount=dollars(tax.amount),
            low=dollars(tax.low),
            high=dollars(tax.high),
            text=tax.text,
        )


@view
class VisitTotalsView:
    """The totals of a visit; eight out of ten such visits cost between ``low_total`` and ``high_total``.

    ``average_total`` is ``subtotal + shop_supplies - discount + sales_tax.amount``. ``saved`` is already deducted.
    """

    parts: Dollars
    labor: Dollars
    fees: Dollars
    subtotal: Dollars
    saved: Dollars
    shop_supplies: Dollars
    shop_supplies_text: str | None
    discount: Dollars
    sales_tax: SalesTaxView | None
    low_total: Dollars
    average_total: Dollars
    high_total: Dollars

    @classmethod
    def of(cls, totals: Totals) -> Self:
        """Return the view of totals, in dollars."""
        return cls(
            parts=dollars(totals.parts),
            labor=dollars(totals.labor),
            fees=dollars(totals.fees),
            subtotal=dollars(totals.subtotal),
            saved=dollars(totals.saved),
            shop_supplies=dollars(totals.supplies),
            shop_supplies_text=totals.supplies_text,
            discount=dollars(totals.discount),
            sales_tax=None if totals.tax is None else SalesTaxView.of(totals.tax),
            low_total=dollars(totals.low),
            average_total=dollars(totals.total),
            high_total=dollars(totals.high),
        )


@view
class VisitEstimateView:
    """Several repairs on one vehicle in one estimate."""

    currency: Literal["USD"] = "USD"
    vehicle: VisitVehicleView
    region: LaborRegionView
    mileage: Count | None
    lines: list[VisitLineView]
    totals: VisitTotalsView
    warnings: list[str]

    @classmethod
    def of(cls, estimate: Estimate) -> Self:
        """Return the view of an estimate, in dollars."""
        return cls(**_estimate_fields(estimate))


@view
class VisitCustomerView:
    """The customer of a visit."""

    name: str | None
    email: str | None
    phone: str | None

    @classmethod
    def of(cls, customer: VisitCustomer) -> Self:
        """Return the view of a customer."""
        return cls(name=customer.name, email=customer.email, phone=customer.phone)


@view
class SuppliesView:
    """The charge for shop supplies: a percentage of labor up to a cap, or a fixed amount."""

    percent: float | None
    cap: Dollars | None
    amount: Dollars | None


@view
class DiscountView:
    """A discount on parts and labor: a percentage, or a fixed amount."""

    percent: float | None
    amount: Dollars | None


@view
class ChargesView:
    """The requested charges and deductions, in the form that an update of the visit accepts."""

    shop_supplies: SuppliesView | None
    discount: DiscountView | None
    sales_tax: bool
    sales_tax_percent: float | None

    @classmethod
    def of(cls, charges: Charges) -> Self:
        """Return the view of charges, in dollars."""
        supplies, discount = charges.supplies, charges.discount
        return cls(
            shop_supplies=None
            if supplies is None
            else SuppliesView(
                percent=supplies.percent,
                cap=dollars_or_none(supplies.cap),
                amount=dollars_or_none(supplies.amount),
            ),
            discount=None
            if discount is None
            else DiscountView(percent=discount.percent, amount=dollars_or_none(discount.amount)),
            sales_tax=charges.taxed,
            sales_tax_percent=charges.tax_percent,
        )


@view
class VisitSummaryView:
    """A visit in a list."""

    number: str
    status: Status
    vehicle: str
    vin: str | None
    customer_name: str | None
    lines: Count
    total: Dollars
    valid_until: date
    created_at: datetime
    updated_at: datetime
    version: int

    @classmethod
    def of(cls, summary: VisitSummary) -> Self:
        """Return the view of a visit in a list, in dollars."""
        return cls(
            number=summary.number,
            status=summary.status,
            vehicle=summary.vehicle,
            vin=summary.vin,
            customer_name=summary.customer_name,
            lines=summary.line_count,
            total=dollars(summary.total),
            valid_until=summary.valid_until,
            created_at=summary.created_at,
            updated_at=summary.updated_at,
            version=summary.version,
        )


@view
class _VisitStartView:
    number: str
    status: Status
    allowed_actions: list[Action]
    customer: VisitCustomerView
    notes: str | None
    facility_id: int | None
    valid_until: date
    charges: ChargesView
    force: bool


@view
class _VisitEndView:
    timeline: list[TimelineStep]
    estimated_at: datetime
    created_at: datetime
    updated_at: datetime
    version: int


@view
class VisitView(_VisitEndView, VisitEstimateView, _VisitStartView):
    """A stored visit; changes must state the ``version`` that they are based on."""

    @classmethod
    def of_visit(cls, visit: Visit, steps: Sequence[Step]) -> Self:
        """Return the view of a visit and its timeline."""
        return cls(
            number=visit.number,
            status=visit.status,
            allowed_actions=[*visit.allowed_actions],
            customer=VisitCustomerView.of(visit.customer),
            notes=visit.notes,
            facility_id=visit.facility_id,
            valid_until=visit.valid_until,
            charges=ChargesView.of(visit.estimate.charges),
            force=visit.estimate.force,
            **_estimate_fields(visit.estimate),
            timeline=timeline_view(steps),
            estimated_at=visit.estimated_at,
            created_at=visit.created_at,
            updated_at=visit.updated_at,
            version=visit.version,
        )


@view
class DeletedVisitView:
    """The visit that was deleted."""

    number: str


def _estimate_fields(estimate: Estimate) -> dict[str, Any]:
    place = estimate.place
    return {
        "vehicle": VisitVehicleView.of(estimate.vehicle),
        "region": LaborRegionView(
            zip_code=place.zip_code,
            state=place.state,
            labor_rate=dollars(place.labor_rate),
            labor_rate_source=RateBasis(place.labor_rate_source),
            labor_rate_text=place.labor_rate_text,
        ),
        "mileage": estimate.mileage,
        "lines": [VisitLineView.of(line) for line in estimate.lines],
        "totals": VisitTotalsView.of(estimate.totals),
        "warnings": [*estimate.warnings],
    }
