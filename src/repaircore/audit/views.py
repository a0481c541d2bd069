"""Entries of the audit log, as clients see them."""

from datetime import datetime
from typing import Self

from repaircore.kernel.audit import AuditActor, AuditEntry, AuditState
from repaircore.kernel.callers import Environment
from repaircore.kernel.views import view


@view
class AuditEntryView:
    """An entry of the audit log. ``actor`` is who made the change; only users have an ID."""

    id: int
    at: datetime
    environment: Environment
    actor: AuditActor
    user_id: int | None
    email: str | None
    key_id: int | None
    action: str
    subject: str
    before: AuditState | None
    after: AuditState | None

    @classmethod
    def of(cls, entry: AuditEntry) -> Self:
        """Return the view of an entry."""
        return cls(
            id=entry.id,
            at=entry.at,
            environment=entry.environment,
            actor=entry.actor,
            user_id=entry.user_id,
            email=entry.email,
            key_id=entry.key_id,
            action=entry.action,
            subject=entry.subject,
            before=entry.before,
            after=entry.after,
        )
