"""Visits: the work that a shop would do on one vehicle in one visit, and its cost. Money is in cents."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final

from attrs import evolve, frozen

from repaircore.book.fit import FitOutcome
from repaircore.facilities.sales_taxes import LaborTax
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.money import Cents
from repaircore.pricing.model import PartLine, PartsTier
from repaircore.vehicle_facts.overlap import SharedWork
from repaircore.visits.lifecycle import LIFECYCLE, Action, Status

MOST_LINES: Final = 200
_LATEST_EVENING: Final = timedelta(days=1)
"""How long after its last day in UTC an estimate stays valid; in Hawaii, the day ends ten hours later than in UTC."""


class LineKind(StrEnum):
    """The kind of a line: a repair from the book, or one of the shop's own lines at its own price."""

    REPAIR = "repair"
    PART = "part"
    LABOR = "labor"
    FEE = "fee"


@frozen(kw_only=True)
class RequestedLine:
    """A line as it was entered.

    A repair has a ``problem_id`` and may have a ``parts_tier``; the shop's own lines have a unit ``price`` or, if they
    are labor, may have ``hours`` at the region's rate instead. ``id`` numbers the lines of a visit, and stays the same
    when the visit changes.
    """

    id: int
    kind: LineKind
    problem_id: int | None = None
    description: str | None = None
    parts_tier: PartsTier | None = None
    quantity: int = 1
    price: Cents | None = None
    hours: float | None = None


@frozen(kw_only=True)
class LineSaving:
    """What a line saves because the line with the id ``other`` is done in the same visit, and why.

    ``parts`` is what shared parts cost that the visit needs only once.
    """

    other: int
    hours: float
    labor: Cents
    parts: Cents
    reason: str


class Choice(StrEnum):
    """What a customer may decide on a line."""

    APPROVED = "approved"
    DECLINED = "declined"
    ASKED = "asked"


@frozen(kw_only=True)
class Decision:
    """A customer's decision on a line, who made it and when, and their question if they asked one."""

    choice: Choice
    name: str
    at: datetime
    note: str | None = None


@frozen(kw_only=True)
class PricedLine:
    """A line with its price: ``low <= average <= high`` with the savings of the visit, ``apart`` without them.

    ``average`` is ``parts + labor + fee``. ``items`` are the parts of a repair before savings. ``hours`` are after
    savings, at ``rate`` cents per hour. ``fit_reason`` says why a repair may not fit, and ``outside`` that the book
    does not cover the vehicle. ``approved`` is the approved amount if the invoiced amount is different.
    """

    requested: RequestedLine
    description: str
    problem_slug: str | None = None
    parts_tier: PartsTier | None = None
    items: tuple[PartLine, ...] = ()
    parts: Cents
    labor: Cents
    fee: Cents = 0
    hours: float = 0.0
    rate: Cents = 0
    apart: Cents
    low: Cents
    average: Cents
    high: Cents
    savings: tuple[LineSaving, ...] = ()
    fit: FitOutcome = FitOutcome.FITS
    fit_reason: str | None = None
    outside: bool = False
    decision: Decision | None = None
    approved: Cents | None = None

    @property
    def id(self) -> int:
        """Return the number of the line in its visit."""
        return self.requested.id

    @property
    def name(self) -> str:
        """Return the description without the category of the repair."""
        return self.description.rpartition(" > ")[2]

    @property
    def saved(self) -> Cents:
        """Return how much less the line costs than it would alone."""
        return self.apart - self.average


@frozen(kw_only=True)
class Supplies:
    """The charge for shop supplies: a percentage of labor up to a cap, or a fixed amount."""

    percent: float | None = None
    cap: Cents | None = None
    amount: Cents | None = None


@frozen(kw_only=True)
class Discount:
    """A discount on parts and labor: a percentage, or a fixed amount."""

    percent: float | None = None
    amount: Cents | None = None


@frozen(kw_only=True)
class Charges:
    """The shop's charges and deductions on top of the lines.

    If ``taxed`` is False, there is no sales tax; ``tax_percent`` is the rate of the place, or None for the state's
    average.
    """

    supplies: Supplies | None = None
    discount: Discount | None = None
    taxed: bool = True
    tax_percent: float | None = None


@frozen(kw_only=True)
class AppliedTax:
    """The sales tax on a visit: ``amount`` is ``percent`` of ``base``.

    ``low`` and ``high`` are the amounts at the lowest and highest rates in the state.
    """

    state: str
    percent: float
    labor: LaborTax
    base: Cents
    amount: Cents
    low: Cents
    high: Cents
    text: str


@frozen(kw_only=True)
class Totals:
    """The totals of a visit.

    ``total = parts + labor + fees + supplies - discount + tax``, which is the average; eight out of ten such visits
    cost between ``low`` and ``high``. ``saved`` is what doing the lines together saves, which is already deducted.
    ``tax`` is None if it was left out or is unknown.
    """

    parts: Cents
    labor: Cents
    fees: Cents
    saved: Cents
    supplies: Cents
    supplies_text: str | None
    discount: Cents
    tax: AppliedTax | None
    total: Cents
    low: Cents
    high: Cents

    @property
    def subtotal(self) -> Cents:
        """Return the sum of the lines."""
        return self.parts + self.labor + self.fees


@frozen(kw_only=True)
class VisitVehicle:
    """The vehicle of a visit; ``vin`` is None if it was given by year, make and model."""

    vin: str | None
    year: int
    make: str
    model: str
    trim: str | None
    engine: str | None
    display_name: str
    fuel: str | None = None


@frozen(kw_only=True)
class VisitPlace:
    """The place of a visit, and its labor rate."""

    zip_code: str
    state: str
    labor_rate: Cents
    labor_rate_source: str
    labor_rate_text: str


@frozen(kw_only=True)
class Estimate:
    """The estimate of a visit; ``shared_work`` allows pricing some of its repairs without the rest."""

    vehicle: VisitVehicle
    place: VisitPlace
    mileage: int | None
    charges: Charges
    lines: tuple[PricedLine, ...]
    totals: Totals
    force: bool = False
    warnings: tuple[str, ...] = ()
    shared_work: tuple[SharedWork, ...] = ()


@frozen(kw_only=True)
class VisitCustomer:
    """The customer of a visit, as far as the shop knows them."""

    name: str | None = None
    email: str | None = None
    phone: str | None = None


NO_CUSTOMER: Final = VisitCustomer()


@frozen(kw_only=True)
class Visit:
    """A stored visit: its estimate, its customer, and its status.

    ``estimated_at`` is when the prices were computed. Each change increments ``version``, and a request for a change
    states the version that it is based on.
    """

    id: int = 0
    number: str
    environment: Environment
    owner_id: int
    status: Status = Status.DRAFT
    estimate: Estimate
    customer: VisitCustomer = NO_CUSTOMER
    notes: str | None = None
    facility_id: int | None = None
    valid_until: date
    estimated_at: datetime
    created_at: datetime
    updated_at: datetime
    version: int = 1

    @property
    def lines(self) -> tuple[PricedLine, ...]:
        """Return the lines of the estimate."""
        return self.estimate.lines

    @property
    def allowed_actions(self) -> tuple[Action, ...]:
        """Return the actions that the status allows."""
        return LIFECYCLE.allowed(self.status)

    def is_expired(self, today: date) -> bool:
        """Return whether the estimate has expired in every US time zone; ``today`` is the day in UTC."""
        return today > self.valid_until + _LATEST_EVENING

    def apply(self, action: Action, *, at: datetime) -> "Visit":
        """Return the visit after an action.

        Raises:
            Conflict: the status does not allow the action; the details include the version.
        """
        try:
            status = LIFECYCLE.after(self.status, action)
        except Conflict as error:
            details = {"version": self.version, **(error.details or {})}
            raise Conflict(error.message, details=details) from None
        return evolve(self, status=status, updated_at=at)

    def with_decisions(self, decisions: "Sequence[tuple[int, Decision]]") -> "Visit":
        """Return the visit with a customer's decisions on lines, given by line id; other lines are unchanged."""
        by_line = dict(decisions)
        lines = tuple(
            evolve(line, decision=by_line[line.id]) if line.id in by_line else line for line in self.lines
        )
        return evolve(self, estimate=evolve(self.estimate, lines=lines))


@frozen(kw_only=True)
class VisitSummary:
    """A visit in a list; ``total`` is in cents."""

    number: str
    status: Status
    vin: str | None
    vehicle: str
    customer_name: str | None
    valid_until: date
    line_count: int
    total: Cents
    created_at: datetime
    updated_at: datetime
    version: int
