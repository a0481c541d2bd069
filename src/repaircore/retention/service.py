"""Delete old records, in small batches."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from attrs import frozen

from repaircore.kernel.types import Clock, Timer
from repaircore.retention.model import RecordKind, RetentionPolicy
from repaircore.retention.ports import OpenWork

PIECE: Final = 250
"""How many records one transaction examines: about 6 ms of work, like a request, so that others can write too."""

LONGEST_SECONDS: Final = 7200.0
"""How long one run may last, in seconds; the next run continues."""


@frozen(kw_only=True)
class Retention:
    """Deletes records older than the retention policy allows.

    ``timer`` is a monotonic clock in seconds, and ``rest`` pauses so that others can write.
    """

    transaction: OpenWork
    policy: RetentionPolicy
    clock: Clock
    timer: Timer
    rest: Callable[[], None]

    def prune(self) -> Mapping[str, int]:
        """Delete records older than the policy allows, and return how many were deleted, by kind.

        Interrupting it is safe: each batch is a transaction.
        """
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
