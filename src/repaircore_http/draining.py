"""How a server ends: what its master tells the workers, and what a worker tells load balancers.

A worker that is being stopped reports itself as not ready for a while (``DRAIN``), so that load balancers stop sending to it. When the
whole server stops, and not one of its workers, the last connections are taken before the door is closed (``STOPPING``).
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
"""Signals that end a server and its workers; gunicorn's master sends the last one to workers when it is interrupted."""

_ATTACH_FILTER: Final = 26
"""SO_ATTACH_FILTER of Linux."""
_IGNORE_SYN: Final = ((0x30, 0, 0, 13), (0x45, 0, 1, 0x02), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF))
"""A filter for packets to a TCP socket: load the flags, and drop the packet if it asks for a connection (SYN), else take it."""


@define
class Drain:
    """How many seconds a worker keeps serving after its stop signal, and whether that has arrived.

    A signal handler sets ``has_begun``: a plain flag, as a handler that takes a lock may find itself holding it.
    """

    seconds: float = 0.0
    has_begun: bool = False


class Stopping:
    """Whether the whole server stops: a byte that a master shares with the workers that it forks."""

    def __init__(self) -> None:
        self._byte = mmap.mmap(-1, 1)

    def begin(self) -> None:
        """Say so: the master, or a worker that has lost it."""
        self._byte[0] = 1

    @property
    def has_begun(self) -> bool:
        """Return whether it stops."""
        return self._byte[0] == 1


DRAIN: Final = Drain()
"""The drain of this process."""

STOPPING: Final = Stopping()
"""The end of this server."""


def admit_no_more(listener: socket.socket) -> None:
    """Make the system ignore attempts to connect, in all processes that share the listener.

    Whoever tries meanwhile tries again within a second, and is then refused, or served by the next server. Without it, connections
    that the system establishes between the last ``accept`` and ``close`` are reset.
    """
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in _IGNORE_SYN)
    program = ctypes.create_string_buffer(code)
    with suppress(OSError):  # another system
        listener.setsockopt(
            socket.SOL_SOCKET,
            _ATTACH_FILTER,
            struct.pack("HP", len(_IGNORE_SYN), ctypes.addressof(program)),
        )
