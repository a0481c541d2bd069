"""Threads that must not block, such as a server's main loop.

    with blocking_forbidden():
        body = answer()  # raises WouldBlock where it would have to wait

What may wait for a disk, a lock, a server or a long computation calls ``before_blocking`` first, and effects that only a
success may have wait in ``when_done``. Reads from a local database file and short computations do not count as blocking.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class WouldBlock(BaseException):
    """This thread must not do what comes next, which may block and has not begun.

    Not an Exception: it is no failure, and no handler of failures may catch it.
    """


class _Thread(threading.local):
    waiting: list[Callable[[], object]] | None = None
    """What waits for the end of a block in which blocking is forbidden, or None outside of one."""


_thread = _Thread()


@contextmanager
def blocking_forbidden() -> Iterator[None]:
    """Forbid this thread to block until the block ends; unless it raised, what waits in ``when_done`` follows."""
    outer, waiting = _thread.waiting, list[Callable[[], object]]()
    _thread.waiting = waiting
    try:
        yield
    finally:
        _thread.waiting = outer
    for act in waiting:
        act()


def is_blocking_forbidden() -> bool:
    """Return whether this thread must not block."""
    return _thread.waiting is not None


def before_blocking() -> None:
    """Raise WouldBlock if this thread must not block."""
    if _thread.waiting is not None:
        raise WouldBlock


def when_done(act: Callable[[], object]) -> None:
    """Call ``act`` now, or, in a thread that must not block, once it is certain that nothing would have blocked."""
    if _thread.waiting is None:
        act()
    else:
        _thread.waiting.append(act)


def blocking(function: Callable[[], T]) -> Callable[[], T]:
    """Return the function, which raises WouldBlock in a thread that must not block."""

    def call() -> T:
        before_blocking()
        return function()

    return call
