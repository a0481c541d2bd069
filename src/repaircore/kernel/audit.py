"""Audit log entries, written in the same transaction as the change itself."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal, Protocol, TypeAlias

from attrs import frozen

from repaircore.kernel.callers import Caller, Environment

AuditState: TypeAlias = Mapping[str, Any]
"""A record's state: JSON values by field name. It never contains a secret."""

AuditActor: TypeAlias = Literal["user", "installation", "provider"]
"""Who made a change: an account, the installation itself (command line or embedding application), or a provider."""

STOP: Final = "stop"
"""The action of a provider who stops receiving requests."""
BY_PROVIDERS: Final = frozenset({f"driver.{STOP}", f"business.{STOP}"})
"""Actions that only providers take; providers have no account."""


@frozen(kw_only=True)
class AuditEntry:
    """One change.

    ``action`` names the change (``price_adjustment.set``), ``subject`` the record (``price_adjustment``,
    ``transactions/17``). ``before`` is None for a new record, ``after`` for a deleted one. ``user_id`` is None if
    whoever made the change has no account (see ``actor``). ``email`` is the user's current address, or None if the user
    no longer exists.
    """

    id: int
    at: datetime
    environment: Environment
    user_id: int | None
    key_id: int | None
    email: str | None
    action: str
    subject: str
    before: AuditState | None
    after: AuditState | None

    @property
    def actor(self) -> AuditActor:
        """Return who made the change."""
        if self.user_id is not None:
            return "user"
        return "provider" if self.action in BY_PROVIDERS else "installation"


class AuditLog(Protocol):
    """The audit log; part of a unit of work, so that a change and its entry are committed together."""

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
        """Add an entry."""

    def list_newest(self, *, limit: int, before_id: int | None = None) -> Sequence[AuditEntry]:
        """List entries, newest first; ``before_id`` limits them to those older than that entry."""


def difference(before: AuditState, after: AuditState) -> tuple[AuditState, AuditState]:
    """Return the fields that differ, before and after; both states have the same fields."""
    names = [name for name in after if before[name] != after[name]]
    return {name: before[name] for name in names}, {name: after[name] for name in names}
