"""Connections with one deadline for resolving, connecting, TLS, every write and every read.

The timeouts of HTTP clients restart with each read or write, so a server that sends a byte a second blocks a
reader forever, and one that reads slowly blocks a writer. Here each step gets only the time that is left. Name
resolution cannot be interrupted at all; it runs in a daemon thread.

httpcore gets its connections from a ``NetworkBackend``, which is where the deadline is enforced; the timeouts that
httpcore passes are ignored.
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
"""Resolve a host name and port: return the IP addresses in order of preference, or none if the name is unknown."""

Permits: TypeAlias = Callable[[str], bool]
"""Return whether a connection may be made to an IP address."""

MOST_ADDRESSES = 4
"""The maximum number of IP addresses of one host that are tried."""

_LOOKUPS = DaemonThreads(16)


def resolve(host: str, port: int) -> Sequence[str]:
    """Resolve a host with the system's resolver, however long it takes; return no addresses if that fails."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class DeadlineNetwork(httpcore.NetworkBackend):
    """A network that tries the IP addresses of a host one after another, within a deadline.

    A host is resolved once per connection, and only the resulting addresses are connected to: this defeats DNS
    rebinding. If ``permits`` rejects one address of a host, no connection is made to any.

    ``deadline`` may be replaced by an earlier one for the remaining steps.

    Raises:
        NoAnswer: instead of httpcore's exceptions, except for one (see ``_Stream.write``).
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
            # Half of the remaining time for each address but the last, so that a dead one leaves time for a live one.
            time = self.deadline.require_left() / (2 if remaining > 1 else 1)
            try:
                connection = socket.create_connection((addresses[-remaining], port), time)
            except OSError:  # including TimeoutError
                continue
            if not self._permits(str(connection.getpeername()[0])):
                connection.close()
                raise NotPermitted
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return _Stream(connection, self)
        self.deadline.require_left()
        raise NoAnswer("no connection", retry_after=SOON)

    def _addresses(self, host: str, port: int) -> Sequence[str]:
        result = self._lookups.start(lambda: self._look_up(host, port))
        if result is None:
            raise NoAnswer("too many name lookups at once")
        try:
            return result.get(timeout=self.deadline.require_left())[:MOST_ADDRESSES]
        except Empty:
            raise self.deadline.exceeded() from None


class _Stream(httpcore.NetworkStream):
    """A connection in which every step gets the time that is left."""

    def __init__(self, connection: socket.socket, network: DeadlineNetwork) -> None:
        self._connection = connection
        self._network = network

    @override
    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            with self._within_deadline():
                return self._connection.recv(max_bytes)
        except OSError:
            raise NoAnswer(BROKEN, retry_after=SOON) from None

    @override
    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        rest = memoryview(buffer)
        try:
            while rest:
                with self._within_deadline():
                    rest = rest[self._connection.send(rest) :]
        except OSError:
            # httpcore's own exception, so that it still reads the response of a server that stopped reading.
            raise httpcore.WriteError from None

    @override
    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        try:
            with self._within_deadline():
                secure = ssl_context.wrap_socket(self._connection, server_hostname=server_hostname)
        except ssl.SSLCertVerificationError:
            raise NoAnswer("the certificate is not trusted") from None
        except (OSError, ValueError):  # a host name that no certificate can have raises ValueError
            raise NoAnswer("no connection", retry_after=SOON) from None
        finally:
            # The TLS connection has taken over the descriptor; otherwise this closes it.
            self._connection.close()
        return _Stream(secure, self._network)

    @override
    def get_extra_info(self, info: str) -> Any:
        return None

    @override
    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _within_deadline(self) -> Iterator[None]:
        deadline = self._network.deadline
        self._connection.settimeout(deadline.require_left())
        try:
            yield
        except TimeoutError:
            raise deadline.exceeded() from None
