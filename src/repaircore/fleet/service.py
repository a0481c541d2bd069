"""Use cases for fleet vehicles and their signals."""

from collections.abc import Mapping
from typing import TYPE_CHECKING
from uuid import UUID

from attrs import evolve, frozen

from repaircore.fleet.errors import FleetVehicleNotFound
from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.ports import OpenWork
from repaircore.fleet.signals import Signal, SignalKind
from repaircore.kernel.callers import LOCAL, Caller, owner_of
from repaircore.kernel.errors import Invalid
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.types import Clock, Lazy, NewId
from repaircore.vehicles import vin as vins

if TYPE_CHECKING:
    from repaircore.vehicles.service import Vehicles


@frozen(kw_only=True)
class Fleet:
    """Use cases for fleets. Every user, admins included, has their own vehicles."""

    transaction: OpenWork
    read: OpenWork
    vehicles: "Lazy[Vehicles]"
    new_id: NewId
    clock: Clock

    def resolve(self, vehicle: str, caller: Caller = LOCAL, *, field: str = "vehicle") -> FleetVehicle:
        """Return the caller's vehicle with the given id or VIN; a VIN that is not registered is decoded.

        Nothing is stored. ``field`` is the name of the input in errors.

        Raises:
            FleetVehicleNotFound: the caller has no vehicle with this id.
            Invalid: on ``field``: it is neither an id nor a VIN.
            VehicleNotFound: the VIN is unknown.
            Unavailable: the VIN can only be decoded remotely, and the decoder is not responding.
        """
        vehicle_id = parse_uuid(vehicle)
        if vehicle_id is None:
            return self._by_vin(vehicle, caller, field)
        return self._by_id(vehicle_id, caller)

    def register(self, vehicle: str, caller: Caller = LOCAL, *, field: str = "vehicle") -> FleetVehicle:
        """Return the caller's vehicle with the given id or VIN, registering it for the caller if necessary.

        Raises:
            FleetVehicleNotFound, Invalid, VehicleNotFound, Unavailable: as for ``resolve``.
            Conflict: the record that the vehicle shares with others was deleted meanwhile.
        """
        found = self.resolve(vehicle, caller, field=field)
        if found.is_registered:
            return found
        record = self.vehicles().resolve(found.vin)
        with self.transaction() as work:
            return work.fleet_vehicles.register(evolve(found, vehicle=record))

    def signals(self, vehicle: FleetVehicle) -> Mapping[SignalKind, Signal]:
        """Return the newest signal of each kind; a vehicle that is not registered has none."""
        if not vehicle.is_registered:
            return {}
        with self.read() as work:
            return work.signals.newest(vehicle.id)

    def history(
        self,
        vehicle: str,
        caller: Caller = LOCAL,
        *,
        kind: SignalKind | None = None,
        number: int = 1,
        per_page: int = PER_PAGE,
        field: str = "vehicle",
    ) -> Page[Signal]:
        """List the signals of a vehicle, newest first; a page beyond the last is empty.

        Raises:
            FleetVehicleNotFound, VehicleNotFound, Unavailable: as for ``resolve``.
            Invalid: as for ``resolve`` and ``require_page``.
        """
        require_page(number, per_page)
        found = self.resolve(vehicle, caller, field=field)
        if not found.is_registered:
            return Page(items=(), number=number, per_page=per_page, total=0)
        with self.read() as work:
            return work.signals.page(found.id, kind=kind, number=number, per_page=per_page)

    def _by_id(self, vehicle_id: UUID, caller: Caller) -> FleetVehicle:
        with self.read() as work:
            found = work.fleet_vehicles.by_id(
                vehicle_id, environment=caller.environment, owner_id=owner_of(caller)
            )
        if found is None:
            raise FleetVehicleNotFound
        return found

    def _by_vin(self, text: str, caller: Caller, field: str) -> FleetVehicle:
        vin = vins.normalize(text)
        errors = vins.validate(vin)
        if errors:
            raise Invalid({field: errors})
        environment, owner_id = caller.environment, owner_of(caller)
        with self.read() as work:
            registered = work.fleet_vehicles.by_vin(vin, environment=environment, owner_id=owner_id)
        if registered is not None:
            return registered
        return FleetVehicle(
            id=self.new_id(),
            environment=environment,
            owner_id=owner_id,
            vin=vin,
            vehicle=self.vehicles().resolve_unsaved(vin),
            created_at=self.clock(),
            is_registered=False,
        )
