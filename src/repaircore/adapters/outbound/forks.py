"""What a process has for itself, a forked one too."""

import os
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["PerProcess"]

T = TypeVar("T")


class PerProcess(Generic[T]):
    """A value that a forked process makes anew.

    A lock that another thread held at the fork would be held for ever in the child, where that thread
    does not exist; neither would a thread that the parent counts ever end there.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made = (os.getpid(), make())

    def __call__(self) -> T:
        """Give the value of this process."""
        process, value = self._made
        if process != os.getpid():
            # Two threads that come here at once, right after a fork, may each get one of their own the
            # first time. Whoever uses this must bear that; a lock here would be the one it is against.
            value = self._make()
            self._made = (os.getpid(), value)
        return value
