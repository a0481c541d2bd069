"""License plates in the database."""

from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.vehicles import plates
from repaircore.kernel.callers import Environment
from repaircore.vehicles.model import Plate, StoredPlate
from repaircore.vehicles.ports import PlateRecords

_KEY = ("environment", "state", "number")
_VALUES = ("vin", "vehicle_id", "source", "reported_at")


class SqlPlates(PlateRecords):
    """Stored plates."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def find(self, plate: Plate, *, environment: Environment) -> StoredPlate | None:
        found = sa.select(plates).where(
            plates.c.environment == environment,
            plates.c.state == plate.state,
            plates.c.number == plate.number,
        )
        row = self._connection.execute(found).one_or_none()
        if row is None:
            return None
        return StoredPlate(
            environment=environment,
            plate=plate,
            vin=row.vin,
            vehicle_id=UUID(row.vehicle_id),
            source=row.source,
            reported_at=moment(row.reported_at),
        )

    @override
    def find_newest(self, vin: str, *, environment: Environment) -> Plate | None:
        found = (
            sa.select(plates.c.state, plates.c.number)
            .where(plates.c.environment == environment, plates.c.vin == vin)
            .order_by(plates.c.reported_at.desc(), plates.c.state, plates.c.number)
            .limit(1)
        )
        row = self._connection.execute(found).one_or_none()
        return None if row is None else Plate(state=row.state, number=row.number)

    @override
    def save(self, stored: StoredPlate) -> None:
        insert = upsert(self._connection, plates).values(
            environment=stored.environment,
            state=stored.plate.state,
            number=stored.plate.number,
            vin=stored.vin,
            vehicle_id=str(stored.vehicle_id),
            source=stored.source,
            reported_at=micros(stored.reported_at),
        )
        values = {name: insert.excluded[name] for name in _VALUES}
        self._connection.execute(insert.on_conflict_do_update(index_elements=list(_KEY), set_=values))

    @override
    def delete(self, plate: Plate, *, environment: Environment) -> None:
        self._connection.execute(
            sa.delete(plates).where(
                plates.c.environment == environment,
                plates.c.state == plate.state,
                plates.c.number == plate.number,
            )
        )

    @override
    def delete_for_vehicle(self, vehicle_id: UUID) -> None:
        self._connection.execute(sa.delete(plates).where(plates.c.vehicle_id == str(vehicle_id)))
