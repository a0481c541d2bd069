"""Fleet vehicles in the database."""

from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import translating_errors, upsert
from repaircore.adapters.sql.schema.fleet import fleet_vehicles
from repaircore.adapters.sql.schema.vehicles import vehicles
from repaircore.adapters.sql.vehicles import vehicle_of
from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.ports import FleetVehicles
from repaircore.kernel.callers import Environment

_OWN: Final = ("id", "environment", "owner_id", "vin", "created_at")
FLEET_VEHICLES: Final = sa.select(
    vehicles, *(fleet_vehicles.c[name].label(f"own_{name}") for name in _OWN)
).join_from(fleet_vehicles, vehicles, vehicles.c.id == fleet_vehicles.c.vehicle_id)
"""Fleet vehicles with their records: see ``fleet_vehicle_of``."""


class SqlFleetVehicles(FleetVehicles):
    """Registered fleet vehicles."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def by_id(self, vehicle_id: UUID, *, environment: Environment, owner_id: int) -> FleetVehicle | None:
        return self._find(fleet_vehicles.c.id == str(vehicle_id), environment, owner_id)

    @override
    def by_vin(self, vin: str, *, environment: Environment, owner_id: int) -> FleetVehicle | None:
        return self._find(fleet_vehicles.c.vin == vin, environment, owner_id)

    @override
    def register(self, vehicle: FleetVehicle) -> FleetVehicle:
        owned: dict[str, Any] = {"environment": vehicle.environment, "owner_id": vehicle.owner_id}
        existing = self.by_vin(vehicle.vin, **owned)
        if existing is not None:
            return existing
        insert = upsert(self._connection, fleet_vehicles).values(
            id=str(vehicle.id),
            vin=vehicle.vin,
            vehicle_id=str(vehicle.vehicle.id),
            created_at=micros(vehicle.created_at),
            **owned,
        )
        with translating_errors():
            # Of two concurrent registrations the first row counts for both.
            self._connection.execute(insert.on_conflict_do_nothing())
        return self.by_vin(vehicle.vin, **owned) or evolve(vehicle, is_registered=True)

    def _find(
        self, which: "sa.ColumnElement[bool]", environment: Environment, owner_id: int
    ) -> FleetVehicle | None:
        owned = (fleet_vehicles.c.environment == environment, fleet_vehicles.c.owner_id == owner_id)
        oldest = (fleet_vehicles.c.created_at, fleet_vehicles.c.id)
        found = FLEET_VEHICLES.where(which, *owned).order_by(*oldest).limit(1)
        row = self._connection.execute(found).one_or_none()
        return None if row is None else fleet_vehicle_of(row)


def fleet_vehicle_of(row: "Row[Any]") -> FleetVehicle:
    """Return the fleet vehicle of a row of ``FLEET_VEHICLES``."""
    return FleetVehicle(
        id=UUID(row.own_id),
        environment=Environment(row.own_environment),
        owner_id=row.own_owner_id,
        vin=row.own_vin,
        vehicle=vehicle_of(row),
        created_at=moment(row.own_created_at),
    )
