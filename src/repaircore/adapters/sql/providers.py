"""Providers of any kind in the database."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import translated, upsert
from repaircore.adapters.sql.engine.references import referring
from repaircore.adapters.sql.schema.rides import ride_offers, rides
from repaircore.json_text import decode, encode_text
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import MILES_PER_DEGREE, Point
from repaircore.kernel.hours import weekly
from repaircore.providers.model import NearbyProvider, P, ProviderRequest
from repaircore.providers.ports import Providers
from repaircore.providers.rules import box, who_comes
from repaircore.providers.trade import Trade

_WHOLE_CIRCLE = 360


def sent(connection: Connection, ref: str) -> dict[str, int]:
    """Count the rides that a provider was sent to, and the offers of theirs that may still be taken: by their reference."""
    to = sa.select(sa.func.count()).select_from(rides).where(rides.c.provider_ref == ref)
    offered = (ride_offers.c.provider_ref == ref, ride_offers.c.status == "offered")
    open_ones = sa.select(sa.func.count()).select_from(ride_offers).where(*offered)
    return {
        "ride": connection.execute(to).scalar_one(),
        "offer": connection.execute(open_ones).scalar_one(),
    }


class SqlProviders(Providers[P]):
    """The kept providers of a kind: a subclass names its table, its trade and the columns that only it has."""

    table: ClassVar[sa.Table]
    trade: ClassVar[Trade[Any]]
    more: ClassVar[tuple[str, ...]] = ()

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, provider: P) -> P | None:
        return self._added(provider, provider.phone)

    @override
    def stand_in(self, provider: P, identity: str) -> P:
        # Looked for first: it is there but for the first time, and a read disturbs nobody.
        kept = self.standing_in(identity, provider.environment) or self._added(provider, identity)
        kept = kept or self.standing_in(identity, provider.environment)
        if kept is None:
            raise Conflict(f"The {self.trade.word} was removed by somebody else.", retry_after=1)
        return kept

    @override
    def standing_in(self, identity: str, environment: Environment) -> P | None:
        return self._one(self.table.c.identity == identity, environment)

    @override
    def active(self, refs: Sequence[str]) -> frozenset[str]:
        found = sa.select(self.table.c.ref).where(self.table.c.ref.in_(refs), self.table.c.active == 1)
        return frozenset(self._connection.execute(found).scalars()) if refs else frozenset()

    @override
    def by_ref(self, ref: str, environment: Environment) -> P | None:
        return self._one(self.table.c.ref == ref, environment)

    @override
    def by_phone(self, phone: str, environment: Environment) -> P | None:
        return self._one(self.table.c.identity == phone, environment)

    @override
    def replace(self, old: P, new: P) -> P:
        kept = evolve(new, version=old.version + 1)
        unchanged = (self.table.c.id == old.id, self.table.c.version == old.version)
        values = self._values(kept)
        if not old.sandbox:
            values["identity"] = kept.phone
        with translated():
            done = self._connection.execute(sa.update(self.table).where(*unchanged).values(values))
        if done.rowcount != 1:
            raise Conflict(f"The {self.trade.word} was changed by somebody else.")
        return kept

    @override
    def remove(self, provider_id: int) -> bool:
        with translated():
            gone = self._connection.execute(sa.delete(self.table).where(self.table.c.id == provider_id))
        return gone.rowcount == 1

    @override
    def referents(self, provider_id: int) -> Mapping[str, int]:
        named = sa.select(self.table.c.ref).where(self.table.c.id == provider_id)
        ref = self._connection.execute(named).scalar_one_or_none()
        by_ref = {} if ref is None else sent(self._connection, ref)
        return {**referring(self._connection, self.table.c.id, provider_id), **by_ref}

    @override
    def after(self, provider_id: int, environment: Environment, *, limit: int) -> Sequence[P]:
        columns = self.table.c
        rest = sa.select(self.table).where(
            columns.environment == environment, columns.id > provider_id, columns.sandbox == 0
        )
        return self._all(rest.order_by(columns.id).limit(limit))

    @override
    def near(self, asked: ProviderRequest) -> Iterator[NearbyProvider[P]]:
        columns, around = self.table.c, box(asked.point)
        apart = sa.func.abs(columns.longitude - around.longitude)
        able = columns[self.trade.abilities_column].contains(encode_text(asked.ability), autoescape=True)
        found = sa.select(self.table).where(
            columns.environment == asked.environment,
            columns.latitude.between(around.south, around.north),
            sa.or_(apart <= around.width, apart >= _WHOLE_CIRCLE - around.width),
            # Whoever is farther to the north or south than they come, need not be looked at.
            sa.func.abs(columns.latitude - asked.point.latitude) * MILES_PER_DEGREE <= columns.radius_miles,
            columns.active == 1,
            columns.sandbox == 0,
            able,
        )
        return who_comes(self._all(found), asked.point, asked.at)

    def _added(self, provider: P, identity: str | None) -> P | None:
        insert = upsert(self._connection, self.table).values(
            **self._values(provider),
            ref=provider.ref,
            environment=provider.environment,
            identity=identity,
            sandbox=int(provider.sandbox),
            created_at=micros(provider.created_at),
        )
        with translated():
            # PostgreSQL waits here for who adds the same one, and what they kept is seen by the next statement.
            row = self._connection.execute(
                insert.on_conflict_do_nothing().returning(self.table)
            ).one_or_none()
        return None if row is None else self._provider(row)

    def _values(self, provider: P) -> dict[str, Any]:
        own = (self.trade.text, *self.more)
        return {
            "name": provider.name,
            "phone": provider.phone,
            self.trade.abilities_column: encode_text(sorted(provider.abilities)),
            "latitude": provider.point.latitude,
            "longitude": provider.point.longitude,
            "radius_miles": provider.radius_miles,
            "time_zone": provider.time_zone,
            "weekly": None if provider.weekly is None else encode_text(provider.weekly),
            "active": int(provider.active),
            "updated_at": micros(provider.updated_at),
            "version": provider.version,
            **{name: getattr(provider, name) for name in own},
        }

    def _one(self, which: "sa.ColumnElement[bool]", environment: Environment) -> P | None:
        found = sa.select(self.table).where(which, self.table.c.environment == environment)
        row = self._connection.execute(found).one_or_none()
        return None if row is None else self._provider(row)

    def _all(self, found: "sa.Select[Any]") -> list[P]:
        return [self._provider(row) for row in self._connection.execute(found)]

    def _provider(self, row: "Row[Any]") -> P:
        told = row._mapping  # noqa: SLF001 - SQLAlchemy's public name for it
        own = (self.trade.text, *self.more)
        made: P = self.trade.make(
            id=row.id,
            ref=row.ref,
            environment=Environment(row.environment),
            name=row.name,
            phone=row.phone,
            abilities=frozenset(decode(told[self.trade.abilities_column])),
            point=Point(row.latitude, row.longitude),
            radius_miles=row.radius_miles,
            time_zone=row.time_zone,
            weekly=None if row.weekly is None else weekly(decode(row.weekly)),
            active=bool(row.active),
            sandbox=bool(row.sandbox),
            created_at=moment(row.created_at),
            updated_at=moment(row.updated_at),
            version=row.version,
            **{name: told[name] for name in own},
        )
        return made
