"""The audit log in the database."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.schema.accounts import users
from repaircore.adapters.sql.schema.operations import audit
from repaircore.json_text import encode_text
from repaircore.kernel.audit import AuditEntry, AuditLog, AuditState
from repaircore.kernel.callers import Caller

_entry = RowCodec(AuditEntry)


class SqlAudit(AuditLog):
    """The stored entries."""

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
        query = (
            sa.select(audit, users.c.email)
            .outerjoin(users, users.c.id == audit.c.user_id)
            .order_by(audit.c.id.desc())
            .limit(limit)
        )
        if before_id is not None:
            query = query.where(audit.c.id < before_id)
        return [_entry.read(row) for row in self._connection.execute(query)]
