"""Vehicle bills as clients see them over HTTP and at the command line."""

from datetime import date, datetime
from typing import Self
from uuid import UUID

from repaircore.kernel.money import dollars
from repaircore.kernel.views import Count, Dollars, view
from repaircore.vehicle_bills.model import VehicleBill


@view
class VehicleBillView:
    """A bill that was paid for a vehicle."""

    id: UUID
    on: date
    total: Dollars
    title: str
    problem_identifier: str | None
    shop_name: str | None
    mileage: Count | None
    created_at: datetime

    @classmethod
    def of(cls, bill: VehicleBill) -> Self:
        """Return the view of a bill."""
        return cls(
            id=bill.id,
            on=bill.on,
            total=dollars(bill.total),
            title=bill.title,
            problem_identifier=bill.problem_slug,
            shop_name=bill.shop_name,
            mileage=bill.mileage,
            created_at=bill.created_at,
        )
