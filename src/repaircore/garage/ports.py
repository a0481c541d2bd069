"""Ports for the garage."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from typing import Protocol, TypeAlias
from uuid import UUID

from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.ports import FleetWork
from repaircore.garage.model import (
    FleetSums,
    GarageFilter,
    GarageSettings,
    GarageVehicle,
    ListedService,
    ListedVehicle,
    MonthCost,
    Outlook,
    PaidCosts,
    Reminder,
    VehicleRecords,
    VehicleService,
)
from repaircore.health.service import HealthReport
from repaircore.kernel.callers import Environment
from repaircore.kernel.events import Outbox
from repaircore.kernel.money import Cents
from repaircore.kernel.paging import Page, PageRequest
from repaircore.messages.ports import MessageRecords
from repaircore.pricing.sums import CostSum
from repaircore.valuation.depreciation import Valuation
from repaircore.vehicle_facts.model import VehicleSpecs


class GarageRecords(Protocol):
    """Vehicles in garages. Those of other owners, or of the other environment, are never returned."""

    def count(self, *, environment: Environment, owner_id: int) -> int:
        """Count the vehicles of an owner."""

    def add(self, vehicle: GarageVehicle) -> bool:
        """Store a vehicle that is registered for its owner; return False if it is already in the garage."""

    def find(self, vehicle: str, *, environment: Environment, owner_id: int) -> GarageVehicle | None:
        """Return an owner's vehicle by its id or VIN, or None if there is none."""

    def update(self, old: GarageVehicle, new: GarageVehicle) -> GarageVehicle:
        """Replace the labels of a vehicle, mark its outlook as outdated, and return the vehicle with its new version.

        Raises:
            GarageVehicleChanged: the stored vehicle is no longer ``old``.
            NotInGarage: it was removed.
        """

    def track_from(self, vehicle_id: UUID, miles: int) -> None:
        """Save the odometer from which services are tracked, unless it is already known."""

    def remove(self, vehicle_id: UUID) -> bool:
        """Remove a vehicle and its outlook from the garage, but keep its signals, schedules and bills.

        Return whether it was there.
        """

    def list_departments(self, *, environment: Environment, owner_id: int) -> Sequence[str]:
        """List the departments of an owner's vehicles by name."""

    def list_makes(self, *, environment: Environment, owner_id: int) -> Sequence[str]:
        """List the makes of an owner's vehicles by name."""

    def page(self, wanted: GarageFilter, request: PageRequest, *, today: date) -> Page[ListedVehicle]:
        """List vehicles in an order of ``VEHICLE_SORTS``, by name unless another order is requested.

        Unknown values come last in ascending order of unit number, due date and health score, and in descending order
        of cost, mileage and value.

        Raises:
            Invalid: on ``sort`` or ``cursor``.
        """

    def get_listed(self, vehicle_id: UUID, *, today: date) -> ListedVehicle:
        """Return a vehicle as it appears in lists.

        Raises:
            NotInGarage: it was removed.
        """


class GarageOutlooks(Protocol):
    """What vehicles need and cost, as last computed."""

    def list_outdated(
        self, *, before: date, environment: Environment | None, owner_id: int | None, limit: int
    ) -> Sequence[GarageVehicle]:
        """List up to ``limit`` vehicles whose outlook is missing, outdated or computed before a day.

        An ``environment`` or ``owner_id`` of None means all.
        """

    def is_valid(self, vehicle_id: UUID, *, on: date) -> bool:
        """Return whether the outlook of a vehicle was computed on a day, and nothing has changed since."""

    def unplanned_of(self, vehicle_id: UUID) -> CostSum | None:
        """Return the yearly cost of a vehicle's unplanned repairs, or None without an outlook or without prices."""

    def load_records(
        self, vehicles: Collection[GarageVehicle], *, since: date
    ) -> Mapping[UUID, VehicleRecords]:
        """Load what is stored about the given vehicles, in a few queries for all of them.

        Of the readings, only the first one since a day and the newest one are loaded; costs, and the repairs that were
        paid for, are those since that day.
        Transactions belong to the installation, so only its own vehicles and those of admins have them.
        """

    def save(self, outlooks: Collection[Outlook]) -> None:
        """Replace the outlooks of vehicles; nothing is stored for those that were removed meanwhile."""

    def sums(self, wanted: GarageFilter, *, today: date) -> FleetSums:
        """Add up the outlooks of an owner's vehicles that match a filter, in a few queries for any number of them."""

    def list_paid(self, wanted: GarageFilter, *, since: date, today: date) -> Sequence[PaidCosts]:
        """List what was paid since a day for each of an owner's vehicles that match a filter."""

    def page_of_services(
        self, wanted: GarageFilter, request: PageRequest, *, due_by: date, today: date
    ) -> Page[ListedService]:
        """List the services that are due by a day, sorted by ``due_on``.

        Raises:
            Invalid: on ``sort`` or ``cursor``.
        """

    def services_of(self, vehicle_id: UUID) -> Sequence[VehicleService]:
        """List the next occurrence of each service of a vehicle, by due date."""

    def months_of(self, vehicle_id: UUID, *, today: date) -> Sequence[MonthCost]:
        """Return what the services of each coming month cost; months without services are left out."""


class GarageReminders(Protocol):
    """The settings of garages, and who was reminded of what."""

    def settings(self, *, environment: Environment, owner_id: int) -> GarageSettings:
        """Return the settings of an owner's garage, or the defaults if none were saved."""

    def save_settings(self, settings: GarageSettings, *, environment: Environment, owner_id: int) -> None:
        """Save the settings of an owner's garage; a new ZIP code marks the outlooks of its vehicles as outdated."""

    def list_owners(self, *, due_by: date) -> Sequence[tuple[Environment, int]]:
        """List the owners with services that are due by a day and that they were not reminded of.

        The installation itself, which cannot receive reminders, and locked accounts are left out.
        """

    def claim(
        self, environment: Environment, owner_id: int, *, due_by: date, at: datetime, limit: int
    ) -> Reminder | None:
        """Mark an owner as reminded of the services that are due by a day; return those that are new, or None.

        At most ``limit`` are marked. Each occurrence of a service is returned once, even to concurrent callers.
        There is no ``email`` in the test environment, or if the owner wants none.
        """


class GarageWork(FleetWork, Protocol):
    """The part of a unit of work that the garage needs."""

    @property
    def garage(self) -> GarageRecords:
        """The vehicles in garages."""

    @property
    def garage_outlooks(self) -> GarageOutlooks:
        """What the vehicles need and cost."""

    @property
    def garage_reminders(self) -> GarageReminders:
        """The settings of garages, and who was reminded of what."""

    @property
    def outbox(self) -> Outbox:
        """The events that webhooks receive."""

    @property
    def messages(self) -> MessageRecords:
        """The stored messages."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[GarageWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""

HealthOf: TypeAlias = Callable[[FleetVehicle], HealthReport]
"""Score a vehicle's health."""

UpkeepOf: TypeAlias = Callable[[VehicleSpecs], Cents]
"""Return what a vehicle costs its owner in a usual year, services and repairs alike."""

ValueOf: TypeAlias = Callable[[VehicleSpecs, int | None], Valuation]
"""Return what a vehicle with these miles (None means the usual miles for its age) is worth today."""
