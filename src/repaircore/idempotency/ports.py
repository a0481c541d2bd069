"""Ports for idempotency."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.idempotency.model import Claim, Reply


class IdempotentReplies(Protocol):
    """The stored replies, by partner, environment and key."""

    def claim(self, claim: Claim, *, at: datetime, stale: datetime) -> bool:
        """Claim a key that is unused, or whose reply was stored at ``stale`` or before; return False if it is taken.

        A claim that was stored without a reply leaves its key unused. One of several concurrent claims succeeds; the
        others wait until its unit of work ends.

        Raises:
            InProgress: the other unit of work did not end in time.
        """

    def find(self, claim: Claim, *, stale: datetime) -> Reply | None:
        """Return the reply to this request, or None if none was stored after ``stale``.

        Raises:
            KeyReused: the key belongs to another request.
        """

    def save(self, claim: Claim, reply: Reply) -> None:
        """Store the reply for a claimed key."""

    def prune(self, *, stale: datetime, most: int) -> int:
        """Delete at most ``most`` replies that were stored at ``stale`` or before; return how many."""


class IdempotencyWork(Protocol):
    """The part of a unit of work that idempotency needs."""

    @property
    def idempotent_replies(self) -> IdempotentReplies:
        """The stored replies."""

    def savepoint(self) -> AbstractContextManager[object]:
        """Open a savepoint, which is rolled back when the block raises."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[IdempotencyWork]]
"""Open a unit of work.

The service has three: ``transaction`` may write, ``read`` only reads, and units of work that are opened inside
``outer_transaction`` are savepoints of it.
"""
