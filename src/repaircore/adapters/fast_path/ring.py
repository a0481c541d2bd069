"""The file format of ``shared_files``: one window in one small file, which all workers map into memory.

The file is a ring: the index of the oldest admission, then one time in nanoseconds for each of the N places. A lock on
the file serializes the workers, and the kernel drops the lock when a worker dies.
"""

import fcntl
import mmap
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from repaircore.kernel.blocking import WouldBlock, before_blocking, is_blocking_forbidden
from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.window import NEVER, count_admissions, decide, window_status

SUFFIX: Final = ".ring"
_WORD: Final = struct.Struct("=q")


class RingRemoved(Exception):
    """The file was deleted after it was opened, because its window had expired."""


class Ring:
    """One window in a mapped file. Not thread-safe."""

    def __init__(self, path: Path, limit: Limit) -> None:
        size = _WORD.size * (limit.count + 1)
        self._limit = limit
        self._fd = _opened(path)
        try:
            self._fill(size)
            self._map = mmap.mmap(self._fd, size)
        except BaseException:
            os.close(self._fd)
            raise

    def acquire(self, now: Callable[[], int]) -> Verdict:
        """Acquire a place if one is left, and return the verdict.

        Raises:
            RingRemoved: another worker deleted the file, because its window had expired.
        """
        # Written without _locked, because it runs for each request.
        _lock(self._fd, fcntl.LOCK_EX)
        try:
            self._require_file()
            head = self._head()
            place = _WORD.size * (head + 1)
            moment = now()
            verdict = decide(_WORD.unpack_from(self._map, place)[0], moment, self._limit)
            if verdict.admitted:
                _WORD.pack_into(self._map, place, moment)
                _WORD.pack_into(self._map, 0, (head + 1) % self._limit.count)
            return verdict
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def hit(self, now: Callable[[], int], wall: Callable[[], int]) -> WindowStatus:
        """Acquire a place as ``acquire`` does, and return the status of the window.

        ``wall`` returns nanoseconds since 1970.

        Raises:
            RingRemoved: another worker deleted the file, because its window had expired.
        """
        with _locked(self._fd, fcntl.LOCK_EX):
            self._require_file()
            head, moment, limit = self._head(), now(), self._limit

            def at(place: int) -> int:
                time: int = _WORD.unpack_from(self._map, _WORD.size * ((head + place) % limit.count + 1))[0]
                return time

            count, admitted = count_admissions(at, moment, limit), decide(at(0), moment, limit).admitted
            oldest = at(limit.count - count) if count else moment
            if admitted:
                _WORD.pack_into(self._map, _WORD.size * (head + 1), moment)
                _WORD.pack_into(self._map, 0, (head + 1) % limit.count)
            return window_status(
                admitted=admitted, count=count + admitted, oldest=oldest, now=moment, wall=wall(), limit=limit
            )

    def peek(self, now: Callable[[], int]) -> Verdict:
        """Return the verdict that ``acquire`` would give, without acquiring a place.

        Raises:
            RingRemoved: another worker deleted the file, because its window had expired.
        """
        with _locked(self._fd, fcntl.LOCK_SH):
            self._require_file()
            place = _WORD.size * (self._head() + 1)
            return decide(_WORD.unpack_from(self._map, place)[0], now(), self._limit)

    def close(self) -> None:
        """Close the file."""
        self._map.close()
        os.close(self._fd)

    def _fill(self, size: int) -> None:
        if os.fstat(self._fd).st_size >= size:
            return
        before_blocking()
        # Written, not only resized: on a full disk, touching a hole would raise a signal instead of an error.
        with _locked(self._fd, fcntl.LOCK_EX):
            present = os.fstat(self._fd).st_size
            if present < size:
                os.pwrite(self._fd, bytes(size - present), present)

    def _require_file(self) -> None:
        if os.fstat(self._fd).st_nlink == 0:
            raise RingRemoved

    def _head(self) -> int:
        head: int = _WORD.unpack_from(self._map, 0)[0]
        return head % self._limit.count


def remove_if_over(path: Path, seconds: int, now: int) -> None:
    """Delete a file if its newest admission is at least ``seconds`` old: none of its admissions counts any longer."""
    with suppress(FileNotFoundError):  # another worker was faster
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            with _locked(descriptor, fcntl.LOCK_EX):
                if decide(_newest(descriptor), now, Limit(1, seconds)).admitted:
                    path.unlink()
        finally:
            os.close(descriptor)


def _newest(descriptor: int) -> int:
    count = os.fstat(descriptor).st_size // _WORD.size - 1
    if count < 1:
        return NEVER
    head = _word(descriptor, 0) % count
    return _word(descriptor, 1 + (head - 1) % count)


def _word(descriptor: int, index: int) -> int:
    word: int = _WORD.unpack(os.pread(descriptor, _WORD.size, _WORD.size * index))[0]
    return word


def _opened(path: Path) -> int:
    """Open a file, and create it if that may block."""
    if not is_blocking_forbidden():
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        raise WouldBlock from None


def _lock(descriptor: int, kind: int) -> None:
    """Lock a file, and wait for the lock if that may block."""
    if not is_blocking_forbidden():
        fcntl.flock(descriptor, kind)
        return
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WouldBlock from None


@contextmanager
def _locked(descriptor: int, kind: int) -> Iterator[None]:
    _lock(descriptor, kind)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
