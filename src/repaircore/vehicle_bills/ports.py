"""Ports for vehicle bills."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias
from uuid import UUID

from repaircore.book.model import Problem
from repaircore.garage.model import GarageVehicle
from repaircore.kernel.callers import Caller
from repaircore.kernel.paging import Page, PageRequest
from repaircore.vehicle_bills.model import VehicleBill


class BillRecords(Protocol):
    """The stored bills of vehicles."""

    def add(self, bill: VehicleBill) -> None:
        """Store a bill, and mark the outlook for its vehicle as outdated.

        Raises:
            TooManyBills: the vehicle already has ``MOST_BILLS``.
        """

    def page(self, vehicle_id: UUID, request: PageRequest) -> Page[VehicleBill]:
        """Return a page of a vehicle's bills, newest first unless sorted by one of ``BILL_SORTS``.

        Raises:
            Invalid: on ``sort`` or ``cursor``.
        """

    def remove(self, vehicle_id: UUID, bill_id: UUID) -> VehicleBill | None:
        """Delete a bill and mark the outlook for its vehicle as outdated.

        Return the bill, or None if there is none.
        """


class BillsWork(Protocol):
    """The part of a unit of work that bills need."""

    @property
    def vehicle_bills(self) -> BillRecords:
        """The stored bills."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[BillsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""

FindVehicle: TypeAlias = Callable[[str, Caller], GarageVehicle]
"""Return the vehicle in a caller's garage with an id or VIN; raise ``NotInGarage`` if it is not there."""

FindProblem: TypeAlias = Callable[[str], Problem | None]
"""Return the repair in the book with an identifier, or None."""
