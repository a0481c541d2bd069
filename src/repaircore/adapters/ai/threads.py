"""A bounded number of daemon threads.

``ThreadPoolExecutor`` would not do: the interpreter joins its threads at exit, so that one model that
hangs would keep the process from ending. Daemon threads do not; the bound keeps a model that hangs for
everybody from collecting them. Nothing is started before the first use, so that a fork loses nothing.
"""

from collections.abc import Callable
from queue import SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import TypeVar

__all__ = ["DaemonThreads"]

T = TypeVar("T")


class DaemonThreads:
    """Run functions in threads of their own, at most ``limit`` at a time."""

    def __init__(self, limit: int) -> None:
        self._slots = BoundedSemaphore(limit)

    def start(self, work: Callable[[], T]) -> "SimpleQueue[T] | None":
        """Start ``work``, which must not raise; its result arrives in the box that comes back.

        None comes back, and nothing was started, when ``limit`` threads are busy or the machine has no
        thread left.
        """
        if not self._slots.acquire(blocking=False):
            return None
        box: SimpleQueue[T] = SimpleQueue()
        try:
            Thread(target=self._run, args=(work, box), daemon=True, name="repaircore-model").start()
        except RuntimeError:
            self._slots.release()
            return None
        return box

    def _run(self, work: Callable[[], T], box: "SimpleQueue[T]") -> None:
        try:
            result = work()
        finally:
            self._slots.release()
        box.put(result)
