"""The arithmetic of a sliding log: at most N in *any* window, not in each calendar minute.

The log is a ring of the last N admissions. One more fits when the oldest of them has left the
window, so a decision looks at one number, however long the log.
"""

from repaircore.limits.model import Limit, Verdict

__all__ = ["NEVER", "decide"]

NEVER = 0
"""The mark of a place in the ring that was never taken."""

_SECOND = 1_000_000_000
_ADMITTED = Verdict(admitted=True)


def decide(oldest: int, now: int, limit: Limit) -> Verdict:
    """Decide on one more at ``now``, given when the N-th last was admitted (both in nanoseconds).

    An ``oldest`` that lies ahead of ``now`` was written before the clock started anew (a reboot)
    and counts as never.
    """
    if oldest <= NEVER or oldest > now:
        return _ADMITTED
    left = oldest + limit.seconds * _SECOND - now
    if left <= 0:
        return _ADMITTED
    return Verdict(admitted=False, retry_after=-(-left // _SECOND))
