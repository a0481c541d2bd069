"""Password-reset links, and the requests for them, in the database."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.accounts import password_resets, reset_requests
from repaircore.passwords.model import PasswordReset, ResetRequest
from repaircore.passwords.ports import PasswordResets, ResetRequests

_request = RowCodec(ResetRequest)
_reset = RowCodec(PasswordReset)


class SqlResetRequests(ResetRequests):
    """The stored requests for password-reset links, all pending."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, request: ResetRequest) -> None:
        self._connection.execute(sa.insert(reset_requests).values(_request.write(request)))

    @override
    def take(self, limit: int) -> Sequence[ResetRequest]:
        oldest = (
            sa.select(reset_requests.c.id)
            .order_by(reset_requests.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)  # SQLite has one writer at a time anyway
        )
        ids = list(self._connection.execute(oldest).scalars())
        if not ids:
            return []
        taken = sa.delete(reset_requests).where(reset_requests.c.id.in_(ids)).returning(reset_requests)
        rows = sorted(self._connection.execute(taken), key=lambda row: int(row.id))
        return [_request.read(row) for row in rows]


class SqlPasswordResets(PasswordResets):
    """The stored password-reset links."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def put(self, reset: PasswordReset) -> None:
        values = _reset.write(reset)
        insert = upsert(self._connection, password_resets).values(values)
        self._connection.execute(insert.on_conflict_do_update(index_elements=["user_id"], set_=values))

    @override
    def find_user(self, token_hash: bytes, *, now: datetime) -> int | None:
        query = sa.select(password_resets.c.user_id).where(*_is_valid(token_hash, now))
        return self._connection.execute(query).scalar_one_or_none()

    @override
    def take(self, token_hash: bytes, *, now: datetime) -> int | None:
        taken = sa.delete(password_resets).where(*_is_valid(token_hash, now))
        return self._connection.execute(taken.returning(password_resets.c.user_id)).scalar_one_or_none()

    @override
    def delete_for_user(self, user_id: int) -> None:
        self._connection.execute(sa.delete(password_resets).where(password_resets.c.user_id == user_id))


def _is_valid(token_hash: bytes, now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return (password_resets.c.token_hash == token_hash, password_resets.c.expires_at > micros(now))
