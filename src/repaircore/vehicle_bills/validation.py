"""Input for vehicle bills."""

from datetime import date, datetime
from typing import Annotated, Final
from uuid import UUID

from attrs import frozen

from repaircore.book.model import Problem
from repaircore.fleet.validation import Mileage
from repaircore.kernel.money import cents
from repaircore.kernel.rules import DateRange, PlainText, Range, WholeCents
from repaircore.kernel.texts import stripped
from repaircore.vehicle_bills.model import VehicleBill

_MOST_DOLLARS: Final = 1_000_000


@frozen(kw_only=True)
class RecordBill:
    """A bill that was paid for a vehicle: its ``total`` in dollars with tax, and what it was for.

    ``problem_identifier`` is a repair in the book, which then counts as done on that day; otherwise, ``title``
    describes the work. One of them is required.
    """

    on: Annotated[date, DateRange(date(1950, 1, 1), date(2100, 12, 31))]
    total: Annotated[float, Range(0.01, _MOST_DOLLARS), WholeCents()]
    title: Annotated[str, PlainText(0, 200)] | None = None
    problem_identifier: str | None = None
    shop_name: Annotated[str, PlainText(0, 100)] | None = None
    mileage: Mileage | None = None


def bill_of(
    bill: RecordBill,
    problem: Problem | None,
    *,
    id: UUID,  # noqa: A002 - the field's name
    vehicle_id: UUID,
    at: datetime,
) -> VehicleBill:
    """Return the stored form of a valid bill; its title defaults to the name of its repair."""
    return VehicleBill(
        id=id,
        vehicle_id=vehicle_id,
        on=bill.on,
        total=cents(bill.total),
        title=(bill.title or "").strip() or ("" if problem is None else problem.name),
        problem_slug=None if problem is None else problem.slug,
        shop_name=stripped(bill.shop_name),
        mileage=bill.mileage,
        created_at=at,
    )
