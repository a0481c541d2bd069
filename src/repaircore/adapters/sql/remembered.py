"""Remembered answers in the database, as far as vehicles are concerned."""

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.tables import remembered
from repaircore.kernel.callers import Environment
from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.ports import RememberedAnswers

__all__ = ["SqlAnswers"]


class SqlAnswers(RememberedAnswers):
    """What was answered about vehicles and is still remembered."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def forget(self, vehicle: Vehicle) -> None:
        keys = [key for key in (vehicle.vin11, str(vehicle.id)) if key is not None]
        # Both environments are named, for the index begins with them.
        self._connection.execute(
            sa.delete(remembered).where(
                remembered.c.environment.in_([*Environment]), remembered.c.vehicle_key.in_(keys)
            )
        )
