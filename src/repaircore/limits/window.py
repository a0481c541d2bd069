"""The arithmetic of a sliding log: at most N in *any* window, not in each calendar minute.

The log holds the last N admissions. One more fits when the oldest of them has left the window, so a
decision looks at one number, however long the log. All times are nanoseconds.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence

from repaircore.limits.model import Limit, Verdict, WindowStatus

NEVER = 0
"""The mark of a place in the ring that was never taken."""

_SECOND = 1_000_000_000
_ADMITTED = Verdict(admitted=True)


def decide(oldest: int, now: int, limit: Limit) -> Verdict:
    """Decide on one more at ``now``, given when the N-th last was admitted.

    An ``oldest`` that lies ahead of ``now`` was written before the clock started anew (a reboot)
    and counts as never.
    """
    if oldest <= NEVER or oldest > now:
        return _ADMITTED
    left = oldest + limit.seconds * _SECOND - now
    if left <= 0:
        return _ADMITTED
    return Verdict(admitted=False, retry_after=_seconds(left))


def counted(at: Callable[[int], int], now: int, limit: Limit) -> int:
    """Count the admissions that ``decide`` counts at ``now``; ``at(0)`` is the N-th last, ``at(N - 1)`` the last.

    They are in the order of time, so a handful of them tells.
    """
    since = now - limit.seconds * _SECOND
    return limit.count - bisect_left(
        range(limit.count), True, key=lambda place: NEVER < at(place) <= now and at(place) > since
    )


def recent(log: Sequence[int], now: int, limit: Limit) -> Sequence[int]:
    """Return what still counts of a log that is kept by a clock which may be set, oldest first.

    A clock that is put right goes back by less than a window: what lies ahead of it counts, rather than being
    admitted twice. What lies ahead by more than a window tells of a clock that was wrong, and the log begins anew.
    """
    window = limit.seconds * _SECOND
    if not log or log[-1] > now + window:
        return ()
    return log[bisect_left(log, now - window + 1) :]


def appended(log: Sequence[int], now: int, limit: Limit) -> Sequence[int]:
    """Add one more at ``now`` to what counts, if there is a place; never before the one that came last."""
    if len(log) >= limit.count:
        return log
    return (*log, max(now, log[-1]) if log else now)


def standing(*, admitted: bool, count: int, oldest: int, now: int, wall: int, limit: Limit) -> WindowStatus:
    """Tell how a window stands, in which ``count`` count and ``oldest`` is the first of them.

    ``now`` is on the clock of the log, ``wall`` the same moment since 1970.
    """
    left = oldest + limit.seconds * _SECOND - now
    return WindowStatus(
        limit=limit.count,
        remaining=max(0, limit.count - count),
        reset_at=_seconds(wall + left),
        admitted=admitted,
        retry_after=0 if admitted else _seconds(left),
    )


def unused(limit: Limit, wall: int) -> WindowStatus:
    """Tell how a window stands in which nothing counts."""
    return WindowStatus(limit=limit.count, remaining=limit.count, reset_at=_seconds(wall))


def used_up(limit: Limit, wall: int) -> WindowStatus:
    """Tell how a window stands that may be full since this moment."""
    left = limit.seconds * _SECOND
    return WindowStatus(
        limit=limit.count,
        remaining=0,
        reset_at=_seconds(wall + left),
        admitted=False,
        retry_after=_seconds(left),
    )


def _seconds(nanoseconds: int) -> int:
    """Round up to whole seconds."""
    return -(-nanoseconds // _SECOND)
