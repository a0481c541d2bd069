"""Sliding-log arithmetic: at most N in *any* window, not in each calendar minute.

The log holds the last N admissions. Another one fits when the oldest of them has left the window, so a
decision looks at one number, however long the log. All times are nanoseconds.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence

from repaircore.limits.model import Limit, Verdict, WindowStatus

NEVER = 0
"""The time in a ring slot that was never used."""

_SECOND = 1_000_000_000
_ADMITTED = Verdict(admitted=True)


def decide(oldest: int, now: int, limit: Limit) -> Verdict:
    """Decide on a request at ``now``, given the time of the Nth most recent admission.

    An ``oldest`` after ``now`` was written before the clock restarted (a reboot) and counts as never.
    """
    if oldest <= NEVER or oldest > now:
        return _ADMITTED
    left = oldest + limit.seconds * _SECOND - now
    if left <= 0:
        return _ADMITTED
    return Verdict(admitted=False, retry_after=_seconds(left))


def count_admissions(at: Callable[[int], int], now: int, limit: Limit) -> int:
    """Count the admissions that ``decide`` counts at ``now``.

    ``at(0)`` is the Nth most recent, ``at(N - 1)`` the latest. They are ordered by time, so a binary search is enough.
    """
    since = now - limit.seconds * _SECOND
    return limit.count - bisect_left(
        range(limit.count), True, key=lambda place: NEVER < at(place) <= now and at(place) > since
    )


def recent(log: Sequence[int], now: int, limit: Limit) -> Sequence[int]:
    """Return the part of a log that still counts, oldest first; the clock may have been adjusted since.

    If a correction has set the clock back by less than a window, times in the future still count, so that nothing is
    admitted twice. Times further ahead come from a clock that was wrong: the log starts over.
    """
    window = limit.seconds * _SECOND
    if not log or log[-1] > now + window:
        return ()
    return log[bisect_left(log, now - window + 1) :]


def appended(log: Sequence[int], now: int, limit: Limit) -> Sequence[int]:
    """Return the log with an admission appended, if there is room.

    Its time is ``now``, or that of the last admission if that is later.
    """
    if len(log) >= limit.count:
        return log
    return (*log, max(now, log[-1]) if log else now)


def window_status(
    *, admitted: bool, count: int, oldest: int, now: int, wall: int, limit: Limit
) -> WindowStatus:
    """Return the status of a window with ``count`` admissions, the first of them at ``oldest``.

    ``now`` is on the clock of the log; ``wall`` is the same moment in nanoseconds since 1970.
    """
    left = oldest + limit.seconds * _SECOND - now
    return WindowStatus(
        limit=limit.count,
        remaining=max(0, limit.count - count),
        reset_at=_seconds(wall + left),
        admitted=admitted,
        retry_after=0 if admitted else _seconds(left),
    )


def unused_status(limit: Limit, wall: int) -> WindowStatus:
    """Return the status of a window without admissions."""
    return WindowStatus(limit=limit.count, remaining=limit.count, reset_at=_seconds(wall))


def used_up_status(limit: Limit, wall: int) -> WindowStatus:
    """Return the status of a window that counts as having just been filled."""
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
