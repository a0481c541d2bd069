"""An httpx transport with one deadline for everything: names, connecting, TLS, sending and every read.

httpx's own timeouts start anew with each piece, so that an upstream which sends a byte a second, in the
headers or in the body, holds a reader for ever. Here each operation of the network gets only what is left
until the deadline. Looking a name up cannot be interrupted at all; it runs in a daemon thread.

A transport lives for one request. A connection is thus never reused: nothing is kept open, nothing is
shared over a fork, and no connection that died in the pool is found out by a failed question. That costs
a handshake, a few per cent of what a model takes to answer.
"""

import socket
import ssl
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from queue import Empty
from typing import Any, TypeAlias

import httpcore
import httpx
from typing_extensions import override

from repaircore.adapters.ai.threads import DaemonThreads

__all__ = ["DeadlineTransport", "Resolve", "TimeLeft", "resolve"]

TimeLeft: TypeAlias = Callable[[], float]
"""Tell how many seconds are left; zero or less when the time is up."""

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]
"""Look a host name up: its addresses, the preferred first; none when there is no such name."""

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


class DeadlineTransport(httpx.BaseTransport):
    """Send one request and read its response before ``left`` runs out.

    Timeouts that a request asks for are ignored; httpx's exceptions are raised, as by its own transport.
    """

    def __init__(self, left: TimeLeft, *, look_up: Resolve = resolve) -> None:
        self._left = left
        self._look_up = look_up
        self._pool: httpcore.ConnectionPool | None = None

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        raw = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        with _as_httpx(request):
            response = self._open(url.scheme).handle_request(
                httpcore.Request(request.method, raw, headers=request.headers.raw, content=request.stream)
            )
        return httpx.Response(response.status, headers=response.headers, stream=_Body(response, request))

    @override
    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()

    def _open(self, scheme: str) -> httpcore.ConnectionPool:
        self._pool = httpcore.ConnectionPool(
            ssl_context=_trust() if scheme == "https" else None,
            max_keepalive_connections=0,
            network_backend=_Network(self._left, self._look_up),
        )
        return self._pool


@cache
def _trust() -> ssl.SSLContext:
    # Reading the certificates takes longer than the rest of a request; a context may be shared.
    return httpx.create_ssl_context(trust_env=False)


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response, request: httpx.Request) -> None:
        self._response = response
        self._request = request

    @override
    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx(self._request):
            yield from self._response.iter_stream()

    @override
    def close(self) -> None:
        self._response.close()


@contextmanager
def _as_httpx(request: httpx.Request) -> Iterator[None]:
    """Translate the failures of the layer below; httpx does the same in a private function."""
    try:
        yield
    except httpcore.TimeoutException as failure:
        raise httpx.ReadTimeout("The time is up.", request=request) from failure
    except httpcore.ConnectError as failure:
        raise httpx.ConnectError("No connection.", request=request) from failure
    except (httpcore.NetworkError, httpcore.RemoteProtocolError) as failure:
        raise httpx.ReadError("The connection broke.", request=request) from failure
    except (httpcore.ProtocolError, httpcore.UnsupportedProtocol) as failure:
        raise httpx.ProtocolError("The request cannot be sent.", request=request) from failure


class _Network(httpcore.NetworkBackend):
    """Connect to the addresses of a host one after the other, within the time."""

    def __init__(self, left: TimeLeft, look_up: Resolve) -> None:
        self._left = left
        self._look_up = look_up
        self._inner = httpcore.SyncBackend()

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
        for remaining in range(len(addresses), 0, -1):
            # Half of the time for each but the last, so that a dead address leaves some to a live one.
            time = _some(self._left) / (2 if remaining > 1 else 1)
            try:
                stream = self._inner.connect_tcp(
                    addresses[-remaining], port, time, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if remaining == 1:
                    raise
            else:
                return _Stream(stream, self._left)
        raise httpcore.ConnectError("The host has no address.")

    def _addresses(self, host: str, port: int) -> Sequence[str]:
        box = _LOOKUPS.start(lambda: self._look_up(host, port))
        if box is None:
            raise httpcore.ConnectError("Too many names are being looked up.")
        try:
            return box.get(timeout=_some(self._left))[:MOST_ADDRESSES]
        except Empty:
            raise httpcore.ConnectTimeout("The name was not found in time.") from None


class _Stream(httpcore.NetworkStream):
    """A connection whose every operation gets what is left of the time, whatever it was granted."""

    def __init__(self, inner: httpcore.NetworkStream, left: TimeLeft) -> None:
        self._inner = inner
        self._left = left

    @override
    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _some(self._left))

    @override
    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _some(self._left))

    @override
    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _some(self._left)), self._left)

    @override
    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

    @override
    def close(self) -> None:
        self._inner.close()


def _some(left: TimeLeft) -> float:
    seconds = left()
    if seconds <= 0:
        raise httpcore.ReadTimeout("The time is up.")
    return seconds
