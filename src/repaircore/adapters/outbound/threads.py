"""A bounded number of daemon threads.

``ThreadPoolExecutor`` would not do: the interpreter joins its threads at exit, so that one party that
hangs would keep the process from ending. Daemon threads do not; the bound keeps a party that hangs for
everybody from collecting them. Nothing is started before the first use, and a forked process counts
anew, so that a fork loses nothing.
"""

from collections.abc import Callable
from queue import SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import TypeVar

from repaircore.adapters.forks import PerProcess

T = TypeVar("T")


class DaemonThreads:
    """Run functions in threads of their own, at most ``limit`` at a time."""

    def __init__(self, limit: int) -> None:
        self._slots = PerProcess(lambda: BoundedSemaphore(limit))

    def start(self, work: Callable[[], T]) -> "SimpleQueue[T] | None":
        """Start ``work``, which must not raise; its result arrives in the box that comes back.

        None comes back, and nothing was started, when ``limit`` threads are busy or the machine has no
        thread left.
        """
        slots = self._slots()
        if not slots.acquire(blocking=False):
            return None
        box: SimpleQueue[T] = SimpleQueue()
        try:
            Thread(target=_run, args=(work, box, slots), daemon=True, name="repaircore-outbound").start()
        except RuntimeError:
            slots.release()
            return None
        return box


def _run(work: Callable[[], T], box: "SimpleQueue[T]", slots: BoundedSemaphore) -> None:
    try:
        result = work()
    finally:
        slots.release()
    box.put(result)
