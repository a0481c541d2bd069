"""Input for visits, with money in dollars."""

from datetime import date
from typing import Annotated, Final, TypeAlias

from attrs import frozen

from repaircore.facilities.zip_code import ZipCode
from repaircore.kernel.emails import Email
from repaircore.kernel.money import Cents, cents
from repaircore.kernel.rules import DateRange, Length, PlainText, Range, WholeCents, YearRange
from repaircore.visits.charges import USUAL_SUPPLIES
from repaircore.visits.model import MOST_LINES, Charges, Discount, LineKind, Supplies

_MOST_DOLLARS: Final = 1_000_000
_MOST_HOURS: Final = 1_000
_MOST_PIECES: Final = 99
_MOST_TAX: Final = 25
_MOST_ID: Final = 2**31 - 1
_MOST_VERSION: Final = 2**63 - 1

_Dollars: TypeAlias = Annotated[float, Range(0, _MOST_DOLLARS), WholeCents()]
_Percentage: TypeAlias = Annotated[float, Range(0, 100)]
_Name: TypeAlias = Annotated[str, PlainText(1, 100)]
_Short: TypeAlias = Annotated[str, PlainText(0, 100)]


@frozen(kw_only=True)
class VisitLineInput:
    """A line: a repair by its id or slug, or a line of the shop's own with a ``description`` and a unit ``price``.

    ``kind`` is for the shop's own lines; labor may have ``labor_hours``, at the region's rate, instead of a price.
    ``id`` identifies a line of the stored visit.
    """

    problem_identifier: str | None = None
    kind: LineKind | None = None
    description: Annotated[str, PlainText(1, 200)] | None = None
    parts_tier: str | None = None
    quantity: Annotated[int, Range(1, _MOST_PIECES)] = 1
    price: _Dollars | None = None
    labor_hours: Annotated[float, Range(0, _MOST_HOURS)] | None = None
    id: Annotated[int, Range(1, _MOST_ID)] | None = None

    @property
    def price_in_cents(self) -> Cents | None:
        """Return the unit price in cents, or None if there is none."""
        return _cents_or_none(self.price)


@frozen(kw_only=True)
class SuppliesInput:
    """The charge for shop supplies: a percentage of labor up to a cap, or a fixed amount.

    An empty object means the usual charge.
    """

    percent: _Percentage | None = None
    cap: _Dollars | None = None
    amount: _Dollars | None = None

    def supplies(self) -> Supplies:
        """Return the charge with amounts in cents; a cap alone applies to the usual percentage."""
        if self.percent is None and self.cap is None and self.amount is None:
            return USUAL_SUPPLIES
        percent = USUAL_SUPPLIES.percent if self.percent is None else self.percent
        return Supplies(
            percent=percent if self.amount is None else None,
            cap=_cents_or_none(self.cap),
            amount=_cents_or_none(self.amount),
        )


@frozen(kw_only=True)
class DiscountInput:
    """A discount on parts and labor: a percentage, or a fixed amount."""

    percent: _Percentage | None = None
    amount: _Dollars | None = None


@frozen(kw_only=True)
class EstimateVisit:
    """Several repairs on one vehicle, given by VIN or by year, make and model, in one place.

    If ``sales_tax`` is false, it is left out; ``sales_tax_percent`` is the rate of the place, if known. ``force`` also
    estimates repairs that do not fit the vehicle.
    """

    vin: str | None = None
    year: Annotated[int, YearRange(1900, 2100)] | None = None
    make: _Name | None = None
    model: _Name | None = None
    trim: _Short | None = None
    engine: _Short | None = None
    zip_code: ZipCode
    mileage: Annotated[int, Range(0, 2_000_000)] | None = None
    lines: Annotated[list[VisitLineInput], Length(1, MOST_LINES)]
    shop_supplies: SuppliesInput | None = None
    discount: DiscountInput | None = None
    sales_tax: bool = True
    sales_tax_percent: Annotated[float, Range(0, _MOST_TAX)] | None = None
    force: bool = False

    def charges(self) -> Charges:
        """Return the charges and deductions, with amounts in cents."""
        given = self.discount
        return Charges(
            supplies=None if self.shop_supplies is None else self.shop_supplies.supplies(),
            discount=None
            if given is None
            else Discount(percent=given.percent, amount=_cents_or_none(given.amount)),
            taxed=self.sales_tax,
            tax_percent=self.sales_tax_percent,
        )


@frozen(kw_only=True)
class CustomerInput:
    """The customer of a visit."""

    name: Annotated[str, PlainText(0, 200)] | None = None
    email: Annotated[str, Email()] | None = None
    phone: Annotated[str, PlainText(0, 50)] | None = None


@frozen(kw_only=True)
class CreateVisit(EstimateVisit):
    """A visit to store, with its customer.

    ``valid_until`` defaults to today plus the number of days that the caller's shop specifies (30 without a shop).
    """

    customer: CustomerInput | None = None
    notes: Annotated[str, PlainText(0, 5_000, lines=True)] | None = None
    facility_id: Annotated[int, Range(1, 2**63 - 1)] | None = None
    valid_until: Annotated[date, DateRange(date(2000, 1, 1), date(2200, 12, 31))] | None = None


@frozen(kw_only=True)
class UpdateVisit(CreateVisit):
    """A whole visit that replaces the stored one; ``version`` is the version that the changes are based on."""

    version: int


@frozen(kw_only=True)
class ActOnVisit:
    """The version of the visit that the caller has seen."""

    version: Annotated[int, Range(1, _MOST_VERSION)]


@frozen(kw_only=True)
class SendVisit(ActOnVisit):
    """The version of the visit that the caller has seen, and whether to send its customer the link by e-mail."""

    by_mail: bool = False


def _cents_or_none(amount: float | None) -> Cents | None:
    return None if amount is None else cents(amount)
