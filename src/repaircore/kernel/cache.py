"""A cache of one value per process, keyed by an edition."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class OneSlotCache(Generic[T]):
    """Caches the value of the edition that was requested last, so that a process computes it once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._cached: tuple[str, T] | None = None

    def get(self, edition: str, compute: Callable[[], T]) -> T:
        """Return the value of an edition; other threads wait while it is computed. Failures are not cached."""
        with self._lock:
            if self._cached is None or self._cached[0] != edition:
                self._cached = (edition, compute())
            return self._cached[1]
