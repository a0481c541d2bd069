"""Mails in the database."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.schema.operations import mails
from repaircore.mails.model import Mail, NewMail
from repaircore.mails.ports import MailRecords

_new_mail = RowCodec(NewMail)
_mail = RowCodec(Mail, mail=_new_mail)


class SqlMails(MailRecords):
    """The stored mails."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, mail: NewMail, at: datetime) -> None:
        self._connection.execute(
            sa.insert(mails).values(
                **_new_mail.write(mail),
                recipient_key=mail.recipient.casefold(),
                state="pending",
                attempts=0,
                due_at=micros(at),
                created_at=micros(at),
            )
        )

    @override
    def claim(self, now: datetime, *, until: datetime, limit: int) -> Sequence[Mail]:
        due = (
            sa.select(mails.c.id)
            .where(mails.c.state == "pending", mails.c.due_at <= micros(now))
            .order_by(mails.c.due_at, mails.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)  # SQLite has one writer at a time anyway
        )
        ids = list(self._connection.execute(due).scalars())
        if not ids:
            return []
        claimed = sa.update(mails).where(mails.c.id.in_(ids))
        rows = self._connection.execute(
            claimed.values(due_at=micros(until), attempts=mails.c.attempts + 1).returning(mails)
        )
        found = {row.id: _mail.read(row) for row in rows}
        return [found[number] for number in ids]

    @override
    def sent(self, mail: Mail, at: datetime) -> None:
        self._end(mail, state="sent", ended_at=micros(at), last_error=None)

    @override
    def postpone(self, mail: Mail, error: str, due_at: datetime) -> None:
        self._set(mail, due_at=micros(due_at), last_error=error)

    @override
    def give_up(self, mail: Mail, error: str, at: datetime) -> None:
        self._end(mail, state="dead", ended_at=micros(at), last_error=error)

    @override
    def prune(self, before: datetime) -> int:
        old = sa.delete(mails).where(mails.c.state != "pending", mails.c.ended_at < micros(before))
        return self._connection.execute(old).rowcount

    def _end(self, mail: Mail, **values: Any) -> None:
        self._set(mail, **values, **({} if mail.mail.expires_at is None else {"body": ""}))

    def _set(self, mail: Mail, **values: Any) -> None:
        # A worker whose lease has expired must not change a mail that has ended.
        pending = sa.update(mails).where(mails.c.id == mail.id, mails.c.state == "pending")
        self._connection.execute(pending.values(**values))
