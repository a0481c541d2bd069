"""A bounded number of daemon threads.

The interpreter joins the threads of a ``ThreadPoolExecutor`` at exit, so a single service that hangs would keep the
process from ending. Daemon threads do not; the bound keeps a service that always hangs from accumulating them. A forked
process counts from zero.
"""

from collections.abc import Callable
from queue import SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import TypeVar

from repaircore.adapters.forks import PerProcess

T = TypeVar("T")


class DaemonThreads:
    """Daemon threads, one for each function, at most ``limit`` at a time."""

    def __init__(self, limit: int) -> None:
        self._slots = PerProcess(lambda: BoundedSemaphore(limit))

    def start(self, work: Callable[[], T]) -> "SimpleQueue[T] | None":
        """Start ``work``, which must not raise; return a queue for its result.

        Return None, starting nothing, if ``limit`` threads are busy or the machine has no thread left.
        """
        slots = self._slots()
        if not slots.acquire(blocking=False):
            return None
        result: SimpleQueue[T] = SimpleQueue()
        try:
            Thread(target=_run, args=(work, result, slots), daemon=True, name="repaircore-outbound").start()
        except RuntimeError:
            slots.release()
            return None
        return result


def _run(work: Callable[[], T], result: "SimpleQueue[T]", slots: BoundedSemaphore) -> None:
    try:
        value = work()
    finally:
        slots.release()
    result.put(value)
