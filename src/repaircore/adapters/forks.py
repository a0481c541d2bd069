"""Values that each process has its own copy of, even after a fork."""

import os
from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import WeakSet

T = TypeVar("T")


class PerProcess(Generic[T]):
    """A value that is created again in each forked process, before any other code runs there.

    A lock that another thread held at the fork would stay locked in the child, where that thread does not exist.
    ``leave`` is called in the child with the parent's value, to release what was inherited with it. Neither ``make``
    nor ``leave`` may block.
    """

    def __init__(self, make: Callable[[], T], *, leave: Callable[[T], object] | None = None) -> None:
        self._make = make
        self._leave = leave
        self._value = make()
        _instances.add(self)

    def __call__(self) -> T:
        """Return the value of this process."""
        return self._value

    def renew(self) -> None:
        """Replace the inherited value with a new one, in a forked process."""
        inherited, self._value = self._value, self._make()
        if self._leave is not None:
            self._leave(inherited)


_instances: WeakSet[PerProcess[Any]] = WeakSet()


def _after_fork() -> None:
    for value in list(_instances):
        value.renew()


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(after_in_child=_after_fork)
