"""The line in which those who want to write to one SQLite file wait, first come, first served.

SQLite lets one write at a time, but has no line: who finds it taken sleeps for up to a tenth of a second, and whoever
comes by meanwhile goes first. Here each takes a place in a line that all threads and processes of the machine share.
The line is a courtesy: that two never write at once is still SQLite's own doing (docs/decisions/write-queue.md).
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
"""How the file is named, behind the database's own name."""

_HAS_LOCKS: Final = hasattr(fcntl, "F_OFD_SETLK")
"""Linux has locks that belong to whoever opened the file, and not to the whole process; elsewhere nobody queues."""
_FLOCK: Final = struct.Struct("hhqqi0q")
"""The system's ``struct flock``: kind, from where, start, length, process."""

_TURN: Final = 0
"""The byte that is locked by whoever writes. Who waits locks the byte of the nanosecond at which they came; who finds
nobody there locks all as far as that at once."""
_SHORTEST: Final = 50_000
_LONGEST: Final = 10_000_000
_SHARE: Final = 16
"""Who has waited for sixteen moments looks again after one more; whoever is next counts anew from then."""
_GRACE: Final = 50_000_000
"""For how long nobody may take the turn before those behind pass the first in line by: it may be a stopped process."""


class WriteQueue:
    """The line for a database file, kept by locks on the bytes of an empty file beside it.

    The kernel drops the locks of a process that ends, however it ends.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # A child shares what its parent has open, and would keep the parent's place when that is no more.
        self._open: PerProcess[set[int]] = PerProcess(set, leave=_close_all)

    @contextmanager
    def turn(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Wait for a turn to write, for as long as ``connection`` would wait for a lock, and keep it through the block.

        The connection's patience is less by what was waited here until the block ends. When it ran out, or
        there can be no line, the block is run all the same: what SQLite says then is the truth.
        """
        place = self._entered()
        if place is None:
            yield
            return
        patience = None
        try:
            with suppress(OSError):  # the disk of another machine, say, knows no such locks
                came = time.monotonic_ns()
                if not _lock(place, _TURN, came + 1):  # as far as anybody may wait: nobody is there
                    patience = _patience(connection)
                    _wait(place, came, came + patience * 1_000_000)
                    left = patience - (time.monotonic_ns() - came) // 1_000_000
                    connection.execute(f"PRAGMA busy_timeout={max(0, left)}")
            yield
        finally:
            self._leave(place)
            if patience is not None:
                with suppress(sqlite3.Error):  # it was closed meanwhile
                    connection.execute(f"PRAGMA busy_timeout={patience}")

    @cached_property
    def _file(self) -> str:
        real = os.path.realpath(self._path)  # as SQLite names its journals: by whatever name it is opened
        return real + SUFFIX

    def _entered(self) -> int | None:
        if not _HAS_LOCKS:
            return None
        try:
            # Anew each time: locks on a file that somebody removed, or moved away, would be locks for ourselves.
            place = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
        self._open().add(place)
        return place

    def _leave(self, place: int) -> None:
        mine = self._open()
        if place in mine:  # not the child of a fork that happened in between
            mine.remove(place)
            os.close(place)


def _close_all(places: set[int]) -> None:
    for place in places:
        os.close(place)


def _patience(connection: sqlite3.Connection) -> int:
    """Return for how many milliseconds a connection waits for a lock."""
    told: int = connection.execute("PRAGMA busy_timeout").fetchone()[0]
    return told


def _wait(place: int, came: int, until: int) -> None:
    """Stand in line from ``came`` on; give up at ``until``. Both are nanoseconds of the clock that all share."""
    while not _lock(place, came):
        came = time.monotonic_ns()  # another came in the same nanosecond, or a little later and was quicker
    now = busy = since = came
    is_behind = True
    while now < until:
        if is_behind and not _is_locked(place, _TURN + 1, came - 1):
            is_behind, since = False, now
        if not is_behind or now - busy > _GRACE:
            if _lock(place, _TURN):
                _set(place, fcntl.F_UNLCK, came, 1)  # nobody is behind who is next
                return
            busy = now
        elif _is_locked(place, _TURN, 1):
            busy = now
        time.sleep(min(max((now - since) // _SHARE, _SHORTEST), _LONGEST, until - now) / 1e9)
        now = time.monotonic_ns()


def _is_locked(place: int, start: int, length: int) -> bool:
    """Return whether somebody else has locked one of these bytes."""
    told = fcntl.fcntl(place, fcntl.F_OFD_GETLK, _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, start, length, 0))
    kind: int = _FLOCK.unpack(told)[0]
    return kind != fcntl.F_UNLCK


def _lock(place: int, start: int, length: int = 1) -> bool:
    """Lock bytes; False: another has locked one of them."""
    return _set(place, fcntl.F_WRLCK, start, length)


def _set(place: int, kind: int, start: int, length: int) -> bool:
    try:
        fcntl.fcntl(place, fcntl.F_OFD_SETLK, _FLOCK.pack(kind, os.SEEK_SET, start, length, 0))
    except (BlockingIOError, PermissionError):  # POSIX leaves it open by which of the two it is told
        return False
    return True
