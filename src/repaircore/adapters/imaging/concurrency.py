"""The limit on how many images are read at once."""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from repaircore.kernel.errors import TooMany

_MOST_WAITING: Final = 2
"""How many images may be in progress or waiting in a worker; the rest are rejected, to keep threads free."""


class ImageLimit:
    """A limit of one image at a time in each worker, and as many as half the number of cores across all workers.

    An image takes seconds: a flood of them would take every core from the predictions. Lock files in ``folder`` count
    the images of all workers; the system releases the locks of a worker that dies.
    """

    def __init__(self, folder: Path, *, at_once: int | None = None) -> None:
        count = at_once or max(1, (os.cpu_count() or 1) // 2)
        self._slots = [folder / f"images-{number}.lock" for number in range(count)]
        self._places = threading.BoundedSemaphore(_MOST_WAITING)
        self._one = threading.Lock()

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Wait for a turn, and hold it during the block.

        Raises:
            TooMany: too many images are waiting.
        """
        if not self._places.acquire(blocking=False):
            raise TooMany(1)
        try:
            with self._one, self._slot():
                yield
        finally:
            self._places.release()

    @contextmanager
    def _slot(self) -> Iterator[None]:
        descriptors: list[int] = []
        try:
            for path in self._slots:
                descriptors.append(_open(path))
                if _lock(descriptors[-1], fcntl.LOCK_EX | fcntl.LOCK_NB):
                    break
            else:
                _lock(descriptors[os.getpid() % len(descriptors)], fcntl.LOCK_EX)
            yield
        finally:
            for descriptor in descriptors:
                os.close(descriptor)


def _open(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _lock(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how)
    except BlockingIOError:
        return False
    return True
