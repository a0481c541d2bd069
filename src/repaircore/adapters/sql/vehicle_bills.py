"""Vehicle bills in the database."""

from typing import Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.outdated_outlooks import outdate_outlook
from repaircore.adapters.sql.schema.fleet import fleet_vehicles
from repaircore.adapters.sql.schema.garage import vehicle_bills as bills
from repaircore.kernel.paging import Page, PageRequest
from repaircore.vehicle_bills.errors import TooManyBills
from repaircore.vehicle_bills.model import MOST_BILLS, VehicleBill
from repaircore.vehicle_bills.ports import BillRecords

BILLS: Final = RowCodec(VehicleBill, {"vehicle_id": "fleet_vehicle_id", "on": "paid_on"})
"""Converts rows of ``vehicle_bills`` to bills and back."""

_ORDERS: Final = Orders(
    of="bills", columns={"on": bills.c.paid_on, "total": bills.c.total}, id=bills.c.id, usual="-on"
)


class SqlVehicleBills(BillRecords):
    """The stored bills."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, bill: VehicleBill) -> None:
        # Writers of one vehicle's bills wait for each other, so that they do not exceed the limit together.
        vehicle = fleet_vehicles.c.id == str(bill.vehicle_id)
        self._connection.execute(sa.update(fleet_vehicles).where(vehicle).values(vin=fleet_vehicles.c.vin))
        count = sa.select(sa.func.count()).where(bills.c.fleet_vehicle_id == str(bill.vehicle_id))
        if self._connection.execute(count).scalar_one() >= MOST_BILLS:
            raise TooManyBills
        self._connection.execute(sa.insert(bills).values(BILLS.write(bill)))
        outdate_outlook(self._connection, bill.vehicle_id)

    @override
    def page(self, vehicle_id: UUID, request: PageRequest) -> Page[VehicleBill]:
        query = sa.select(bills).where(bills.c.fleet_vehicle_id == str(vehicle_id))
        return listed(self._connection, query, request, _ORDERS, BILLS.read)

    @override
    def remove(self, vehicle_id: UUID, bill_id: UUID) -> VehicleBill | None:
        deleted = (
            sa.delete(bills)
            .where(bills.c.fleet_vehicle_id == str(vehicle_id), bills.c.id == str(bill_id))
            .returning(*bills.c)
        )
        row = self._connection.execute(deleted).one_or_none()
        if row is None:
            return None
        outdate_outlook(self._connection, vehicle_id)
        return BILLS.read(row)
