"""Fleet vehicles: found by id or by VIN, kept once their owner tells of them, and what was told of them."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.fleet.errors import FleetVehicleNotFound
from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.ports import OpenWork
from repaircore.fleet.signals import Signal, SignalKind
from repaircore.kernel.callers import LOCAL, Caller, owner_of
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.types import Clock, Lazy, NewId
from repaircore.vehicles import vin as vins

if TYPE_CHECKING:
    from repaircore.vehicles.service import Vehicles


_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


@frozen(kw_only=True)
class Fleet:
    """The use cases of fleet vehicles. Everybody has vehicles of their own, admins too."""

    transaction: OpenWork
    read: OpenWork
    vehicles: "Lazy[Vehicles]"
    new_id: NewId
    clock: Clock

    def resolve(self, vehicle: str, caller: Caller = LOCAL, *, field: str = "vehicle") -> FleetVehicle:
        """Give the caller's vehicle of an id or a VIN; a VIN that they have not told of is decoded.

        Nothing is kept. ``field`` is what a door calls the text.

        Raises:
            FleetVehicleNotFound: the caller has no vehicle of this id; another may.
            Invalid: on ``field``: it is neither an id nor a VIN.
            VehicleNotFound: nobody knows the VIN.
            Unavailable: only a remote decoder could know it, and it does not answer.
        """
        vehicle_id = id_told(vehicle)
        if vehicle_id is None:
            return self._by_vin(vehicle, caller, field)
        return self._by_id(vehicle_id, caller)

    def register(self, vehicle: str, caller: Caller = LOCAL, *, field: str = "vehicle") -> FleetVehicle:
        """Give the caller's vehicle of an id or a VIN; one that they have not told of is theirs from now on.

        Raises:
            FleetVehicleNotFound, Invalid, VehicleNotFound, Unavailable: as for ``resolve``.
        """
        found = self.resolve(vehicle, caller, field=field)
        if found.is_kept:
            return found
        record = self.vehicles().resolve(found.vin)
        with self.transaction() as work:
            return work.fleet_vehicles.register(evolve(found, vehicle=record))

    def signals(self, vehicle: FleetVehicle) -> Mapping[SignalKind, Signal]:
        """Give the newest signal of each kind that the owner, or the car, has told; none of one that is not kept."""
        if not vehicle.is_kept:
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
        """List what was told of a vehicle, the newest first; a page beyond the last is empty.

        Raises:
            FleetVehicleNotFound, VehicleNotFound, Unavailable: as for ``resolve``.
            Invalid: as for ``resolve``, and as ``require_page`` says.
        """
        require_page(number, per_page)
        found = self.resolve(vehicle, caller, field=field)
        if not found.is_kept:
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
        faults = vins.validate(vin)
        if faults:
            raise Invalid({field: faults})
        environment, owner_id = caller.environment, owner_of(caller)
        with self.read() as work:
            kept = work.fleet_vehicles.by_vin(vin, environment=environment, owner_id=owner_id)
        if kept is not None:
            return kept
        now: datetime = self.clock()
        return FleetVehicle(
            id=self.new_id(),
            environment=environment,
            owner_id=owner_id,
            vin=vin,
            vehicle=self.vehicles().resolve_unsaved(vin),
            created_at=now,
            is_kept=False,
        )


def id_told(text: str) -> UUID | None:
    """Read an id; None when the text is none."""
    return UUID(text) if _ID.fullmatch(text) else None
