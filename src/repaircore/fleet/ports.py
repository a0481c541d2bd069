"""What fleets need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias
from uuid import UUID

from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.signals import Signal, SignalKind, SignalReading, SignalSource
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page


class FleetVehicles(Protocol):
    """The kept fleet vehicles. Whose is not the owner's, or of the other environment, is never given."""

    @abstractmethod
    def by_id(self, vehicle_id: UUID, *, environment: Environment, owner_id: int) -> FleetVehicle | None:
        """Find an owner's vehicle by its id."""

    @abstractmethod
    def by_vin(self, vin: str, *, environment: Environment, owner_id: int) -> FleetVehicle | None:
        """Find an owner's vehicle by its VIN as it was told: 11 characters are not found by 17, and of several the oldest."""

    @abstractmethod
    def register(self, vehicle: FleetVehicle) -> FleetVehicle:
        """Keep a vehicle, whose record is kept already; one that is kept with the same VIN comes back instead.

        Raises:
            Conflict: the record is gone.
        """


class Signals(Protocol):
    """The kept signals."""

    @abstractmethod
    def keep(self, vehicle_id: UUID, reading: SignalReading, *, source: SignalSource, at: datetime) -> None:
        """Keep each signal of a reading with its time; what was told before stays.

        The same reading may come again, as of a car that sleeps: what was told last of that very time is not kept twice.
        """

    @abstractmethod
    def newest(self, vehicle_id: UUID) -> Mapping[SignalKind, Signal]:
        """Give the newest signal of each kind; of two of one time the one that was kept last."""

    @abstractmethod
    def page(self, vehicle_id: UUID, *, kind: SignalKind | None, number: int, per_page: int) -> Page[Signal]:
        """List the signals of a vehicle, of one kind or (None) of all, the newest first."""


class FleetWork(Protocol):
    """The part of a unit of work that fleets need."""

    @property
    @abstractmethod
    def fleet_vehicles(self) -> FleetVehicles:
        """The kept fleet vehicles."""

    @property
    @abstractmethod
    def signals(self) -> Signals:
        """What was told of them."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[FleetWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
