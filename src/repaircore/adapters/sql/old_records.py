"""Delete old records, which are found by id in tables whose ids increase with time, and by expiry time in others."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from attrs import frozen
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros
from repaircore.adapters.sql.schema.accounts import sessions
from repaircore.adapters.sql.schema.diagnosis import chat_sessions
from repaircore.adapters.sql.schema.fleet import lifecycle_predictions
from repaircore.adapters.sql.schema.operations import audit, imports
from repaircore.adapters.sql.schema.predictions import feedback, predictions, remembered
from repaircore.adapters.sql.schema.rides import ACTIVE_REQUESTS, dispatch_requests
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.retention.model import Piece, RecordKind
from repaircore.retention.ports import OldRecords

_ACTIVE: Final = [status.strip(" '") for status in ACTIVE_REQUESTS.split(",")]


@frozen
class _Log:
    """A table whose ids increase with time: its time column, and a condition for the rows that are still needed."""

    at: "sa.Column[int]"
    needed: "sa.ColumnElement[bool]"


_LOGS: Final[Mapping[RecordKind, _Log]] = {
    RecordKind.PREDICTIONS: _Log(
        predictions.c.created_at,
        sa.or_(
            sa.exists().where(feedback.c.prediction_id == predictions.c.id),
            sa.exists().where(transactions.c.prediction_id == predictions.c.id),
        ),
    ),
    RecordKind.FORECASTS: _Log(lifecycle_predictions.c.created_at, sa.false()),
    # A chat may go on for a while.
    RecordKind.CHATS: _Log(chat_sessions.c.active_at, sa.false()),
    RecordKind.AUDIT: _Log(audit.c.at, sa.false()),
    RecordKind.IMPORTS: _Log(imports.c.started_at, imports.c.finished_at.is_(None)),
    RecordKind.PROVIDER_REQUESTS: _Log(dispatch_requests.c.sent_at, dispatch_requests.c.status.in_(_ACTIVE)),
}
_ENDING: Final[Mapping[RecordKind, tuple["sa.Column[object]", "sa.Column[int]"]]] = {
    RecordKind.ANSWERS: (remembered.c.id, remembered.c.expires_at),
    RecordKind.SESSIONS: (sessions.c.token_hash, sessions.c.expires_at),
}
"""The key and expiry columns of records that are not needed once expired; an index finds the expired ones."""


class SqlOldRecords(OldRecords):
    """The stored records; old ones are deleted in batches."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def delete(self, kind: RecordKind, *, before: datetime, after_id: int, most: int) -> Piece:
        log = _LOGS.get(kind)
        if log is None:
            return self._delete_ended(*_ENDING[kind], micros(before), most)
        table = log.at.table
        query = sa.select(table.c.id, log.at).where(table.c.id > after_id).order_by(table.c.id).limit(most)
        rows = self._connection.execute(query).all()
        old = [row[0] for row in rows if row[1] < micros(before)]
        deleted = 0
        if old:
            deletion = sa.delete(table).where(table.c.id.in_(old), sa.not_(log.needed))
            deleted = self._connection.execute(deletion).rowcount
        # A piece without old rows is the last one: rows with higher ids are newer.
        is_over = len(rows) < most or not old
        return Piece(deleted=deleted, last_id=None if is_over else rows[-1][0])

    def _delete_ended(
        self, key: "sa.Column[object]", ends_at: "sa.Column[int]", before: int, most: int
    ) -> Piece:
        ended = (
            sa.select(key)
            .where(ends_at <= before)
            .order_by(ends_at)
            .limit(most)
            .with_for_update(skip_locked=True)
        )
        deleted = self._connection.execute(sa.delete(key.table).where(key.in_(ended))).rowcount
        return Piece(deleted=deleted, last_id=0 if deleted == most else None)
