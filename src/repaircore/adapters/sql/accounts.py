"""Users, sessions and API keys in the database."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.accounts.errors import EmailTaken
from repaircore.accounts.model import ApiKey, Session, User
from repaircore.accounts.ports import ApiKeys, Sessions, Users
from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.schema.accounts import api_keys, sessions, users
from repaircore.kernel.callers import Environment, Role
from repaircore.kernel.keys import digest

PRUNED_AT_ONCE: Final = 10
"""How many ended sessions are deleted with each new one."""


_user = RowCodec(User)
_api_key = RowCodec(ApiKey)


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
    def set_role(self, user_id: int, role: Role) -> None:
        self._connection.execute(sa.update(users).where(users.c.id == user_id).values(role=role))

    @override
    def set_password(self, user_id: int, password_hash: str) -> None:
        change = sa.update(users).where(users.c.id == user_id).values(password_hash=password_hash)
        self._connection.execute(change)

    @override
    def replace_password(self, user_id: int, *, old: str, new: str) -> bool:
        unchanged = (users.c.id == user_id, users.c.password_hash == old)
        return (
            self._connection.execute(sa.update(users).where(*unchanged).values(password_hash=new)).rowcount
            > 0
        )


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
                seen_at=micros(session.created_at),
                expires_at=micros(session.expires_at),
            )
        )

    @override
    def delete(self, token_hash: bytes) -> None:
        self._connection.execute(sa.delete(sessions).where(sessions.c.token_hash == token_hash))

    @override
    def delete_for_user(self, user_id: int) -> None:
        self._connection.execute(sa.delete(sessions).where(sessions.c.user_id == user_id))


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
        return _api_key.read(self._connection.execute(insert.returning(api_keys)).one())

    @override
    def list_for_user(self, user_id: int) -> Sequence[ApiKey]:
        query = sa.select(api_keys).where(api_keys.c.user_id == user_id).order_by(api_keys.c.id)
        return [_api_key.read(row) for row in self._connection.execute(query)]

    @override
    def delete(self, key_id: int, *, user_id: int) -> bool:
        deletion = sa.delete(api_keys).where(api_keys.c.id == key_id, api_keys.c.user_id == user_id)
        return self._connection.execute(deletion).rowcount > 0
