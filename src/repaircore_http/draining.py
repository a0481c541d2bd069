"""Server shutdown: what the master tells the workers, and what a worker tells load balancers.

A worker that is being stopped reports itself as not ready for a while (``DRAIN``), so that load balancers stop sending
requests to it. If the whole server stops, not just one worker, the last connections are accepted before the listener is
closed (``STOPPING``).
"""

import ctypes
import mmap
import signal
import socket
import struct
from contextlib import suppress
from typing import Final

from attrs import define

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)
"""Signals that end a server and its workers; when gunicorn's master is interrupted, it sends SIGQUIT to its workers."""

_ATTACH_FILTER: Final = 26
"""SO_ATTACH_FILTER on Linux."""
_IGNORE_SYN: Final = ((0x30, 0, 0, 13), (0x45, 0, 1, 0x02), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF))
"""A packet filter for a TCP socket: load the flags, drop requests for a connection (SYN), accept other packets."""


@define
class Drain:
    """How many seconds a worker keeps serving after its stop signal, and whether the signal has arrived.

    A signal handler sets ``has_begun``, a plain flag: a handler that takes a lock may interrupt the code that holds it.
    """

    seconds: float = 0.0
    has_begun: bool = False


class Stopping:
    """Whether the whole server is stopping: a byte that a master shares with the workers that it forks."""

    def __init__(self) -> None:
        self._byte = mmap.mmap(-1, 1)

    def begin(self) -> None:
        """Mark the server as stopping, in the master or in a worker that has lost its master."""
        self._byte[0] = 1

    @property
    def has_begun(self) -> bool:
        """Return whether the server is stopping."""
        return self._byte[0] == 1


DRAIN: Final = Drain()
"""The drain state of this process."""

STOPPING: Final = Stopping()
"""Whether this server is stopping."""


def admit_no_more(listener: socket.socket) -> None:
    """Make the system ignore attempts to connect to the listener, in all processes that share it.

    Clients that try meanwhile retry within a second, and are then refused, or served by the next server. Otherwise,
    connections that the system establishes between the last ``accept`` and ``close`` would be reset.
    """
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in _IGNORE_SYN)
    program = ctypes.create_string_buffer(code)
    with suppress(OSError):  # not Linux
        listener.setsockopt(
            socket.SOL_SOCKET,
            _ATTACH_FILTER,
            struct.pack("HP", len(_IGNORE_SYN), ctypes.addressof(program)),
        )
