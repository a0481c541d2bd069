"""Threads that must not block, such as a server's main loop.

    with blocking_forbidden():
        body = answer()  # raises WouldBlock where it would have to wait

What may wait for a disk, a lock, a server or a long computation calls ``before_blocking`` first. Reads from a local
database file and short computations do not count as blocking.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class WouldBlock(BaseException):
    """This thread must not do what comes next, which may block; it has not begun.

    Not an Exception: it is no failure, and no handler of failures may catch it.
    """


class _Thread(threading.local):
    is_blocking_forbidden = False


_thread = _Thread()


@contextmanager
def blocking_forbidden() -> Iterator[None]:
    """Forbid this thread to block until the block ends."""
    _thread.is_blocking_forbidden = True
    try:
        yield
    finally:
        _thread.is_blocking_forbidden = False


def is_blocking_forbidden() -> bool:
    """Return whether this thread must not block."""
    return _thread.is_blocking_forbidden


def before_blocking() -> None:
    """Raise WouldBlock if this thread must not block."""
    if _thread.is_blocking_forbidden:
        raise WouldBlock


def blocking(function: Callable[[], T]) -> Callable[[], T]:
    """Return the function, which raises WouldBlock in a thread that must not block."""

    def call() -> T:
        before_blocking()
        return function()

    return call
