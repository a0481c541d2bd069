"""A loopback server that misbehaves as scripted.

By default, it is a model server, which speaks the messages protocol on paths that end with ``/messages``, and the chat
completions protocol on all others.

    with MisbehavingUpstream(Answer(540)) as upstream:
        upstream.behave("/v1/messages", Status(500), Answer(600))   # one after the other
        ... upstream.url ...
        assert upstream.requests("/v1/messages") == 2
"""

import os
import socket
import struct
from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from threading import Event, Lock
from typing import Any, Protocol

from attrs import Factory, frozen
from typing_extensions import override

from repaircore.json_text import decode, encode_text
from repaircore.testing.loopback import Handler, Loopback


@frozen(kw_only=True)
class Received:
    """A request; header names are lowercase, and ``query`` does not include the question mark."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        """Return the decoded JSON body."""
        return decode(self.body)


@frozen
class Exchange:
    """A request on a raw connection that is waiting for its response."""

    path: str
    connection: socket.socket
    closing: Event

    def send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send a complete response."""
        self.write(head(status, {"content-length": str(len(body)), **(headers or {})}) + body)

    def write(self, piece: bytes) -> None:
        """Send part of a response."""
        self.connection.sendall(piece)


class Behavior(Protocol):
    """How the server behaves on a request."""

    def act(self, exchange: Exchange) -> None:
        """Respond, or fail to do so; an ``OSError`` is ignored, because it means that the client has disconnected."""


@frozen
class Body(Behavior):
    """Respond with status 200 and these bytes."""

    content: bytes
    headers: Mapping[str, str] = Factory(lambda: {"content-type": "application/json"})

    @override
    def act(self, exchange: Exchange) -> None:
        exchange.send(200, self.content, self.headers)


@frozen
class Raw(Behavior):
    """Write these raw bytes and close the connection."""

    content: bytes

    @override
    def act(self, exchange: Exchange) -> None:
        exchange.write(self.content)


@frozen
class Answer(Behavior):
    """Respond like a model; ``figure`` is a number of dollars, or any string in its place."""

    figure: float | str

    @override
    def act(self, exchange: Exchange) -> None:
        exchange.send(200, answer_body(exchange.path, str(self.figure)), {"content-type": "application/json"})


@frozen
class Status(Behavior):
    """Respond with a status and a small JSON error."""

    code: int
    headers: Mapping[str, str] = Factory(dict)

    @override
    def act(self, exchange: Exchange) -> None:
        exchange.send(self.code, b'{"error": {"message": "no"}}', self.headers)


@frozen
class Hang(Behavior):
    """Never respond."""

    @override
    def act(self, exchange: Exchange) -> None:
        exchange.closing.wait()


@frozen
class Drip(Behavior):
    """Send the first ``at_once`` bytes of a valid $540 response together, and the rest one by one."""

    at_once: int
    every_seconds: float = 0.05

    @override
    def act(self, exchange: Exchange) -> None:
        body = answer_body(exchange.path, "540")
        whole = head(200, {"content-length": str(len(body))}) + body
        exchange.write(whole[: self.at_once])
        for byte in whole[self.at_once :]:
            if exchange.closing.wait(self.every_seconds):
                return
            exchange.write(bytes([byte]))


@frozen
class Reset(Behavior):
    """Reset the connection without a response."""

    @override
    def act(self, exchange: Exchange) -> None:
        # Closing with a linger time of zero sends a reset instead of closing normally.
        exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(exchange.connection.detach())


@frozen
class Flood(Behavior):
    """Announce a body of ``length`` bytes, and send spaces in chunks of 64 KB."""

    length: int

    @override
    def act(self, exchange: Exchange) -> None:
        exchange.write(head(200, {"content-length": str(self.length)}))
        piece = b" " * 65536
        for _ in range(self.length // len(piece)):
            if exchange.closing.is_set():
                return
            exchange.write(piece)


HANG = Hang()
DRIP = Drip(at_once=80)
DRIPPING_HEADERS = Drip(at_once=20)
RESET = Reset()
HTML = Body(b"<!doctype html><title>Sign in to the hotel network</title>", {"content-type": "text/html"})
NAN = Answer("NaN")
NEGATIVE = Answer(-5)
HUGE = Answer("1e400")
WORDS = Answer('"many dollars"')
BIG_BODY = Flood(1_000_000_000)
REDIRECT = Status(307, {"location": "/elsewhere"})
INVALID_UTF8 = Body(b'{"choices": [{"message": {"content": "\xff\xfe"}}], "content": [{"type": "\xff"}]}')
DEEP = Body(b'{"choices": ' + b"[" * 100_000 + b"]" * 100_000 + b', "content": []}')
WRONG_SHAPE = Body(b'{"choices": {"message": 540}, "content": "540"}')


class MisbehavingUpstream(Loopback):
    """The server as a context manager; ``otherwise`` is its behavior on paths without a script."""

    def __init__(self, otherwise: Behavior = Answer(540)) -> None:
        super().__init__(_Handler)
        self._otherwise = otherwise
        self._orders: dict[str, Any] = {}
        self._received: list[Received] = []
        self._lock = Lock()

    def behave(self, path: str, *behaviors: Behavior) -> None:
        """Script the responses to a path: one behavior after the other, then the last one repeatedly."""
        with self._lock:
            self._orders[path] = chain(behaviors, repeat(behaviors[-1]))

    def received(self, path: str | None = None) -> Sequence[Received]:
        """Return the requests so far in order of arrival, optionally only those to one path."""
        with self._lock:
            return [request for request in self._received if path in {None, request.path}]

    def requests(self, path: str | None = None) -> int:
        """Count the requests so far, optionally only those to one path."""
        return len(self.received(path))

    def handle(self, request: Received, connection: socket.socket) -> None:
        """Record a request and behave as scripted."""
        with self._lock:
            self._received.append(request)
            behavior: Behavior = next(self._orders.get(request.path, repeat(self._otherwise)))
        behavior.act(Exchange(request.path, connection, self.closing))


def head(status: int, headers: Mapping[str, str]) -> bytes:
    """Return the status line and headers of a response that closes the connection."""
    lines = [f"{name}: {value}" for name, value in {"connection": "close", **headers}.items()]
    return "\r\n".join([f"HTTP/1.1 {status} Sent", *lines, "", ""]).encode()


def answer_body(path: str, figure: str) -> bytes:
    """Return a model's answer in the protocol of the path, with the figure unchanged."""
    price = f'{{"average_total_usd": {figure}}}'
    if path.endswith("/messages"):
        block = f'{{"type": "tool_use", "id": "t1", "name": "report_price", "input": {price}}}'
        return f'{{"type": "message", "role": "assistant", "content": [{block}]}}'.encode()
    message = f'{{"role": "assistant", "content": {encode_text(price)}}}'
    return f'{{"object": "chat.completion", "choices": [{{"index": 0, "message": {message}}}]}}'.encode()


class _Handler(Handler[MisbehavingUpstream]):
    @override
    def answer(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        path, _, query = self.path.partition("?")
        self.close_connection = True
        received = Received(method=self.command, path=path, query=query, headers=headers, body=self.body())
        self.party.handle(received, self.connection)
