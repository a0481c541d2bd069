"""Ports of the garage."""

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
        """Store a vehicle, which is registered for its owner; return False if it is already in the garage."""

    def find(self, vehicle: str, *, environment: Environment, owner_id: int) -> GarageVehicle | None:
        """Return an owner's vehicle by its id or VIN, or None."""

    def update(self, old: GarageVehicle, new: GarageVehicle) -> GarageVehicle:
        """Replace the labels of a vehicle, and return it with its new version; its outlook is outdated.

        Raises:
            GarageVehicleChanged: the stored vehicle is no longer ``old``.
            NotInGarage: it was removed.
        """

    def track_from(self, vehicle_id: UUID, miles: int) -> None:
        """Save the odometer from which services are tracked, unless it is already known."""

    def remove(self, vehicle_id: UUID) -> bool:
        """Remove a vehicle from the garage, with its outlook; its signals and schedules stay. Return whether it was there."""

    def list_departments(self, *, environment: Environment, owner_id: int) -> Sequence[str]:
        """List the departments of an owner's vehicles by name."""

    def list_makes(self, *, environment: Environment, owner_id: int) -> Sequence[str]:
        """List the makes of an owner's vehicles by name."""

    def page(self, wanted: GarageFilter, request: PageRequest, *, today: date) -> Page[ListedVehicle]:
        """List vehicles in an order of ``VEHICLE_SORTS``, by name unless another order is requested.

        Unknown values come last when the most urgent come first: the least units, days and health, and the most of all others.

        Raises:
            Invalid: on ``sort`` and ``cursor``.
        """

    def get_listed(self, vehicle_id: UUID, *, today: date) -> ListedVehicle:
        """Return a vehicle as lists show it.

        Raises:
            NotInGarage: it was removed.
        """


class GarageOutlooks(Protocol):
    """What vehicles need and cost, as last computed."""

    def list_outdated(
        self, *, before: date, environment: Environment | None, owner_id: int | None, limit: int
    ) -> Sequence[GarageVehicle]:
        """List vehicles whose outlook is missing, outdated or from before a day; None means all environments or owners."""

    def is_valid(self, vehicle_id: UUID, *, on: date) -> bool:
        """Return whether the outlook of a vehicle was computed on a day, and nothing has changed since."""

    def unplanned_of(self, vehicle_id: UUID) -> CostSum | None:
        """Return what unplanned repairs of a vehicle cost in a year; None where nothing is priced."""

    def load_records(
        self, vehicles: Collection[GarageVehicle], *, since: date
    ) -> Mapping[UUID, VehicleRecords]:
        """Load what is stored about some vehicles, in a few queries for all of them.

        Odometers and costs are those since a day, and the newest reading. Transactions belong to the installation, so only admins'
        vehicles and its own have them.
        """

    def save(self, outlooks: Collection[Outlook]) -> None:
        """Replace the outlooks of some vehicles; nothing is stored for those that were removed meanwhile."""

    def sums(self, wanted: GarageFilter, *, today: date) -> FleetSums:
        """Add up the outlooks of an owner's vehicles that match a filter, however many these are, in a few queries."""

    def list_paid(self, wanted: GarageFilter, *, since: date, today: date) -> Sequence[PaidCosts]:
        """List what was paid since a day for each of an owner's vehicles that match a filter."""

    def page_of_services(
        self, wanted: GarageFilter, request: PageRequest, *, due_by: date, today: date
    ) -> Page[ListedService]:
        """List the services that are due by a day, by their days (``due_on``).

        Raises:
            Invalid: on ``sort`` and ``cursor``.
        """

    def services_of(self, vehicle_id: UUID) -> Sequence[VehicleService]:
        """List the next occurrence of each service of a vehicle, by day."""

    def months_of(self, vehicle_id: UUID, *, today: date) -> Sequence[MonthCost]:
        """Return what the services of each coming month cost; months without any are left out."""


class GarageReminders(Protocol):
    """The settings of garages, and who was reminded of what."""

    def settings(self, *, environment: Environment, owner_id: int) -> GarageSettings:
        """Return the settings of an owner's garage; the defaults until they are saved."""

    def save_settings(self, settings: GarageSettings, *, environment: Environment, owner_id: int) -> None:
        """Save the settings of an owner's garage. Another ZIP code outdates the outlooks of its vehicles."""

    def list_owners(self, *, due_by: date) -> Sequence[tuple[Environment, int]]:
        """List the owners with services that are due by a day and that they were not reminded of.

        The installation, to which nobody can send anything, and locked accounts are left out.
        """

    def claim(
        self, environment: Environment, owner_id: int, *, due_by: date, at: datetime, limit: int
    ) -> Reminder | None:
        """Mark an owner's services that are due by a day as reminded, and return those that were not marked before.

        None if there are none. Each occurrence of a service is returned once, even to concurrent callers.
        """


class GarageWork(FleetWork, Protocol):
    """The part of a unit of work that the garage needs."""

    @property
    def garage(self) -> GarageRecords:
        """The vehicles."""

    @property
    def garage_outlooks(self) -> GarageOutlooks:
        """What they need and cost."""

    @property
    def garage_reminders(self) -> GarageReminders:
        """The settings, and who was reminded of what."""

    @property
    def outbox(self) -> Outbox:
        """The events that webhooks receive."""

    @property
    def messages(self) -> MessageRecords:
        """The stored messages."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[GarageWork]]
"""Open a unit of work: committed when the block ends, rolled back when it raises."""

HealthOf: TypeAlias = Callable[[FleetVehicle], HealthReport]
"""Score a vehicle's health."""

UpkeepOf: TypeAlias = Callable[[VehicleSpecs], Cents]
"""Return what a vehicle costs its owner in a usual year, services and repairs alike."""

ValueOf: TypeAlias = Callable[[VehicleSpecs, int | None], Valuation]
"""Return what a vehicle with these miles (None: the usual ones for its age) is worth today."""
