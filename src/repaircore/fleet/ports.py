"""Ports for fleets."""

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
    """Registered fleet vehicles. Those of other owners, or of the other environment, are never returned."""

    def by_id(self, vehicle_id: UUID, *, environment: Environment, owner_id: int) -> FleetVehicle | None:
        """Return an owner's vehicle by its id, or None if there is none."""

    def by_vin(self, vin: str, *, environment: Environment, owner_id: int) -> FleetVehicle | None:
        """Return an owner's oldest vehicle with exactly this VIN, or None if there is none.

        A VIN of 17 characters does not match one of 11.
        """

    def register(self, vehicle: FleetVehicle) -> FleetVehicle:
        """Store a vehicle whose shared record is already stored, and return it.

        If the owner already has a vehicle with the same VIN, return that one instead.

        Raises:
            Conflict: the shared record was deleted meanwhile.
        """


class Signals(Protocol):
    """The stored signals of registered vehicles."""

    def add(self, vehicle_id: UUID, reading: SignalReading, *, source: SignalSource, at: datetime) -> None:
        """Store each signal of a reading with its time.

        A signal that equals the last one stored for exactly that time is skipped: a parked car sends the same reading
        again.
        """

    def newest(self, vehicle_id: UUID) -> Mapping[SignalKind, Signal]:
        """Return the newest signal of each kind; on a tie, the one that was stored last."""

    def page(self, vehicle_id: UUID, *, kind: SignalKind | None, number: int, per_page: int) -> Page[Signal]:
        """Return a page of a vehicle's signals, of one kind or of all (None), newest first."""


class FleetWork(Protocol):
    """The part of a unit of work that fleets need."""

    @property
    def fleet_vehicles(self) -> FleetVehicles:
        """Registered fleet vehicles."""

    @property
    def signals(self) -> Signals:
        """The signals of fleet vehicles."""

    @property
    def audit(self) -> AuditLog:
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[FleetWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
