"""Messages in the database."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.schema.operations import messages
from repaircore.adapters.sql.schema.rides import dispatch_requests
from repaircore.messages.model import Channel, Message, MessageFilter, MessageState, NewMessage, StoredMessage
from repaircore.messages.ports import MessageRecords

_new = RowCodec(NewMessage)
_message = RowCodec(Message, content=_new)
_stored = RowCodec(StoredMessage, content=_new)
_CLEARED: Final[Mapping[str, Any]] = {"body": ""}


class SqlMessages(MessageRecords):
    """The stored messages."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, message: NewMessage, at: datetime) -> None:
        state = MessageState.SENT if message.is_sandboxed else MessageState.PENDING
        self._connection.execute(
            sa.insert(messages).values(
                **_new.write(message),
                recipient_key=message.recipient.casefold(),
                state=state.value,
                attempts=0,
                due_at=micros(at),
                created_at=micros(at),
                ended_at=micros(at) if message.is_sandboxed else None,
            )
        )

    @override
    def claim(self, channel: Channel, now: datetime, *, until: datetime, limit: int) -> Sequence[Message]:
        due = (
            sa.select(messages.c.id)
            .where(
                sa.text("state = 'pending'"),
                messages.c.channel == channel.value,
                messages.c.due_at <= micros(now),
            )
            .order_by(messages.c.due_at, messages.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)  # SQLite has one writer at a time anyway
        )
        ids = list(self._connection.execute(due).scalars())
        if not ids:
            return []
        claimed = sa.update(messages).where(messages.c.id.in_(ids))
        rows = self._connection.execute(
            claimed.values(due_at=micros(until), attempts=messages.c.attempts + 1).returning(messages)
        )
        found = {row.id: _message.read(row) for row in rows}
        return [found[number] for number in ids]

    @override
    def sent(self, message: Message, at: datetime) -> None:
        self._end(message, state=MessageState.SENT.value, ended_at=micros(at), last_error=None)

    @override
    def postpone(self, message: Message, error: str, due_at: datetime) -> None:
        self._set(message, due_at=micros(due_at), last_error=error)

    @override
    def give_up(self, message: Message, error: str, at: datetime) -> None:
        self._end(message, state=MessageState.DEAD.value, ended_at=micros(at), last_error=error)

    @override
    def withdraw(self, about: str) -> None:
        pending = (messages.c.about == about, messages.c.state == "pending")
        self._connection.execute(sa.delete(messages).where(*pending))

    @override
    def prune(self, before: datetime, *, most: int) -> int:
        ended = (messages.c.state != "pending", messages.c.ended_at < micros(before))
        old = sa.select(messages.c.id).where(*ended).limit(most)
        return self._connection.execute(sa.delete(messages).where(messages.c.id.in_(old))).rowcount

    @override
    def list_about(self, about: str) -> Sequence[StoredMessage]:
        query = sa.select(messages).where(self._is_about(about)).order_by(messages.c.id)
        return [_stored.read(row) for row in self._connection.execute(query)]

    @override
    def list_newest(self, wanted: MessageFilter, *, limit: int) -> Sequence[StoredMessage]:
        query = sa.select(messages).order_by(messages.c.id.desc()).limit(limit)
        if wanted.environment is not None:
            query = query.where(messages.c.environment == wanted.environment.value)
        if wanted.about is not None:
            query = query.where(self._is_about(wanted.about))
        if wanted.state is not None:
            query = query.where(messages.c.state == wanted.state.value)
        if wanted.channel is not None:
            query = query.where(messages.c.channel == wanted.channel.value)
        return [_stored.read(row) for row in self._connection.execute(query)]

    def _is_about(self, about: str) -> sa.ColumnElement[bool]:
        # Two statements, because the second then is one range of an index for each reference.
        requests = sa.select(dispatch_requests.c.ref).where(dispatch_requests.c.ride_ref == about)
        return messages.c.about.in_([about, *self._connection.execute(requests).scalars()])

    def _end(self, message: Message, **values: Any) -> None:
        cleared = {} if message.content.expires_at is None else _CLEARED
        self._set(message, **values, **cleared)

    def _set(self, message: Message, **values: Any) -> None:
        # A worker whose lease has expired must not change a message that has ended.
        pending = sa.update(messages).where(messages.c.id == message.id, messages.c.state == "pending")
        self._connection.execute(pending.values(**values))
