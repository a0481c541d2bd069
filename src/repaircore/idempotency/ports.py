"""Where replies are kept."""

from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.idempotency.model import Claim, Reply


class KeptReplies(Protocol):
    """The kept replies, by partner, environment and key."""

    @abstractmethod
    def claim(self, claim: Claim, *, at: datetime, stale: datetime) -> bool:
        """Take a key that is free, or whose reply was kept at ``stale`` or before; False when it is somebody's.

        A claim that was kept without a reply leaves its key free.

        Of those who try at once one gets it; the others wait until that unit of work ends.

        Raises:
            InProgress: it has not ended in time.
        """

    @abstractmethod
    def find(self, claim: Claim, *, stale: datetime) -> Reply | None:
        """Return the reply to this request, None when none was kept since ``stale``.

        Raises:
            KeyReused: the key belongs to another request.
        """

    @abstractmethod
    def keep(self, claim: Claim, reply: Reply) -> None:
        """Keep the reply to a claimed key."""

    @abstractmethod
    def prune(self, *, stale: datetime, most: int) -> int:
        """Forget at most so many replies that were kept at ``stale`` or before; give how many."""


class IdempotencyWork(Protocol):
    """The part of a unit of work that idempotency needs."""

    @property
    @abstractmethod
    def kept_replies(self) -> KeptReplies:
        """The kept replies."""

    @abstractmethod
    def part(self) -> AbstractContextManager[object]:
        """Undo what is written inside when it raises, and only that."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[IdempotencyWork]]
"""Open a unit of work.

The service holds three: ``begin`` may write, ``look`` only reads, and what opens units of work inside
``together`` becomes a part of it.
"""
