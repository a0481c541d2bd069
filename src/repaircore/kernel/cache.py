"""What is made once for each edition of something, and is dear to make."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class OneSlotCache(Generic[T]):
    """Holds what was made of the edition that was asked for last: a process makes it once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: tuple[str, T] | None = None

    def get(self, edition: str, make: Callable[[], T]) -> T:
        """Give what is made of an edition; who comes while it is made waits for it. A failure is not held."""
        with self._lock:
            if self._held is None or self._held[0] != edition:
                self._held = (edition, make())
            return self._held[1]
