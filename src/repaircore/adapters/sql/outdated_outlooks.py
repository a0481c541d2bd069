"""Mark garage outlooks as outdated, in the transaction that changes what they are based on."""

from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.schema.fleet import fleet_vehicles
from repaircore.adapters.sql.schema.garage import garage_outlooks
from repaircore.kernel.callers import Environment

NEVER = ""
"""The ``valid_on`` of an outlook that is not valid on any day: it sorts before every date."""


def outdate_outlook(connection: Connection, vehicle_id: UUID) -> None:
    """Mark a vehicle's outlook as outdated; do nothing if the vehicle is not in a garage."""
    connection.execute(_OUTDATE.where(garage_outlooks.c.fleet_vehicle_id == str(vehicle_id)))


def outdate_outlooks_of(connection: Connection, vin: str, *, environment: Environment, owner_id: int) -> None:
    """Mark the outlook for an owner's vehicle with this VIN as outdated."""
    of_vin = sa.select(fleet_vehicles.c.id).where(
        fleet_vehicles.c.environment == environment,
        fleet_vehicles.c.owner_id == owner_id,
        fleet_vehicles.c.vin == vin,
    )
    connection.execute(_OUTDATE.where(garage_outlooks.c.fleet_vehicle_id.in_(of_vin)))


def outdate_all(connection: Connection, *, environment: Environment, owner_id: int) -> None:
    """Mark the outlooks for all of an owner's vehicles as outdated."""
    owned = sa.select(fleet_vehicles.c.id).where(
        fleet_vehicles.c.environment == environment, fleet_vehicles.c.owner_id == owner_id
    )
    connection.execute(_OUTDATE.where(garage_outlooks.c.fleet_vehicle_id.in_(owned)))


_OUTDATE = sa.update(garage_outlooks).values(valid_on=NEVER)
