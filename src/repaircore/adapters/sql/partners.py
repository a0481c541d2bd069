"""Partners and their keys in the database."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.fast_path.driver import Driver
from repaircore.adapters.sql.engine.codec import RowCodec, micros, micros_or_none, moment, moment_or_none
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.partners import partner_keys, partners
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.keys import digest
from repaircore.partners.model import KeyOwner, Partner, PartnerKey
from repaircore.partners.ports import PartnerKeys, PartnerRecords, PartnerStatuses

_SUSPENDED_AT: Final = "SELECT suspended_at FROM partners WHERE id = ?"

_key_codec: Final = RowCodec(PartnerKey)


class SqlPartners(PartnerRecords):
    """The stored partners."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def find_or_add(self, name: str, *, at: datetime) -> Partner:
        insert = upsert(self._connection, partners).values(name=name, created_at=micros(at))
        # Updating the existing row locks it, so that keys of one environment are added once.
        saved = insert.on_conflict_do_update(index_elements=["name"], set_={"name": insert.excluded.name})
        partner = _partner(self._connection.execute(saved.returning(partners)).one())
        return self._with_keys([partner])[0]

    @override
    def find(self, name: str) -> Partner | None:
        row = self._connection.execute(sa.select(partners).where(partners.c.name == name)).one_or_none()
        return None if row is None else self._with_keys([_partner(row)])[0]

    @override
    def list_all(self) -> Sequence[Partner]:
        rows = self._connection.execute(sa.select(partners).order_by(partners.c.id))
        return self._with_keys([_partner(row) for row in rows])

    @override
    def set_suspended(self, partner_id: int, at: datetime | None) -> bool:
        since = partners.c.suspended_at
        update = sa.update(partners).where(
            partners.c.id == partner_id, since.is_not(None) if at is None else since.is_(None)
        )
        return self._connection.execute(update.values(suspended_at=micros_or_none(at))).rowcount > 0

    def _with_keys(self, found: Sequence[Partner]) -> list[Partner]:
        query = sa.select(partner_keys).order_by(partner_keys.c.partner_id, partner_keys.c.id)
        if len(found) == 1:
            query = query.where(partner_keys.c.partner_id == found[0].id)
        keys = map(_key_codec.read, self._connection.execute(query))
        by_partner = {owner: tuple(own) for owner, own in groupby(keys, key=lambda key: key.partner_id)}
        return [evolve(partner, keys=by_partner.get(partner.id, ())) for partner in found]


class SqlPartnerKeys(PartnerKeys):
    """The stored keys of partners."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(
        self,
        *,
        partner_id: int,
        environment: Environment,
        public_key: str,
        secret_hash: bytes,
        secret_last4: str,
        at: datetime,
    ) -> PartnerKey:
        insert = sa.insert(partner_keys).values(
            partner_id=partner_id,
            environment=environment,
            public_key=public_key,
            public_hash=digest(public_key),
            secret_hash=secret_hash,
            secret_last4=secret_last4,
            created_at=micros(at),
        )
        return _key_codec.read(self._connection.execute(insert.returning(partner_keys)).one())

    @override
    def revoke(self, partner_id: int, environment: Environment, *, at: datetime) -> int:
        revoked_at = partner_keys.c.revoked_at
        update = sa.update(partner_keys).where(
            partner_keys.c.partner_id == partner_id,
            partner_keys.c.environment == environment,
            sa.or_(revoked_at.is_(None), revoked_at > micros(at)),
        )
        return self._connection.execute(update.values(revoked_at=micros(at))).rowcount

    @override
    def find_owner(self, public_hash: bytes) -> KeyOwner | None:
        query = (
            sa.select(
                partners.c.id, partners.c.suspended_at, partner_keys.c.environment, partner_keys.c.revoked_at
            )
            .join(partners, partners.c.id == partner_keys.c.partner_id)
            .where(partner_keys.c.public_hash == public_hash)
        )
        row = self._connection.execute(query).one_or_none()
        if row is None:
            return None
        return KeyOwner(
            caller=PartnerCaller(partner_id=row.id, environment=Environment(row.environment)),
            revoked_at=moment_or_none(row.revoked_at),
            is_suspended=row.suspended_at is not None,
        )


class SqlPartnerStatuses(PartnerStatuses):
    """The statuses of partners, read through the driver without SQLAlchemy: every request reads one."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    @override
    def is_active(self, partner_id: int) -> bool:
        row = self._driver.fetch_one(_SUSPENDED_AT, (partner_id,))
        return row is not None and row[0] is None


def _partner(row: "Row[Any]") -> Partner:
    return Partner(
        id=row.id,
        name=row.name,
        created_at=moment(row.created_at),
        suspended_at=moment_or_none(row.suspended_at),
    )
