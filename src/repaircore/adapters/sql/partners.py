"""Partners and their keys in the database."""

from collections.abc import Collection, Mapping, Sequence
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
from repaircore.adapters.sql.engine.listing import Orders
from repaircore.adapters.sql.engine.pages import page_of
from repaircore.adapters.sql.schema.accounts import users
from repaircore.adapters.sql.schema.partners import partner_keys, partner_members, partners
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.keys import digest
from repaircore.kernel.paging import Page
from repaircore.partners.model import Claims, KeyOwner, Partner, PartnerKey, PartnerMember
from repaircore.partners.ports import PartnerKeys, PartnerMembers, PartnerRecords, PartnerStatuses

_STATUS: Final = {
    Environment.TEST: "SELECT suspended_at, test_sessions_ended_at FROM partners WHERE id = ?",
    Environment.LIVE: "SELECT suspended_at, live_sessions_ended_at FROM partners WHERE id = ?",
}

_BATCH: Final = 500
"""The maximum number of ids in a statement."""

_MOST_WORDS: Final = 10
"""The maximum number of words in a search; the rest are ignored."""

_ORDERS: Final = Orders(
    of="partners",
    columns={"name": sa.func.lower(partners.c.name, type_=sa.Text), "created_at": partners.c.id},
    id=partners.c.id,
    usual="created_at",
)

_key_codec: Final = RowCodec(PartnerKey)
_member_codec: Final = RowCodec(PartnerMember)
_MEMBERS: Final = sa.select(partner_members, users.c.name, users.c.email).join(
    users, users.c.id == partner_members.c.user_id
)


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
        return self._find(partners.c.name == name)

    @override
    def find_by_id(self, partner_id: int) -> Partner | None:
        return self._find(partners.c.id == partner_id)

    def _find(self, condition: "sa.ColumnElement[bool]") -> Partner | None:
        row = self._connection.execute(sa.select(partners).where(condition)).one_or_none()
        return None if row is None else self._with_keys([_partner(row)])[0]

    @override
    def list_page(self, *, number: int, per_page: int, search: str = "", sort: str = "") -> Page[Partner]:
        query = sa.select(partners).where(*_containing(search)).order_by(*_ORDERS.parse(sort).clauses())
        page = page_of(self._connection, query, _partner, number=number, per_page=per_page)
        return evolve(page, items=tuple(self._with_keys(page.items)))

    @override
    def list_names(self, partner_ids: Collection[int]) -> Mapping[int, str]:
        names: dict[int, str] = {}
        ids = sorted(partner_ids)
        for start in range(0, len(ids), _BATCH):
            some = ids[start : start + _BATCH]
            query = sa.select(partners.c.id, partners.c.name).where(partners.c.id.in_(some))
            names.update((row.id, row.name) for row in self._connection.execute(query))
        return names

    @override
    def set_suspended(self, partner_id: int, at: datetime | None) -> bool:
        since = partners.c.suspended_at
        update = sa.update(partners).where(
            partners.c.id == partner_id, since.is_not(None) if at is None else since.is_(None)
        )
        return self._connection.execute(update.values(suspended_at=micros_or_none(at))).rowcount > 0

    def _with_keys(self, found: Sequence[Partner]) -> list[Partner]:
        query = sa.select(partner_keys).order_by(partner_keys.c.partner_id, partner_keys.c.id)
        if len(found) <= _BATCH:
            query = query.where(partner_keys.c.partner_id.in_([partner.id for partner in found]))
        keys = map(_key_codec.read, self._connection.execute(query))
        by_partner = {owner: tuple(own) for owner, own in groupby(keys, key=lambda key: key.partner_id)}
        return [evolve(partner, keys=by_partner.get(partner.id, ())) for partner in found]


class SqlPartnerKeys(PartnerKeys):
    """The stored partner keys."""

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
    def end_sessions(self, partner_id: int, environment: Environment, *, at: datetime) -> None:
        update = sa.update(partners).where(partners.c.id == partner_id)
        self._connection.execute(update.values({f"{environment}_sessions_ended_at": micros(at)}))

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
        return self._find_owner(partner_keys.c.public_hash == public_hash)

    @override
    def find_secret_owner(self, secret_hash: bytes) -> KeyOwner | None:
        return self._find_owner(partner_keys.c.secret_hash == secret_hash)

    def _find_owner(self, condition: "sa.ColumnElement[bool]") -> KeyOwner | None:
        query = (
            sa.select(
                partners.c.id, partners.c.suspended_at, partner_keys.c.environment, partner_keys.c.revoked_at
            )
            .join(partners, partners.c.id == partner_keys.c.partner_id)
            .where(condition)
        )
        row = self._connection.execute(query).one_or_none()
        if row is None:
            return None
        return KeyOwner(
            caller=PartnerCaller(partner_id=row.id, environment=Environment(row.environment)),
            revoked_at=moment_or_none(row.revoked_at),
            is_suspended=row.suspended_at is not None,
        )


class SqlPartnerMembers(PartnerMembers):
    """The stored partner members."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, partner_id: int, email: str, *, at: datetime) -> PartnerMember | None:
        user_id = self._connection.execute(sa.select(users.c.id).where(users.c.email == email)).scalar()
        if user_id is None:
            return None
        insert = upsert(self._connection, partner_members).values(
            user_id=user_id, partner_id=partner_id, created_at=micros(at)
        )
        self._connection.execute(insert.on_conflict_do_nothing())
        return self.find(user_id)

    @override
    def find(self, user_id: int) -> PartnerMember | None:
        query = _MEMBERS.where(partner_members.c.user_id == user_id)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _member_codec.read(row)

    @override
    def list_for(self, *partner_ids: int) -> Sequence[PartnerMember]:
        query = _MEMBERS.where(partner_members.c.partner_id.in_(partner_ids))
        members = [_member_codec.read(row) for row in self._connection.execute(query)]
        return sorted(members, key=lambda member: member.email)

    @override
    def remove(self, partner_id: int, email: str) -> bool:
        user_id = sa.select(users.c.id).where(users.c.email == email).scalar_subquery()
        delete = sa.delete(partner_members).where(
            partner_members.c.partner_id == partner_id, partner_members.c.user_id == user_id
        )
        return self._connection.execute(delete).rowcount > 0


class SqlPartnerStatuses(PartnerStatuses):
    """Partner statuses, read through the driver without SQLAlchemy because every request reads one."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    @override
    def last_end(self, caller: PartnerCaller) -> int:
        row = self._driver.fetch_one(_STATUS[caller.environment], (caller.partner_id,))
        return 0 if row is None or row[1] is None else int(row[1])

    @override
    def is_open(self, claims: Claims) -> bool:
        caller = claims.caller
        row = self._driver.fetch_one(_STATUS[caller.environment], (caller.partner_id,))
        if row is None or row[0] is not None:
            return False
        ended_at = row[1]
        if claims.ended_before is not None:
            return claims.ended_before == (ended_at or 0)
        return ended_at is None or micros(claims.issued_at) > ended_at


def _containing(search: str) -> list["sa.ColumnElement[bool]"]:
    """Return the conditions that each word of a search occurs in a partner's name or in one of its public keys."""
    return [_has_word(word) for word in search.split()[:_MOST_WORDS]]


def _has_word(word: str) -> "sa.ColumnElement[bool]":
    in_a_key = sa.exists().where(
        partner_keys.c.partner_id == partners.c.id, partner_keys.c.public_key.icontains(word, autoescape=True)
    )
    return sa.or_(partners.c.name.icontains(word, autoescape=True), in_a_key)


def _partner(row: "Row[Any]") -> Partner:
    return Partner(
        id=row.id,
        name=row.name,
        created_at=moment(row.created_at),
        suspended_at=moment_or_none(row.suspended_at),
    )
