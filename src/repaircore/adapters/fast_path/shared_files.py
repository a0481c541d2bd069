"""Rate windows in small files that all workers of one machine map into their memory.

Saves most of the cost of a rate limit: acquiring a place is three system calls and eight bytes, however long the
window's log is. A cached prediction over HTTP costs as much as 1.7 bare Flask routes with files, 2.4 with Redis and 4.5
with the database (docs/decisions/rate-windows.md).
Times are those of the machine's monotonic clock, which all processes share and which never jumps.
Plain alternative: ``SqlWindows``, chosen with REPAIRCORE_RATE_WINDOWS=database.
"""

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Final

from typing_extensions import override

from repaircore.adapters.fast_path.ring import SUFFIX, Ring, RingRemoved, remove_if_over
from repaircore.adapters.forks import PerProcess
from repaircore.kernel.blocking import WouldBlock, before_blocking, is_blocking_forbidden
from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.ports import Windows

_UNAVAILABLE: Final = "The rate limit windows cannot be written."
_ADMITTED: Final = Verdict(admitted=True)
_MAX_OPEN: Final = 128
"""How many windows may be open: each takes two file descriptors (one for the map), and many systems allow 1024."""
_TIDY_EVERY: Final = 16
"""How many files are opened between cleanups of one of the 256 folders: a flood of logins from many IP addresses
would otherwise fill the disk."""


class _Rings:
    """The open windows of a process, each used by one thread at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.open: OrderedDict[tuple[str, int, int], Ring] = OrderedDict()
        self.opened = 0

    def take(self) -> None:
        """Take the lock, and wait for it if this thread may block."""
        if not self.lock.acquire(blocking=not is_blocking_forbidden()):
            raise WouldBlock

    def drop_all(self) -> None:
        for ring in self.open.values():
            ring.close()
        self.open.clear()


class SharedFileWindows(Windows):
    """Rate windows in files under a folder.

    ``now`` returns the nanoseconds on a clock that all workers share, and ``wall`` returns nanoseconds since 1970.
    """

    def __init__(
        self,
        folder: Path,
        *,
        now: Callable[[], int] = time.monotonic_ns,
        wall: Callable[[], int] = time.time_ns,
    ) -> None:
        self._folder = folder
        self._now = now
        self._wall = wall
        # A lock belongs to the open file, which a fork would share: each process opens its own.
        self._rings = PerProcess(_Rings, leave=_Rings.drop_all)

    @override
    def acquire(self, subject: str, limit: Limit) -> Verdict:
        rings = self._rings()
        rings.take()
        try:
            while True:
                try:
                    return self._ring(rings, subject, limit).acquire(self._now)
                except RingRemoved:
                    _close_ring(rings, subject, limit)
        except OSError as error:
            raise Unavailable(_UNAVAILABLE) from error
        finally:
            rings.lock.release()

    @override
    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        before_blocking()
        rings = self._rings()
        try:
            with rings.lock:
                while True:
                    try:
                        return self._ring(rings, subject, limit).hit(self._now, self._wall)
                    except RingRemoved:
                        _close_ring(rings, subject, limit)
        except OSError as error:
            raise Unavailable(_UNAVAILABLE) from error

    @override
    def peek(self, subject: str, limit: Limit) -> Verdict:
        before_blocking()
        rings = self._rings()
        try:
            with rings.lock:
                # Peeking at an unknown subject creates no file: anyone may try a login.
                try:
                    self._path(subject, limit).stat()
                    return self._ring(rings, subject, limit).peek(self._now)
                except FileNotFoundError:
                    return _ADMITTED
                except RingRemoved:
                    _close_ring(rings, subject, limit)
                    return _ADMITTED
        except OSError as error:
            raise Unavailable(_UNAVAILABLE) from error

    @override
    def close(self) -> None:
        rings = self._rings()
        with rings.lock:
            rings.drop_all()

    def _ring(self, rings: _Rings, subject: str, limit: Limit) -> Ring:
        key = (subject, limit.count, limit.seconds)
        ring = rings.open.get(key)
        if ring is None:
            ring = rings.open[key] = self._open(rings, self._path(subject, limit), limit)
            if len(rings.open) > _MAX_OPEN:
                rings.open.popitem(last=False)[1].close()
        else:
            rings.open.move_to_end(key)
        return ring

    def _open(self, rings: _Rings, path: Path, limit: Limit) -> Ring:
        if (rings.opened + 1) % _TIDY_EVERY == 0:
            before_blocking()
            self._tidy(path.parent)
        rings.opened += 1
        return Ring(path, limit)

    def _tidy(self, folder: Path) -> None:
        now = self._now()
        for path in folder.glob(f"*{SUFFIX}"):
            remove_if_over(path, int(path.stem.rpartition("-")[2]), now)

    def _path(self, subject: str, limit: Limit) -> Path:
        name = hashlib.sha256(f"{subject}\n{limit.count}".encode()).hexdigest()[:32]
        return self._folder / name[:2] / f"{name}-{limit.seconds}{SUFFIX}"


def _close_ring(rings: _Rings, subject: str, limit: Limit) -> None:
    rings.open.pop((subject, limit.count, limit.seconds)).close()
