"""Connections with one deadline for everything: names, connecting, TLS, sending and every read.

The timeouts of HTTP clients start anew with each piece, so that a server which sends a byte a second, in
the headers or in the body, holds a reader for ever, and one which reads slowly a writer. Here each step
gets only what is left until the deadline. Looking a name up cannot be interrupted at all; it runs in a
daemon thread.

httpcore, which speaks HTTP, asks its ``NetworkBackend`` for connections: that is the place where the
deadline belongs. What it grants as timeouts is ignored.
"""

import socket
import ssl
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from queue import Empty
from typing import Any, TypeAlias

import httpcore
from typing_extensions import override

from repaircore.adapters.outbound.deadline import Deadline
from repaircore.adapters.outbound.failures import BROKEN, SOON, NoAnswer, NotPermitted
from repaircore.adapters.outbound.threads import DaemonThreads

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]
"""Look a host name up: the addresses to try, the preferred first; none when there is no such name."""

Permits: TypeAlias = Callable[[str], bool]
"""Return whether a connection may be made to an address."""

MOST_ADDRESSES = 4
"""How many addresses of one host are tried."""

_LOOKUPS = DaemonThreads(16)


def resolve(host: str, port: int) -> Sequence[str]:
    """Ask the system for the addresses of a host, however long it takes."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class DeadlineNetwork(httpcore.NetworkBackend):
    """Connect to the addresses of a host one after the other, and stay within the time.

    A host is looked up once for a connection, and what was found is what is connected to: who answers differently a
    moment later gains nothing. Of a host with an address that ``permits`` does not, none is connected to.

    ``deadline`` may be put forward for what is still to come.

    Raises:
        NoAnswer: instead of httpcore's failures, except for one (see ``_Stream.write``).
    """

    def __init__(
        self,
        deadline: Deadline,
        look_up: Resolve,
        *,
        permits: Permits = lambda _: True,
        lookups: DaemonThreads = _LOOKUPS,
    ) -> None:
        self.deadline = deadline
        self._look_up = look_up
        self._permits = permits
        self._lookups = lookups

    @override
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = self._addresses(host, port)
        if not all(map(self._permits, addresses)):
            raise NotPermitted
        for remaining in range(len(addresses), 0, -1):
            # Half of the time for each but the last, so that a dead address leaves some to a live one.
            time = self.deadline.some() / (2 if remaining > 1 else 1)
            try:
                connection = socket.create_connection((addresses[-remaining], port), time)
            except OSError:  # a TimeoutError is one
                continue
            if not self._permits(str(connection.getpeername()[0])):
                connection.close()
                raise NotPermitted
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return _Stream(connection, self)
        self.deadline.some()
        raise NoAnswer("no connection", again_after=SOON)

    def _addresses(self, host: str, port: int) -> Sequence[str]:
        box = self._lookups.start(lambda: self._look_up(host, port))
        if box is None:
            raise NoAnswer("too many requests at once")
        try:
            return box.get(timeout=self.deadline.some())[:MOST_ADDRESSES]
        except Empty:
            raise self.deadline.late() from None


class _Stream(httpcore.NetworkStream):
    """A connection whose every step gets what is left of the time."""

    def __init__(self, connection: socket.socket, network: DeadlineNetwork) -> None:
        self._connection = connection
        self._network = network

    @override
    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            with self._in_time():
                return self._connection.recv(max_bytes)
        except OSError:
            raise NoAnswer(BROKEN, again_after=SOON) from None

    @override
    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        rest = memoryview(buffer)
        try:
            while rest:
                with self._in_time():
                    rest = rest[self._connection.send(rest) :]
        except OSError:
            # Told in httpcore's words, so that it still reads what a server says that would not listen.
            raise httpcore.WriteError from None

    @override
    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        try:
            with self._in_time():
                safe = ssl_context.wrap_socket(self._connection, server_hostname=server_hostname)
        except ssl.SSLCertVerificationError:
            raise NoAnswer("the certificate is not trusted") from None
        except (OSError, ValueError):  # a name that no certificate can be for is a ValueError
            raise NoAnswer("no connection", again_after=SOON) from None
        finally:
            # The safe connection has taken the descriptor over; without it, this closes it.
            self._connection.close()
        return _Stream(safe, self._network)

    @override
    def get_extra_info(self, info: str) -> Any:
        return None

    @override
    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        deadline = self._network.deadline
        self._connection.settimeout(deadline.some())
        try:
            yield
        except TimeoutError:
            raise deadline.late() from None
