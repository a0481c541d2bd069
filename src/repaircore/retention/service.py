"""Delete what is old, in small pieces."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from attrs import frozen

from repaircore.kernel.types import Clock, Timer
from repaircore.retention.model import RecordKind, RetentionPolicy
from repaircore.retention.ports import OpenWork

PIECE: Final = 250
"""How many records one transaction looks at: 6 milliseconds of work, as much as a request's. Others write in between."""

LONGEST_SECONDS: Final = 7200.0
"""How long one run lasts; the next one goes on."""


@frozen(kw_only=True)
class Retention:
    """The use case of retention. ``timer`` returns seconds of a monotonic clock; ``rest`` waits a moment for other writers."""

    transaction: OpenWork
    policy: RetentionPolicy
    clock: Clock
    timer: Timer
    rest: Callable[[], None]

    def prune(self) -> Mapping[str, int]:
        """Delete what is older than the policy says; return how many records of each kind. It may be interrupted anywhere."""
        ends_at, now = self.timer() + LONGEST_SECONDS, self.clock()
        return {
            kind.value: self._prune(kind, now - period, ends_at)
            for kind, period in self.policy.periods().items()
        }

    def _prune(self, kind: RecordKind, before: datetime, ends_at: float) -> int:
        deleted, last_id = 0, 0
        while self.timer() < ends_at:
            with self.transaction() as work:
                piece = work.old_records.delete(kind, before=before, after_id=last_id, most=PIECE)
            deleted += piece.deleted
            if piece.last_id is None:
                break
            last_id = piece.last_id
            self.rest()
        return deleted
