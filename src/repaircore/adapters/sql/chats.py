"""Chats in the database."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, TypeVar
from uuid import UUID

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import translating_errors
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.schema.accounts import users
from repaircore.adapters.sql.schema.diagnosis import chat_messages, chat_sessions
from repaircore.adapters.sql.schema.vehicles import vehicles
from repaircore.adapters.sql.vehicles import SPECS_COLUMNS, specs_of
from repaircore.chat.model import IDLE, Chat, ChatVehicle, Detail, Kind, ListedChat, Message, Speaker, Status
from repaircore.chat.ports import ChatRecords
from repaircore.diagnosis.model import Evidence, OpenQuestion
from repaircore.json_text import decoder_of, encode_text
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import Page, PageRequest

T = TypeVar("T")

_chats = sa.select(chat_sessions, *(vehicles.c[name] for name in SPECS_COLUMNS)).join_from(
    chat_sessions, vehicles, vehicles.c.id == chat_sessions.c.vehicle_id, isouter=True
)
_ORDERS: Final = Orders(
    of="chats", columns={"created_at": chat_sessions.c.id}, id=chat_sessions.c.id, usual="-created_at"
)
_ANSWERED = "This question has already been answered by another request. Reload the chat session."


class SqlChats(ChatRecords):
    """Chats with their messages, in two tables."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def lock_starts(self, owner_id: int) -> None:
        if self._connection.dialect.name == "postgresql":
            # Wait as long as SQLite lets a writer wait, whatever the timeouts of other statements.
            self._connection.exec_driver_sql("SET LOCAL lock_timeout = '10s'")
            self._connection.exec_driver_sql("SET LOCAL statement_timeout = '10s'")
        # SQLite has one writer at a time anyway, and SQLAlchemy omits FOR UPDATE there.
        lock = sa.select(users.c.id).where(users.c.id == owner_id).with_for_update(key_share=True)
        self._connection.execute(lock)

    @override
    def nth_newest_start(self, nth: int, *, environment: Environment, owner_id: int) -> datetime | None:
        query = (
            sa.select(chat_sessions.c.started_at)
            .where(chat_sessions.c.environment == environment, chat_sessions.c.owner_id == owner_id)
            .order_by(chat_sessions.c.started_at.desc())
            .offset(nth - 1)
            .limit(1)
        )
        found = self._connection.execute(query).scalar_one_or_none()
        return None if found is None else moment(found)

    @override
    def add(self, chat: Chat, messages: Sequence[Message]) -> None:
        insert = sa.insert(chat_sessions).values(
            session_id=str(chat.session_id),
            owner_id=chat.owner_id,
            environment=chat.environment,
            started_at=micros(chat.started_at),
            version=chat.version,
            **_values(chat),
        )
        with translating_errors():  # the vehicle may be gone by now
            number = self._connection.execute(insert.returning(chat_sessions.c.id)).scalar_one()
        self._append(number, messages, first=1)

    @override
    def find(self, session_id: UUID, *, environment: Environment, owner_id: int | None) -> Chat | None:
        query = _chats.where(*_visible(environment, owner_id), chat_sessions.c.session_id == str(session_id))
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _chat(row)

    @override
    def messages(self, session_id: UUID) -> Sequence[Message]:
        query = (
            sa.select(chat_messages)
            .join(chat_sessions, chat_sessions.c.id == chat_messages.c.chat_id)
            .where(chat_sessions.c.session_id == str(session_id))
            .order_by(chat_messages.c.number)
        )
        return [_message(row) for row in self._connection.execute(query)]

    @override
    def replace(self, old: Chat, new: Chat, messages: Sequence[Message]) -> Chat:
        chat = evolve(new, version=old.version + 1)
        unchanged = (
            chat_sessions.c.session_id == str(old.session_id),
            chat_sessions.c.version == old.version,
        )
        update = sa.update(chat_sessions).where(*unchanged).values(version=chat.version, **_values(chat))
        with translating_errors():
            number = self._connection.execute(update.returning(chat_sessions.c.id)).scalar_one_or_none()
        if number is None:
            raise Conflict(_ANSWERED)
        self._append(number, messages, first=old.messages + 1)
        return chat

    @override
    def clear(self, chat: Chat) -> None:
        # Without comparing versions: a concurrent answer conflicts with this change, or its messages are deleted here.
        update = (
            sa.update(chat_sessions)
            .where(chat_sessions.c.session_id == str(chat.session_id))
            .values(**{**_values(chat), "version": chat_sessions.c.version + 1})
        )
        number = self._connection.execute(update.returning(chat_sessions.c.id)).scalar_one_or_none()
        if number is not None:  # otherwise it was erased meanwhile, with its messages
            self._connection.execute(sa.delete(chat_messages).where(chat_messages.c.chat_id == number))

    @override
    def page(
        self,
        *,
        environment: Environment,
        owner_id: int | None,
        email: str | None,
        status: Status | None,
        now: datetime,
        request: PageRequest,
    ) -> Page[ListedChat]:
        conditions = [
            *_visible(environment, owner_id),
            *([] if email is None else [chat_sessions.c.email == email]),
            *([] if status is None else _with_status(status, now)),
        ]
        return listed(
            self._connection,
            _chats.where(*conditions),
            request,
            _ORDERS,
            lambda row: _listed(_chat(row), now),
            counted=sa.select(chat_sessions.c.id).where(*conditions),
        )

    def _append(self, chat_id: int, messages: Sequence[Message], *, first: int) -> None:
        rows = [
            {
                "chat_id": chat_id,
                "number": number,
                "role": message.speaker,
                "kind": message.kind,
                "text": message.text,
                "detail": None if message.detail == Detail() else encode_text(message.detail),
                "created_at": micros(message.at),
            }
            for number, message in enumerate(messages, first)
        ]
        self._connection.execute(sa.insert(chat_messages), rows)


def _visible(environment: Environment, owner_id: int | None) -> list[sa.ColumnElement[bool]]:
    own = [] if owner_id is None else [chat_sessions.c.owner_id == owner_id]
    return [chat_sessions.c.environment == environment, *own]


def _with_status(status: Status, now: datetime) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for chats with a status at ``now``: an idle chat expires without an update to its row."""
    since = micros(now - IDLE)
    if status is Status.AWAITING_ANSWER:
        return [chat_sessions.c.status == status, chat_sessions.c.active_at > since]
    if status is Status.EXPIRED:
        return [chat_sessions.c.status == Status.AWAITING_ANSWER, chat_sessions.c.active_at <= since]
    return [chat_sessions.c.status == status]


def _values(chat: Chat) -> dict[str, object]:
    return {
        "email": chat.email,
        "status": chat.stored_status,
        "step": chat.step,
        "messages": chat.messages,
        "vin": chat.vin,
        "vehicle_id": None if chat.vehicle is None else str(chat.vehicle.id),
        "evidence": encode_text(chat.evidence),
        "question": None if chat.question is None else encode_text(chat.question),
        "diagnosis": None
        if chat.enough is None
        else encode_text(Detail(diagnosis=chat.diagnosis, enough=chat.enough)),
        "active_at": micros(chat.active_at),
    }


def _chat(row: "Row[Any]") -> Chat:
    outcome = Detail() if row.diagnosis is None else _read(row.diagnosis, Detail)
    return Chat(
        session_id=UUID(row.session_id),
        owner_id=row.owner_id,
        environment=Environment(row.environment),
        email=row.email,
        stored_status=Status(row.status),
        step=row.step,
        messages=row.messages,
        vin=row.vin,
        vehicle=_vehicle(row),
        evidence=_read(row.evidence, Evidence),
        question=None if row.question is None else _read(row.question, OpenQuestion),
        diagnosis=outcome.diagnosis,
        enough=outcome.enough,
        started_at=moment(row.started_at),
        active_at=moment(row.active_at),
        version=row.version,
    )


def _vehicle(row: "Row[Any]") -> ChatVehicle | None:
    return None if row.vehicle_id is None else ChatVehicle(id=UUID(row.vehicle_id), specs=specs_of(row))


def _listed(chat: Chat, now: datetime) -> ListedChat:
    return ListedChat(
        session_id=chat.session_id,
        vin=chat.vin,
        vehicle=chat.vehicle,
        status=chat.status(now),
        step=chat.step,
        messages=chat.messages,
        email=chat.email,
        started_at=chat.started_at,
    )


def _message(row: "Row[Any]") -> Message:
    return Message(
        speaker=Speaker(row.role),
        kind=Kind(row.kind),
        text=row.text,
        at=moment(row.created_at),
        detail=Detail() if row.detail is None else _read(row.detail, Detail),
    )


def _read(text: str, shape: type[T]) -> T:
    return decoder_of(shape)(text)
