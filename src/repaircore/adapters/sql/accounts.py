"""Users, sessions and API keys in the database."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.accounts.errors import EmailTaken
from repaircore.accounts.model import (
    SESSION_ID_BYTES,
    ApiKey,
    Session,
    User,
    UserFilter,
    UserState,
    UserSummary,
)
from repaircore.accounts.ports import ApiKeys, Sessions, Users
from repaircore.adapters.sql.engine.codec import RowCodec, micros, micros_or_none
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.schema.accounts import api_keys, old_secrets, password_resets, sessions, users
from repaircore.kernel.callers import Environment, Role
from repaircore.kernel.keys import digest
from repaircore.kernel.paging import Page, PageRequest

PRUNED_AT_ONCE: Final = 10
"""The maximum number of expired sessions to delete whenever a session is added."""


_ADMINS_LOCK: Final = 7_205_759_404
"""The key of PostgreSQL's advisory lock on the admins: an arbitrary number."""

_user = RowCodec(User)
_session = RowCodec(Session)
_api_key = RowCodec(ApiKey)

_ORDERS: Final = Orders(
    of="users",
    columns={
        "created_at": users.c.id,  # ids increase with time
        "name": sa.func.lower(users.c.name, type_=sa.Text),
        "email": users.c.email,
    },
    id=users.c.id,
    usual="-created_at",
)

_WITH_OLD_SECRET: Final = sa.select(api_keys, old_secrets.c.ends_at.label("old_secret_ends_at")).select_from(
    api_keys.outerjoin(old_secrets, old_secrets.c.key_id == api_keys.c.id)
)


class SqlUsers(Users):
    """The stored users."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, *, name: str, email: str, password_hash: str, at: datetime) -> User:
        insert = sa.insert(users).values(
            name=name, email=email, password_hash=password_hash, role=Role.USER, created_at=micros(at)
        )
        try:
            row = self._connection.execute(insert.returning(users)).one()
        except sa.exc.IntegrityError as error:
            raise EmailTaken from error
        return _user.read(row)

    @override
    def find_by_email(self, email: str) -> User | None:
        row = self._connection.execute(sa.select(users).where(users.c.email == email)).one_or_none()
        return None if row is None else _user.read(row)

    @override
    def find(self, user_id: int) -> User | None:
        row = self._connection.execute(sa.select(users).where(users.c.id == user_id)).one_or_none()
        return None if row is None else _user.read(row)

    @override
    def list_all(self) -> Sequence[User]:
        return [_user.read(row) for row in self._connection.execute(sa.select(users).order_by(users.c.id))]

    @override
    def lock_admins(self) -> None:
        if self._connection.dialect.name != "sqlite":  # SQLite has one writer at a time anyway
            self._connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADMINS_LOCK})

    @override
    def has_admin(self) -> bool:
        # A bound role would not match the condition of the partial index.
        admins = sa.select(users.c.id).where(sa.text("role = 'admin'")).limit(1)
        return self._connection.execute(admins).first() is not None

    @override
    def has_other_admin(self, user_id: int) -> bool:
        # A bound role would not match the condition of the partial index.
        others = sa.select(users.c.id).where(sa.text("role = 'admin'"), users.c.id != user_id)
        return (
            self._connection.execute(others.where(users.c.locked_at.is_(None)).limit(1)).first() is not None
        )

    @override
    def page(self, wanted: UserFilter, request: PageRequest, *, now: datetime) -> Page[UserSummary]:
        matching = sa.select(users).where(*_conditions(wanted))
        return listed(
            self._connection,
            _summaries(now).where(*_conditions(wanted)),
            request,
            _ORDERS,
            _summary,
            counted=matching,
        )

    @override
    def summarize(self, user_id: int, *, now: datetime) -> UserSummary | None:
        row = self._connection.execute(_summaries(now).where(users.c.id == user_id)).one_or_none()
        return None if row is None else _summary(row)

    @override
    def set_locked(self, user_id: int, at: datetime | None) -> None:
        change = sa.update(users).where(users.c.id == user_id).values(locked_at=micros_or_none(at))
        self._connection.execute(change)
        if at is not None:
            self._connection.execute(sa.delete(password_resets).where(password_resets.c.user_id == user_id))

    @override
    def set_role(self, user_id: int, role: Role) -> None:
        self._connection.execute(sa.update(users).where(users.c.id == user_id).values(role=role))

    @override
    def set_password(self, user_id: int, password_hash: str) -> None:
        change = sa.update(users).where(users.c.id == user_id).values(password_hash=password_hash)
        self._connection.execute(change)
        self._connection.execute(sa.delete(password_resets).where(password_resets.c.user_id == user_id))

    @override
    def replace_password(self, user_id: int, *, old: str, new: str) -> bool:
        unchanged = (users.c.id == user_id, users.c.password_hash == old, users.c.locked_at.is_(None))
        return (
            self._connection.execute(sa.update(users).where(*unchanged).values(password_hash=new)).rowcount
            > 0
        )


def _conditions(wanted: UserFilter) -> "Iterator[sa.ColumnElement[bool]]":
    if wanted.search:
        part = wanted.search.strip()
        yield sa.or_(
            users.c.name.icontains(part, autoescape=True), users.c.email.icontains(part, autoescape=True)
        )
    if wanted.role is not None:
        yield users.c.role == wanted.role
    if wanted.state is not None:
        is_active = users.c.locked_at.is_(None)
        yield is_active if wanted.state is UserState.ACTIVE else sa.not_(is_active)


def _summaries(now: datetime) -> "sa.Select[Any]":
    """Return a query for users, with the number of keys and open sessions of each, counted only in returned rows."""
    keys = sa.select(sa.func.count()).where(api_keys.c.user_id == users.c.id)
    open_ones = sa.select(sa.func.count()).where(
        sessions.c.user_id == users.c.id, sessions.c.expires_at > micros(now)
    )
    return sa.select(
        users, keys.scalar_subquery().label("n_keys"), open_ones.scalar_subquery().label("n_sessions")
    )


def _summary(row: "sa.Row[Any]") -> UserSummary:
    return UserSummary(user=_user.read(row), keys=row.n_keys, sessions=row.n_sessions)


class SqlSessions(Sessions):
    """The stored management sessions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, session: Session) -> None:
        ended = (
            sa.select(sessions.c.token_hash)
            .where(sessions.c.expires_at <= micros(session.created_at))
            .order_by(sessions.c.expires_at)
            .limit(PRUNED_AT_ONCE)
            .with_for_update(skip_locked=True)
        )
        self._connection.execute(sa.delete(sessions).where(sessions.c.token_hash.in_(ended)))
        self._connection.execute(
            sa.insert(sessions).values(
                token_hash=session.token_hash,
                user_id=session.user_id,
                created_at=micros(session.created_at),
                seen_at=micros(session.seen_at or session.created_at),
                expires_at=micros(session.expires_at),
                browser=session.browser,
                network=session.network,
            )
        )

    @override
    def delete(self, token_hash: bytes) -> None:
        self._connection.execute(sa.delete(sessions).where(sessions.c.token_hash == token_hash))

    @override
    def delete_for_user(self, user_id: int, *, except_hash: bytes | None = None) -> int:
        others = [] if except_hash is None else [sessions.c.token_hash != except_hash]
        deletion = sa.delete(sessions).where(sessions.c.user_id == user_id, *others)
        return self._connection.execute(deletion).rowcount

    @override
    def delete_by_id(self, session_id: str, *, user_id: int) -> bool:
        try:
            beginning = bytes.fromhex(session_id)
        except ValueError:
            return False
        if len(beginning) != SESSION_ID_BYTES or beginning.hex() != session_id:
            return False
        rest = len(digest("")) - SESSION_ID_BYTES
        deletion = sa.delete(sessions).where(
            sessions.c.user_id == user_id,
            sessions.c.token_hash.between(beginning + bytes(rest), beginning + b"\xff" * rest),
        )
        return self._connection.execute(deletion).rowcount > 0

    @override
    def list_for_user(self, user_id: int, *, now: datetime, limit: int) -> Sequence[Session]:
        query = (
            sa.select(sessions)
            .where(sessions.c.user_id == user_id, sessions.c.expires_at > micros(now))
            .order_by(sessions.c.seen_at.desc(), sessions.c.token_hash)
            .limit(limit)
        )
        return [_session.read(row) for row in self._connection.execute(query)]


class SqlApiKeys(ApiKeys):
    """The stored API keys."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(
        self,
        *,
        user_id: int,
        name: str,
        environment: Environment,
        public_key: str,
        secret_hash: bytes,
        secret_last4: str,
        at: datetime,
    ) -> ApiKey:
        insert = sa.insert(api_keys).values(
            user_id=user_id,
            name=name,
            environment=environment,
            public_key=public_key,
            public_hash=digest(public_key),
            secret_hash=secret_hash,
            secret_last4=secret_last4,
            created_at=micros(at),
        )
        no_old_secret = sa.null().label("old_secret_ends_at")
        return _api_key.read(self._connection.execute(insert.returning(api_keys, no_old_secret)).one())

    @override
    def list_for_user(self, user_id: int) -> Sequence[ApiKey]:
        query = _WITH_OLD_SECRET.where(api_keys.c.user_id == user_id).order_by(api_keys.c.id)
        return [_api_key.read(row) for row in self._connection.execute(query)]

    @override
    def find(self, key_id: int, *, user_id: int) -> ApiKey | None:
        query = _WITH_OLD_SECRET.where(api_keys.c.id == key_id, api_keys.c.user_id == user_id)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _api_key.read(row)

    @override
    def rename(self, key_id: int, *, user_id: int, name: str) -> ApiKey | None:
        own = (api_keys.c.id == key_id, api_keys.c.user_id == user_id)
        self._connection.execute(sa.update(api_keys).where(*own).values(name=name))
        return self.find(key_id, user_id=user_id)

    @override
    def replace_secret(
        self,
        key_id: int,
        *,
        user_id: int,
        secret_hash: bytes,
        secret_last4: str,
        old_ends_at: datetime | None,
    ) -> ApiKey | None:
        own = (api_keys.c.id == key_id, api_keys.c.user_id == user_id)
        # Of two concurrent rotations, the later one replaces the secret of the earlier one.
        query = sa.select(api_keys.c.secret_hash).where(*own).with_for_update()
        old = self._connection.execute(query).scalar_one_or_none()
        if old is None:
            return None
        self._connection.execute(sa.delete(old_secrets).where(old_secrets.c.key_id == key_id))
        if old_ends_at is not None:
            self._connection.execute(
                sa.insert(old_secrets).values(key_id=key_id, secret_hash=old, ends_at=micros(old_ends_at))
            )
        change = sa.update(api_keys).where(*own)
        self._connection.execute(change.values(secret_hash=secret_hash, secret_last4=secret_last4))
        return self.find(key_id, user_id=user_id)

    @override
    def delete(self, key_id: int, *, user_id: int) -> bool:
        deletion = sa.delete(api_keys).where(api_keys.c.id == key_id, api_keys.c.user_id == user_id)
        return self._connection.execute(deletion).rowcount > 0
