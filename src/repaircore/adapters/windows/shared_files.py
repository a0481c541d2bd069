"""Rate windows in small files that all workers of one machine map into their memory.

A file is a ring of the last N admissions; a lock on the file serializes the workers, and the kernel
drops it when a worker dies. Taking a place is two system calls and eight bytes, whatever N is
(docs/decisions/rate-windows.md compares this with a table). Times are those of the machine's
monotonic clock, which all processes share and no clock change moves.
"""

import fcntl
import hashlib
import mmap
import os
import struct
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Final

from typing_extensions import override

from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit, Verdict
from repaircore.limits.ports import Windows
from repaircore.limits.window import decide

__all__ = ["SharedFileWindows"]

_HEAD: Final = struct.Struct("=q")
_NOT_KEPT: Final = "The rate windows cannot be kept."
_OPEN_AT_MOST: Final = 128
"""Each open window takes two file descriptors (the map keeps one of its own), and many systems allow 1024."""


class SharedFileWindows(Windows):
    """Windows under a folder; ``now`` gives nanoseconds on a clock that all workers share."""

    def __init__(self, folder: Path, *, now: Callable[[], int] = time.monotonic_ns) -> None:
        self._folder = folder
        self._now = now
        self._rings: OrderedDict[tuple[str, int, int], _Ring] = OrderedDict()
        self._lock = threading.Lock()
        self._pid = 0

    @override
    def take(self, subject: str, limit: Limit) -> Verdict:
        try:
            with self._lock:
                return self._ring(subject, limit).take(self._now, limit)
        except OSError as error:
            raise Unavailable(_NOT_KEPT) from error

    @override
    def peek(self, subject: str, limit: Limit) -> Verdict:
        try:
            with self._lock:
                # Asking about a stranger leaves no file behind: anybody may try a login.
                try:
                    self._path(subject, limit).stat()
                except FileNotFoundError:
                    return Verdict(admitted=True)
                return self._ring(subject, limit).peek(self._now, limit)
        except OSError as error:
            raise Unavailable(_NOT_KEPT) from error

    def close(self) -> None:
        """Let go of every file."""
        with self._lock:
            self._drop_all()

    def _ring(self, subject: str, limit: Limit) -> "_Ring":
        # A lock belongs to an open file, and a fork would share it: each process opens its own.
        if self._pid != os.getpid():
            self._drop_all()
            self._pid = os.getpid()
        key = (subject, limit.count, limit.seconds)
        ring = self._rings.get(key)
        if ring is None:
            ring = self._rings[key] = _Ring(self._path(subject, limit), limit.count)
            if len(self._rings) > _OPEN_AT_MOST:
                self._rings.popitem(last=False)[1].close()
        else:
            self._rings.move_to_end(key)
        return ring

    def _path(self, subject: str, limit: Limit) -> Path:
        name = hashlib.sha256(f"{subject}\n{limit.count}\n{limit.seconds}".encode()).hexdigest()[:32]
        return self._folder / name[:2] / f"{name}.ring"

    def _drop_all(self) -> None:
        for ring in self._rings.values():
            ring.close()
        self._rings.clear()


class _Ring:
    """One mapped file: the index of the oldest admission, then N times in nanoseconds."""

    def __init__(self, path: Path, count: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        size = _HEAD.size * (count + 1)
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._fill(size)
            self._map = mmap.mmap(self._fd, size)
        except OSError:
            os.close(self._fd)
            raise
        self._count = count

    def _fill(self, size: int) -> None:
        # Written and not only sized: on a full disk a hole would be found by a signal, not by an error.
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        try:
            there = os.fstat(self._fd).st_size
            if there < size:
                os.pwrite(self._fd, bytes(size - there), there)
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def take(self, now: Callable[[], int], limit: Limit) -> Verdict:
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        try:
            head = self._head()
            place = _HEAD.size * (head + 1)
            moment = now()
            verdict = decide(_HEAD.unpack_from(self._map, place)[0], moment, limit)
            if verdict.admitted:
                _HEAD.pack_into(self._map, place, moment)
                _HEAD.pack_into(self._map, 0, (head + 1) % self._count)
            return verdict
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def peek(self, now: Callable[[], int], limit: Limit) -> Verdict:
        fcntl.flock(self._fd, fcntl.LOCK_SH)
        try:
            return decide(_HEAD.unpack_from(self._map, _HEAD.size * (self._head() + 1))[0], now(), limit)
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        self._map.close()
        os.close(self._fd)

    def _head(self) -> int:
        head: int = _HEAD.unpack_from(self._map, 0)[0]
        return head % self._count
