"""Connected cars in the database: pending OAuth flows, connections, cars, and refresh leases."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection as DbConnection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment, moment_or_none
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.engine.leases import is_free
from repaircore.adapters.sql.schema.fleet import car_connections, car_flows, connected_cars
from repaircore.connected_cars.model import Connection, ConnectionStatus, Flow
from repaircore.connected_cars.ports import CarRecords, ConnectionRecords, FlowRecords, RefreshLeases
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict


class SqlFlows(FlowRecords):
    """The pending OAuth flows."""

    def __init__(self, connection: DbConnection) -> None:
        self._connection = connection

    @override
    def add(self, flow: Flow) -> None:
        self._connection.execute(sa.delete(car_flows).where(car_flows.c.ends_at <= micros(flow.begun_at)))
        self._connection.execute(
            sa.insert(car_flows).values(
                id=str(flow.id),
                environment=flow.environment,
                owner_id=flow.owner_id,
                email=flow.email,
                begun_at=micros(flow.begun_at),
                ends_at=micros(flow.ends_at),
            )
        )

    @override
    def take(self, flow_id: UUID, *, environment: Environment, owner_id: int) -> Flow | None:
        taken = (
            sa.delete(car_flows)
            .where(
                car_flows.c.id == str(flow_id),
                car_flows.c.environment == environment,
                car_flows.c.owner_id == owner_id,
            )
            .returning(*car_flows.c)
        )
        row = self._connection.execute(taken).one_or_none()
        if row is None:
            return None
        return Flow(
            id=flow_id,
            environment=environment,
            owner_id=owner_id,
            email=row.email,
            begun_at=moment(row.begun_at),
            ends_at=moment(row.ends_at),
        )


class SqlConnections(ConnectionRecords):
    """The stored connections."""

    def __init__(self, connection: DbConnection) -> None:
        self._connection = connection

    @override
    def add(self, connection: Connection, vins: Sequence[str]) -> None:
        self._connection.execute(sa.insert(car_connections).values(_values(connection)))
        for vin in sorted(vins):  # in a fixed order, so that two callers with the same cars do not deadlock
            insert = upsert(self._connection, connected_cars).values(
                environment=connection.environment,
                owner_id=connection.owner_id,
                vin=vin,
                connection_id=str(connection.id),
                connected_at=micros(connection.connected_at),
            )
            moved = {name: insert.excluded[name] for name in ("connection_id", "connected_at")}
            self._connection.execute(
                insert.on_conflict_do_update(index_elements=["environment", "owner_id", "vin"], set_=moved)
            )
        has_cars = sa.exists().where(connected_cars.c.connection_id == car_connections.c.id)
        self._connection.execute(
            sa.delete(car_connections).where(
                car_connections.c.environment == connection.environment,
                car_connections.c.owner_id == connection.owner_id,
                car_connections.c.id != str(connection.id),
                ~has_cars,
            )
        )

    @override
    def by_id(self, connection_id: UUID) -> Connection | None:
        found = sa.select(car_connections).where(car_connections.c.id == str(connection_id))
        row = self._connection.execute(found).one_or_none()
        return None if row is None else _connection(row)

    @override
    def update(self, old: Connection, new: Connection) -> Connection:
        saved = evolve(new, version=old.version + 1)
        unchanged = (car_connections.c.id == str(old.id), car_connections.c.version == old.version)
        done = self._connection.execute(sa.update(car_connections).where(*unchanged).values(_values(saved)))
        if done.rowcount != 1:
            raise Conflict("The connection was changed by another request. Try again.")
        return saved

    @override
    def delete(self, connection_id: UUID) -> None:
        self._connection.execute(sa.delete(car_connections).where(car_connections.c.id == str(connection_id)))

    @override
    def list_sealed(self, *, after: UUID | None, limit: int) -> Sequence[Connection]:
        found = (
            sa.select(car_connections)
            .where(car_connections.c.sealed.is_not(None))
            .order_by(car_connections.c.id)
            .limit(limit)
        )
        if after is not None:
            found = found.where(car_connections.c.id > str(after))
        return [_connection(row) for row in self._connection.execute(found)]


class SqlCars(CarRecords):
    """The cars of stored connections."""

    def __init__(self, connection: DbConnection) -> None:
        self._connection = connection

    @override
    def connection_of(self, vin: str, *, environment: Environment, owner_id: int) -> Connection | None:
        found = self.list_connections(environment=environment, owner_id=owner_id, vin=vin)
        return found[0] if found else None

    @override
    def list_active(self, email: str, *, environment: Environment, owner_id: int) -> Sequence[str]:
        found = (
            sa.select(connected_cars.c.vin)
            .join(car_connections)
            .where(
                car_connections.c.environment == environment,
                car_connections.c.email == email,
                car_connections.c.owner_id == owner_id,
                car_connections.c.standing == ConnectionStatus.ACTIVE,
            )
            .order_by(connected_cars.c.vin)
        )
        return self._connection.execute(found).scalars().all()

    @override
    def list_connections(
        self,
        *,
        environment: Environment,
        owner_id: int | None,
        email: str | None = None,
        vin: str | None = None,
    ) -> Sequence[Connection]:
        found = (
            sa.select(car_connections)
            .where(car_connections.c.environment == environment)
            .order_by(car_connections.c.connected_at, car_connections.c.id)
        )
        if owner_id is not None:
            found = found.where(car_connections.c.owner_id == owner_id)
        if email is not None:
            found = found.where(car_connections.c.email == email)
        if vin is not None:
            covering = sa.select(connected_cars.c.connection_id).where(
                connected_cars.c.environment == environment, connected_cars.c.vin == vin
            )
            found = found.where(car_connections.c.id.in_(covering))
        return [_connection(row) for row in self._connection.execute(found)]

    @override
    def list_vins(self, connection_id: UUID) -> Sequence[str]:
        found = sa.select(connected_cars.c.vin).where(connected_cars.c.connection_id == str(connection_id))
        return self._connection.execute(found.order_by(connected_cars.c.vin)).scalars().all()

    @override
    def record_sync(self, vin: str, *, connection_id: UUID, at: datetime) -> None:
        self._connection.execute(
            sa.update(connected_cars).where(*_one_car(vin, connection_id)).values(synced_at=micros(at))
        )

    @override
    def delete(self, vin: str, *, connection_id: UUID) -> None:
        self._connection.execute(sa.delete(connected_cars).where(*_one_car(vin, connection_id)))


class SqlRefreshLeases(RefreshLeases):
    """Leases on refreshing a connection's tokens, stored as the times when they expire."""

    def __init__(self, connection: DbConnection) -> None:
        self._connection = connection

    @override
    def acquire(self, connection: Connection, *, now: datetime, until: datetime) -> bool:
        taken = (
            sa.update(car_connections)
            .where(
                car_connections.c.id == str(connection.id),
                car_connections.c.version == connection.version,
                is_free(car_connections.c.refresh_until, now, lasts=until - now),
            )
            .values(refresh_until=micros(until))
        )
        return self._connection.execute(taken).rowcount == 1

    @override
    def is_held(self, connection_id: UUID, *, now: datetime) -> bool:
        found = sa.select(car_connections.c.refresh_until).where(car_connections.c.id == str(connection_id))
        until: int | None = self._connection.execute(found).scalar_one_or_none()
        return until is not None and until > micros(now)

    @override
    def release(self, connection_id: UUID, *, until: datetime) -> None:
        own_lease = (
            car_connections.c.id == str(connection_id),
            car_connections.c.refresh_until == micros(until),
        )
        self._connection.execute(sa.update(car_connections).where(*own_lease).values(refresh_until=None))


def _one_car(vin: str, connection_id: UUID) -> "tuple[sa.ColumnElement[bool], ...]":
    return connected_cars.c.connection_id == str(connection_id), connected_cars.c.vin == vin


def _values(connection: Connection) -> dict[str, object]:
    return {
        "id": str(connection.id),
        "environment": connection.environment,
        "owner_id": connection.owner_id,
        "email": connection.email,
        "standing": connection.standing,
        "sealed": connection.sealed,
        "connected_at": micros(connection.connected_at),
        "revoked_at": None if connection.revoked_at is None else micros(connection.revoked_at),
        "version": connection.version,
    }


def _connection(row: Any) -> Connection:
    return Connection(
        id=UUID(row.id),
        environment=Environment(row.environment),
        owner_id=row.owner_id,
        email=row.email,
        standing=ConnectionStatus(row.standing),
        sealed=row.sealed,
        connected_at=moment(row.connected_at),
        revoked_at=moment_or_none(row.revoked_at),
        version=row.version,
    )
