"""A pool of a few connections that all threads of a process share."""

from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, Generic, Protocol, TypeVar

from repaircore.adapters.forks import PerProcess
from repaircore.adapters.postgres.outages import BUSY
from repaircore.kernel.errors import Unavailable

WAIT_SECONDS: Final = 10.0
"""Seconds that a thread waits for a connection: as long as two statements that time out."""


class Closable(Protocol):
    """An object that can be closed."""

    def close(self) -> None:
        """Close the object."""


C = TypeVar("C", bound=Closable)


class ConnectionPool(Generic[C]):
    """At most ``size`` connections of this process, opened on demand and reused, each by one thread at a time."""

    def __init__(self, connect: Callable[[], C], *, size: int) -> None:
        self._connect = connect
        self._size = size
        # A child must neither close its parent's connections nor let them be garbage-collected: that would end the
        # parent's sessions.
        self._inherited: list[SimpleQueue[C | None]] = []
        self._places = PerProcess(partial(_make_places, size), leave=self._inherited.append)

    def acquire(self) -> C:
        """Return a connection that no other thread uses until it is released.

        Raises:
            Unavailable: all connections remained in use for ``WAIT_SECONDS``.
            Exception: opening a connection failed.
        """
        try:
            connection: C | None = self._places().get(timeout=WAIT_SECONDS)
        except Empty:
            raise Unavailable(BUSY) from None
        if connection is not None:
            return connection
        try:
            return self._connect()
        except BaseException:
            self._places().put(None)
            raise

    def release(self, connection: C) -> None:
        """Return a connection to the pool."""
        self._places().put(connection)

    def discard(self, connection: C) -> None:
        """Close a connection instead of releasing it."""
        try:
            connection.close()
        finally:
            self._places().put(None)

    def close(self) -> None:
        """Close the idle connections."""
        for _ in range(self._size):
            try:
                connection = self._places().get(block=False)
            except Empty:
                return
            if connection is not None:
                connection.close()
            self._places().put(None)

    def __del__(self) -> None:
        """Close the connections, which no one can use anymore."""
        self.close()


def _make_places(size: int) -> "SimpleQueue[Any]":
    """Return a queue with a place for each connection; a place is None until its connection is opened."""
    places: SimpleQueue[Any] = SimpleQueue()
    for _ in range(size):
        places.put(None)
    return places
