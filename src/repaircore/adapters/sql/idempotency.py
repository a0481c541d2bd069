"""Replies stored under idempotency keys, in the database."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.partners import idempotent_replies
from repaircore.idempotency.errors import InProgress, KeyReused
from repaircore.idempotency.model import Claim, Reply
from repaircore.idempotency.ports import IdempotentReplies

_LOCK_NOT_AVAILABLE: Final = "55P03"
_KEY: Final = (idempotent_replies.c.partner_id, idempotent_replies.c.environment, idempotent_replies.c.key)


class SqlIdempotentReplies(IdempotentReplies):
    """The stored replies; the primary key makes claims exclusive."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def claim(self, claim: Claim, *, at: datetime, stale: datetime) -> bool:
        insert = upsert(self._connection, idempotent_replies).values(
            partner_id=claim.caller.partner_id,
            environment=claim.caller.environment,
            key=claim.key,
            fingerprint=claim.fingerprint,
            status=None,
            body=None,
            stored_at=micros(at),
        )
        columns = {name: insert.excluded[name] for name in ("fingerprint", "status", "body", "stored_at")}
        # A request in progress has locked its row, so a visible row without a reply is an abandoned claim.
        unused = sa.or_(
            idempotent_replies.c.stored_at <= micros(stale), idempotent_replies.c.status.is_(None)
        )
        upserted = insert.on_conflict_do_update(
            index_elements=list(_KEY), set_=columns, where=unused
        ).returning(idempotent_replies.c.key)
        try:
            return self._connection.execute(upserted).one_or_none() is not None
        except sa.exc.OperationalError as error:
            if _is_claimed(error.orig):
                raise InProgress from error
            raise  # another table is locked: the partner's row, say

    @override
    def find(self, claim: Claim, *, stale: datetime) -> Reply | None:
        query = sa.select(
            idempotent_replies.c.fingerprint, idempotent_replies.c.status, idempotent_replies.c.body
        )
        replied = sa.and_(
            idempotent_replies.c.stored_at > micros(stale), idempotent_replies.c.status.is_not(None)
        )
        row = self._connection.execute(query.where(_matches(claim), replied)).one_or_none()
        if row is None:
            return None
        if row.fingerprint != claim.fingerprint:
            raise KeyReused
        return Reply(status=row.status, body=row.body)

    @override
    def save(self, claim: Claim, reply: Reply) -> None:
        change = (
            sa.update(idempotent_replies).where(_matches(claim)).values(status=reply.status, body=reply.body)
        )
        self._connection.execute(change)

    @override
    def prune(self, *, stale: datetime, most: int) -> int:
        # With row values SQLite would scan every reply of a partner.
        by_row = self._connection.dialect.name == "sqlite"
        place: Sequence[sa.ColumnElement[Any]] = [sa.literal_column("rowid")] if by_row else _KEY
        old = (
            sa.select(*place)
            .where(idempotent_replies.c.stored_at <= micros(stale))
            .order_by(idempotent_replies.c.stored_at)
            .limit(most)
            .with_for_update(skip_locked=True)
        )
        return self._connection.execute(
            sa.delete(idempotent_replies).where(sa.tuple_(*place).in_(old))
        ).rowcount


def _is_claimed(error: Any) -> bool:
    """Return whether a claim timed out waiting for another claim's row.

    The error's context names the locked relation: this table or its index, or one that a foreign key refers to.
    """
    if getattr(error, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
        return False
    return idempotent_replies.name in (error.diag.context or "")


def _matches(claim: Claim) -> sa.ColumnElement[bool]:
    return sa.and_(
        idempotent_replies.c.partner_id == claim.caller.partner_id,
        idempotent_replies.c.environment == claim.caller.environment,
        idempotent_replies.c.key == claim.key,
    )
