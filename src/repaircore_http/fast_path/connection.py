"""A client's connection in the worker: what arrives on it, and what is sent."""

import fcntl
import resource
import socket
import struct
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from attrs import define
from gunicorn.http import get_parser
from gunicorn.workers.gthread import TConn
from typing_extensions import override

from repaircore_http.fast_path.arrival import Arrival, Disk

TAKES_WITHIN: Final = 20.0
"""Seconds without progress after which a client that does not read its response is disconnected. The total time of the
response is not limited."""

_INT: Final = struct.Struct("i")
_LINGER_ZERO: Final = struct.pack("ii", 1, 0)
"""For SO_LINGER: unsent data is dropped when the connection is closed."""


@define(eq=False)
class Exchange:
    """A request that a thread is handling, and how far its client has read the response."""

    _unsent: int = 0
    _progress_at: float = 0.0

    def is_stuck(self, unsent: int, now: float) -> bool:
        """Return whether the client has read nothing for too long, given the current number of unsent bytes."""
        if unsent == 0 or unsent != self._unsent:
            self._unsent, self._progress_at = unsent, now
        return now > self._progress_at + TAKES_WITHIN


class Connection(TConn):  # type: ignore[misc] # gunicorn has no types
    """A connection whose parser reads what has arrived, and that closes without a thread waiting for the client."""

    def __init__(self, disk: Disk, close_gracefully: Callable[[socket.socket], None], *args: Any) -> None:
        super().__init__(*args)
        self._disk = disk
        self._close_gracefully = close_gracefully
        self.data_ready = True  # gunicorn must not wait for data
        self.parser: Any = None
        self.arrival = Arrival(disk)
        self.rest = b""

    @override
    def init(self) -> None:
        """Create the parser, once."""
        if self.parser is None:
            self.parser = get_parser(self.cfg, self, self.client)

    def recv(self, size: int) -> bytes:
        """Return what has arrived; the parser calls this."""
        return self.arrival.recv(size)

    @property
    def unsent(self) -> int:
        """The bytes in the send buffer that the client has not acknowledged, or 0 if the system does not say."""
        return self._count_unsent() or 0

    @property
    def is_send_buffer_empty(self) -> bool:
        """Whether the client has acknowledged all earlier responses, so that a short one can be sent without waiting."""
        return self._count_unsent() == 0

    def _count_unsent(self) -> int | None:
        try:
            (count,) = _INT.unpack(fcntl.ioctl(self.sock, termios.TIOCOUTQ, bytes(_INT.size)))
        except (OSError, ValueError):  # ValueError: the connection was closed meanwhile
            return None
        return int(count)

    def disconnect(self) -> None:
        """Shut down both sides, which wakes whoever reads or writes, and drop unsent data."""
        with suppress(OSError):
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
            self.sock.shutdown(socket.SHUT_RDWR)

    def rewind(self) -> None:
        """Have a new parser read the request from its beginning; the whole request must have arrived."""
        self.arrival.rewind()
        self.parser = None

    def end_request(self) -> None:
        """Drop the answered request; bytes after it belong to the next one."""
        self.arrival.close()
        self.rest = self.arrival.rest
        self.arrival = Arrival(self._disk)

    @override
    def close(self, graceful: bool = False) -> None:
        """Close the connection; ``graceful`` lets the client read its last response, even if it is still sending."""
        self.arrival.close()
        if graceful:
            self._close_gracefully(self.sock)
        else:
            super().close()


def max_descriptors() -> int:
    """Return how many files and connections this process may have open."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit
