"""Vehicle bills, their limit, and how lists of them can be sorted."""

from datetime import date, datetime
from typing import Final
from uuid import UUID

from attrs import frozen

from repaircore.kernel.money import Cents

BILL_SORTS: Final = ("on", "total")
"""The fields by which a list of bills can be sorted."""

MOST_BILLS: Final = 2_000
"""How many bills a vehicle may have."""


@frozen(kw_only=True)
class VehicleBill:
    """A payment for a vehicle on a day; ``total`` is in cents and includes tax.

    ``problem_slug`` is the repair in the book that it was for, or None for other work or for several repairs.
    """

    id: UUID
    vehicle_id: UUID
    on: date
    total: Cents
    title: str
    problem_slug: str | None = None
    shop_name: str | None = None
    mileage: int | None = None
    created_at: datetime
