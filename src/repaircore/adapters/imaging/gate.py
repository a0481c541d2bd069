"""How many images are looked at at once."""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from repaircore.kernel.errors import TooMany

_HELD_AT_MOST: Final = 2
"""More images than this at once in a worker are told to come back, so that threads stay free for the rest."""


class ImageGate:
    """Let one image through at a time in a worker, and on half of the cores in all workers.

    An image is seconds of work: a flood of them would take every core from the predictions. Lock files
    in ``folder`` count the images of all workers; the system lets go of those of a worker that dies.
    """

    def __init__(self, folder: Path, *, at_once: int | None = None) -> None:
        count = at_once or max(1, (os.cpu_count() or 1) // 2)
        self._slots = [folder / f"images-{number}.lock" for number in range(count)]
        self._places = threading.BoundedSemaphore(_HELD_AT_MOST)
        self._one = threading.Lock()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn.

        Raises:
            TooMany: others wait already.
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
                descriptors.append(_opened(path))
                if _locked(descriptors[-1], fcntl.LOCK_EX | fcntl.LOCK_NB):
                    break
            else:
                _locked(descriptors[os.getpid() % len(descriptors)], fcntl.LOCK_EX)
            yield
        finally:
            for descriptor in descriptors:
                os.close(descriptor)


def _opened(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _locked(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how)
    except BlockingIOError:
        return False
    return True
