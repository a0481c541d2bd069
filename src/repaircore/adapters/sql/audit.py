"""The audit log in the database."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.schema.accounts import users
from repaircore.adapters.sql.schema.operations import audit
from repaircore.audit.model import AuditCriteria
from repaircore.audit.ports import AuditReader
from repaircore.json_text import encode_text
from repaircore.kernel.audit import BY_PROVIDERS, AuditEntry, AuditState
from repaircore.kernel.callers import Caller
from repaircore.kernel.paging import Page, PageRequest

_entry = RowCodec(AuditEntry)
_EVERYTHING: Final = AuditCriteria()
_DAY: Final = timedelta(days=1) // timedelta(microseconds=1)


_ORDERS = Orders(of="audit", columns={"at": audit.c.id}, id=audit.c.id, usual="-at")


class SqlAudit(AuditReader):
    """The stored audit entries."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(
        self,
        caller: Caller,
        action: str,
        subject: str,
        *,
        before: AuditState | None,
        after: AuditState | None,
        at: datetime,
    ) -> None:
        self._connection.execute(
            sa.insert(audit).values(
                at=micros(at),
                environment=caller.environment,
                user_id=caller.user_id,
                key_id=caller.key_id,
                action=action,
                subject=subject,
                before=None if before is None else encode_text(before),
                after=None if after is None else encode_text(after),
            )
        )

    @override
    def list_newest(self, *, limit: int, before_id: int | None = None) -> Sequence[AuditEntry]:
        return self.list_matching(_EVERYTHING, limit=limit, before_id=before_id)

    @override
    def page(self, wanted: AuditCriteria, request: PageRequest) -> Page[AuditEntry]:
        return listed(
            self._connection,
            _matching(wanted),
            request,
            _ORDERS,
            _entry.read,
            counted=sa.select(audit.c.id).where(*_conditions(wanted)),
        )

    @override
    def list_matching(
        self, wanted: AuditCriteria, *, limit: int, before_id: int | None = None
    ) -> Sequence[AuditEntry]:
        query = _newest_first(wanted).limit(limit)
        if before_id is not None:
            query = query.where(audit.c.id < before_id)
        return [_entry.read(row) for row in self._connection.execute(query)]

    @override
    def list_actions(self) -> Sequence[str]:
        query = sa.select(audit.c.action).distinct().order_by(audit.c.action)
        return self._connection.execute(query).scalars().all()

    @override
    def find_author(self, email: str) -> int | None:
        query = sa.select(users.c.id).where(users.c.email == email)
        return self._connection.execute(query).scalar_one_or_none()


def _newest_first(wanted: AuditCriteria) -> "sa.Select[Any]":
    return _matching(wanted).order_by(audit.c.id.desc())


def _matching(wanted: AuditCriteria) -> "sa.Select[Any]":
    return (
        sa.select(audit, users.c.email)
        .select_from(audit.outerjoin(users, users.c.id == audit.c.user_id))
        .where(*_conditions(wanted))
    )


def _conditions(wanted: AuditCriteria) -> "Iterator[sa.ColumnElement[bool]]":
    if wanted.by_installation:
        yield audit.c.user_id.is_(None)
        yield audit.c.action.not_in(sorted(BY_PROVIDERS))
    if wanted.user_id is not None:
        yield audit.c.user_id == wanted.user_id
    if wanted.action is not None:
        yield audit.c.action == wanted.action
    if wanted.date_from is not None:
        yield audit.c.at >= micros(_midnight(wanted.date_from))
    if wanted.date_to is not None:
        yield audit.c.at < micros(_midnight(wanted.date_to)) + _DAY


def _midnight(on: date) -> datetime:
    return datetime.combine(on, time(), UTC)
