"""What was changed by whom: kept in the same transaction as the change itself."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from attrs import frozen

from repaircore.kernel.callers import Caller, Environment

Shown: TypeAlias = Mapping[str, Any]
"""A state as it is told: names, and values that have a form in JSON. No secret stands in it."""


@frozen(kw_only=True)
class AuditEntry:
    """One change.

    ``action`` names it (``price_adjustment.set``), ``subject`` what was changed (``price_adjustment``,
    ``transactions/17``). ``before`` is None of what is new, ``after`` of what is gone. ``user_id`` None is the
    installation itself: the command line, an embedding application. ``email`` is that user's today, None
    when nobody has that id any more.
    """

    id: int
    at: datetime
    environment: Environment
    user_id: int | None
    key_id: int | None
    email: str | None
    action: str
    subject: str
    before: Shown | None
    after: Shown | None


class AuditLog(Protocol):
    """The kept changes. A unit of work offers it, so that a change and its entry are kept, or lost, together."""

    @abstractmethod
    def add(
        self,
        caller: Caller,
        action: str,
        subject: str,
        *,
        before: Shown | None,
        after: Shown | None,
        at: datetime,
    ) -> None:
        """Keep who changed what from what to what."""

    @abstractmethod
    def newest(self, *, limit: int, before_id: int | None = None) -> Sequence[AuditEntry]:
        """List the newest entries, newest first; with ``before_id`` those that came before that one."""


def difference(before: Shown, after: Shown) -> tuple[Shown, Shown]:
    """Give what was and what is, of what differs; both states tell the same names."""
    names = [name for name in after if before[name] != after[name]]
    return {name: before[name] for name in names}, {name: after[name] for name in names}
