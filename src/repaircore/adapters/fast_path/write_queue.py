"""A queue for the writers to one SQLite file: first come, first served, across all threads and processes of a machine.

It buys fairness, not speed. SQLite allows one writer at a time but has no queue: a writer that finds the file locked
sleeps for up to a tenth of a second, and others overtake it. With four processes that write without a pause, the 99th
percentile of a write was 0.2 to 0.9 s and the worst 2 to 4 s; with the queue they are 0.04 to 0.07 s and 0.1 s
(docs/explanation/performance.md). A lone writer pays 1 to 3%.
Plain alternative: nothing. SQLite's own lock and ``busy_timeout`` still decide, as they do where file locks do not work
(docs/decisions/write-queue.md).
"""

import fcntl
import os
import sqlite3
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Final

from repaircore.adapters.forks import PerProcess

SUFFIX: Final = "-queue"
"""The suffix of the queue's file, after the name of the database."""

_HAS_LOCKS: Final = hasattr(fcntl, "F_OFD_SETLK")
"""Only Linux has locks that belong to an open file rather than the process; elsewhere there is no queue."""
_FLOCK: Final = struct.Struct("hhqqi0q")
"""The system's ``struct flock``: type, whence, start, length, process."""

_TURN: Final = 0
"""The byte that the current writer locks. A waiting writer locks the byte at its arrival time in nanoseconds; one that
finds no other writer locks all bytes up to that one in one call."""
_SHORTEST_SLEEP: Final = 50_000
_LONGEST_SLEEP: Final = 10_000_000
_SHARE: Final = 16
"""A writer sleeps for a sixteenth of the time that it has waited; the count restarts once it is first in the queue."""
_GRACE: Final = 50_000_000
"""How many nanoseconds the turn may stay free before others overtake the first writer, which may be suspended."""


class WriteQueue:
    """The write queue of a database file: locks on the bytes of an empty file next to it.

    The kernel releases the locks of a process however it ends.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # A child shares its parent's open files, and would keep the parent's place after the parent has ended.
        self._open: PerProcess[set[int]] = PerProcess(set, leave=_close_all)

    @contextmanager
    def turn(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Wait for a turn to write, up to the connection's ``busy_timeout``, and hold it during the block.

        Until the block ends, ``busy_timeout`` is reduced by the time waited here. If it runs out, or there is no queue,
        the block runs anyway, and SQLite's own lock decides.
        """
        place = self._enter()
        if place is None:
            yield
            return
        timeout = None
        try:
            with suppress(OSError):  # a network file system may not support these locks
                arrived = time.monotonic_ns()
                if not _lock(place, _TURN, arrived + 1):  # all bytes up to now: no other writer is waiting
                    timeout = _busy_timeout(connection)
                    _wait(place, arrived, arrived + timeout * 1_000_000)
                    left = timeout - (time.monotonic_ns() - arrived) // 1_000_000
                    connection.execute(f"PRAGMA busy_timeout={max(0, left)}")
            yield
        finally:
            self._leave(place)
            if timeout is not None:
                with suppress(sqlite3.Error):  # the connection was closed in the meantime
                    connection.execute(f"PRAGMA busy_timeout={timeout}")

    @cached_property
    def _file(self) -> str:
        # Resolve links as SQLite does to name its journals, so that every path to the database leads to one queue.
        real = os.path.realpath(self._path)
        return real + SUFFIX

    def _enter(self) -> int | None:
        if not _HAS_LOCKS:
            return None
        try:
            # Reopen it each time: locks on a file that was removed or moved would exclude no one.
            place = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
        self._open().add(place)
        return place

    def _leave(self, place: int) -> None:
        mine = self._open()
        if place in mine:  # unless a fork happened in between, and this is the child
            mine.remove(place)
            os.close(place)


def _close_all(places: set[int]) -> None:
    for place in places:
        os.close(place)


def _busy_timeout(connection: sqlite3.Connection) -> int:
    """Return how long a connection waits for a lock, in milliseconds."""
    milliseconds: int = connection.execute("PRAGMA busy_timeout").fetchone()[0]
    return milliseconds


def _wait(place: int, arrived: int, until: int) -> None:
    """Wait in the queue, until ``until`` at most; ``arrived`` and ``until`` are nanoseconds on the monotonic clock."""
    while not _lock(place, arrived):
        arrived = time.monotonic_ns()  # another arrived in the same nanosecond, or locked faster
    now = busy = since = arrived
    is_behind = True
    while now < until:
        if is_behind and not _is_locked(place, _TURN + 1, arrived - 1):
            is_behind, since = False, now
        if not is_behind or now - busy > _GRACE:
            if _lock(place, _TURN):
                _set(place, fcntl.F_UNLCK, arrived, 1)  # the first in the queue gives up its place
                return
            busy = now
        elif _is_locked(place, _TURN, 1):
            busy = now
        time.sleep(min(max((now - since) // _SHARE, _SHORTEST_SLEEP), _LONGEST_SLEEP, until - now) / 1e9)
        now = time.monotonic_ns()


def _is_locked(place: int, start: int, length: int) -> bool:
    """Return whether another writer has locked one of these bytes."""
    lock = fcntl.fcntl(place, fcntl.F_OFD_GETLK, _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, start, length, 0))
    kind: int = _FLOCK.unpack(lock)[0]
    return kind != fcntl.F_UNLCK


def _lock(place: int, start: int, length: int = 1) -> bool:
    """Lock bytes and return True, or return False if another writer has locked one of them."""
    return _set(place, fcntl.F_WRLCK, start, length)


def _set(place: int, kind: int, start: int, length: int) -> bool:
    try:
        fcntl.fcntl(place, fcntl.F_OFD_SETLK, _FLOCK.pack(kind, os.SEEK_SET, start, length, 0))
    except (BlockingIOError, PermissionError):  # POSIX allows either
        return False
    return True
