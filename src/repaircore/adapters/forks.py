"""What a process has for itself, a forked one too."""

import os
from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import WeakSet

T = TypeVar("T")


class PerProcess(Generic[T]):
    """A value that a forked process makes anew, before any of its code runs.

    A lock that another thread held at the fork would be held for ever in the child, where that thread
    does not exist; neither would a thread that the parent counts ever end there. ``leave`` is called in the child
    with the parent's value, to let go of what came with it. Neither may wait for anything.
    """

    def __init__(self, make: Callable[[], T], *, leave: Callable[[T], object] | None = None) -> None:
        self._make = make
        self._leave = leave
        self._made = make()
        _living.add(self)

    def __call__(self) -> T:
        """Return the value of this process."""
        return self._made

    def renew(self) -> None:
        """Make the value anew: this is a new process."""
        parents, self._made = self._made, self._make()
        if self._leave is not None:
            self._leave(parents)


_living: WeakSet[PerProcess[Any]] = WeakSet()


def _forked() -> None:
    for value in list(_living):
        value.renew()


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(after_in_child=_forked)
