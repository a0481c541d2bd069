"""Drivers and towing businesses in the database."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import ColumnCodec, RowCodec
from repaircore.adapters.sql.engine.dialects import translating_errors, upsert
from repaircore.adapters.sql.engine.references import count_references
from repaircore.adapters.sql.schema.rides import businesses, dispatch_requests, drivers, ride_offers, rides
from repaircore.json_text import decode, encode_text
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import MILES_PER_DEGREE, Point
from repaircore.providers.businesses import BUSINESS, Business
from repaircore.providers.drivers import DRIVER, Driver
from repaircore.providers.model import NearbyProvider, P, ProviderRequest
from repaircore.providers.nearby import bounding_box, find_nearby
from repaircore.providers.ports import Providers
from repaircore.providers.trade import Trade

_FULL_CIRCLE = 360


def count_rides(connection: Connection, ref: str) -> dict[str, int]:
    """Return how many rides, undecided offers and requests a provider has, by "ride", "offer" and "request"."""
    ride_count = sa.select(sa.func.count()).select_from(rides).where(rides.c.provider_ref == ref)
    undecided = (ride_offers.c.provider_ref == ref, ride_offers.c.status == "offered")
    offer_count = sa.select(sa.func.count()).select_from(ride_offers).where(*undecided)
    request_count = sa.select(sa.func.count()).select_from(dispatch_requests)
    request_count = request_count.where(dispatch_requests.c.provider_ref == ref)
    counts = {"ride": ride_count, "offer": offer_count, "request": request_count}
    return {name: connection.execute(query).scalar_one() for name, query in counts.items()}


class SqlProviders(Providers[P]):
    """The stored providers of one kind; subclasses define the table and the trade."""

    table: ClassVar[sa.Table]
    trade: ClassVar[Trade[Any]]
    _codec: ClassVar[RowCodec[Any]]

    @override
    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._codec = RowCodec(
            cls.trade.make,
            {"abilities": cls.trade.abilities_column},
            point=RowCodec(Point),
            abilities=ColumnCodec(_read_abilities, _write_abilities),
        )

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, provider: P) -> P | None:
        return self._add(provider, provider.phone)

    @override
    def find_or_add_sandbox(self, provider: P, identity: str) -> P:
        # Read first: the row exists except the first time, and reading blocks nobody.
        stored = self.find_sandbox(identity, provider.environment) or self._add(provider, identity)
        stored = stored or self.find_sandbox(identity, provider.environment)
        if stored is None:
            raise Conflict(f"The {self.trade.word} was deleted by another request. Try again.", retry_after=1)
        return stored

    @override
    def find_sandbox(self, identity: str, environment: Environment) -> P | None:
        return self._first(self.table.c.identity == identity, environment)

    @override
    def active(self, refs: Sequence[str]) -> frozenset[str]:
        query = sa.select(self.table.c.ref).where(self.table.c.ref.in_(refs), self.table.c.active == 1)
        return frozenset(self._connection.execute(query).scalars()) if refs else frozenset()

    @override
    def find(self, ref: str, environment: Environment) -> P | None:
        return self._first(self.table.c.ref == ref, environment)

    @override
    def find_by_phone(self, phone: str, environment: Environment) -> P | None:
        return self._first(self.table.c.identity == phone, environment)

    @override
    def replace(self, old: P, new: P) -> P:
        saved = evolve(new, version=old.version + 1)
        unchanged = (self.table.c.id == old.id, self.table.c.version == old.version)
        values = self._codec.write(saved)
        for column in ("id", "ref", "environment", "sandbox", "created_at"):
            del values[column]
        if not old.sandbox:
            values["identity"] = saved.phone
        with translating_errors():
            result = self._connection.execute(sa.update(self.table).where(*unchanged).values(values))
        if result.rowcount != 1:
            raise Conflict(f"The {self.trade.word} was changed by another request. Reload it and try again.")
        return saved

    @override
    def rate(self, provider_id: int, stars: int) -> None:
        columns = self.table.c
        update = sa.update(self.table).where(columns.id == provider_id)
        self._connection.execute(
            update.values(
                rating_sum=columns.rating_sum + stars,
                rating_count=columns.rating_count + 1,
                version=columns.version + 1,
            )
        )

    @override
    def delete(self, provider_id: int) -> bool:
        with translating_errors():
            result = self._connection.execute(sa.delete(self.table).where(self.table.c.id == provider_id))
        return result.rowcount == 1

    @override
    def count_references(self, provider_id: int) -> Mapping[str, int]:
        query = sa.select(self.table.c.ref).where(self.table.c.id == provider_id)
        ref = self._connection.execute(query).scalar_one_or_none()
        by_ref = {} if ref is None else count_rides(self._connection, ref)
        return {**count_references(self._connection, self.table.c.id, provider_id), **by_ref}

    @override
    def list_after(self, provider_id: int, environment: Environment, *, limit: int) -> Sequence[P]:
        columns = self.table.c
        query = sa.select(self.table).where(
            columns.environment == environment, columns.id > provider_id, columns.sandbox == 0
        )
        return self._all(query.order_by(columns.id).limit(limit))

    @override
    def find_nearby(self, request: ProviderRequest) -> Iterator[NearbyProvider[P]]:
        columns, box = self.table.c, bounding_box(request.point)
        distance = sa.func.abs(columns.longitude - box.longitude)
        is_able = columns[self.trade.abilities_column].contains(encode_text(request.ability), autoescape=True)
        query = sa.select(self.table).where(
            columns.environment == request.environment,
            columns.latitude.between(box.south, box.north),
            sa.or_(distance <= box.width, distance >= _FULL_CIRCLE - box.width),
            # Farther north or south than the radius, so the exact distance need not be computed.
            sa.func.abs(columns.latitude - request.point.latitude) * MILES_PER_DEGREE <= columns.radius_miles,
            columns.active == 1,
            columns.sandbox == 0,
            columns.offers == request.offers,
            is_able,
        )
        return find_nearby(self._all(query), request.point, request.at)

    def _add(self, provider: P, identity: str | None) -> P | None:
        values = self._codec.write(provider)
        del values["id"]
        insert = upsert(self._connection, self.table).values(**values, identity=identity)
        with translating_errors():
            # PostgreSQL waits here for a concurrent insert of the same provider; the next statement sees its row.
            row = self._connection.execute(
                insert.on_conflict_do_nothing().returning(self.table)
            ).one_or_none()
        return None if row is None else self._read(row)

    def _first(self, condition: "sa.ColumnElement[bool]", environment: Environment) -> P | None:
        query = sa.select(self.table).where(condition, self.table.c.environment == environment)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else self._read(row)

    def _all(self, query: "sa.Select[Any]") -> list[P]:
        return [self._read(row) for row in self._connection.execute(query)]

    def _read(self, row: Any) -> P:
        provider: P = self._codec.read(row)
        return provider


def _read_abilities(stored: str) -> frozenset[str]:
    return frozenset(decode(stored))


def _write_abilities(abilities: frozenset[str]) -> str:
    return encode_text(sorted(abilities))


class SqlDrivers(SqlProviders[Driver]):
    """The stored drivers."""

    table: ClassVar[sa.Table] = drivers
    trade: ClassVar[Trade[Driver]] = DRIVER


class SqlBusinesses(SqlProviders[Business]):
    """The stored towing businesses."""

    table: ClassVar[sa.Table] = businesses
    trade: ClassVar[Trade[Business]] = BUSINESS
