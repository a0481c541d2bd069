"""Threads for tests."""

from collections.abc import Callable, Sequence
from threading import Barrier, Thread
from typing import TypeVar

T = TypeVar("T")


def at_once(count: int, work: Callable[[], T], *, seconds: float = 60) -> Sequence[T]:
    """Do the work in so many threads that begin together, and give what each came to."""
    start, results = Barrier(count), list[T]()

    def run() -> None:
        start.wait(seconds)
        results.append(work())

    threads = [Thread(target=run, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
    assert len(results) == count, "a thread failed or waits for ever"
    return results
