"""Send a short response in one piece: its headers together with its body.

Saves a system call for each short response, and often a second wake-up of the client, which would read the headers
alone first: 20 µs of CPU behind gunicorn, which sends the two separately (Python 3.11, loopback).
Plain alternative: gunicorn's own response, by not overriding ``load_wsgi`` in the worker.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

MAX_BYTES: Final = 64 * 1024
"""The maximum size, in bytes, of a body that is joined with its headers; joining copies it."""

_BODILESS: Final = frozenset({204, 304})


def in_one_send(app: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """Return a WSGI application for gunicorn whose short responses are sent in one piece."""
    return partial(_answer, app)


def _answer(
    app: Callable[..., Iterable[bytes]], environ: dict[str, Any], start_response: Callable[..., Any]
) -> Iterable[bytes]:
    body = app(environ, start_response)
    response = getattr(start_response, "__self__", None)
    if type(body) in {list, tuple} and response is not None and _follows(environ, response, body):
        response.sock = _JoinedSends(response.sock)
    return body


def _follows(environ: dict[str, Any], response: Any, body: Any) -> bool:
    """Return whether gunicorn is certain to send the headers and then this one piece."""
    return (
        len(body) == 1
        and 0 < len(body[0]) <= MAX_BYTES
        and response.response_length == len(body[0])
        and not response.headers_sent
        and response.status_code not in _BODILESS
        and environ["REQUEST_METHOD"] != "HEAD"
    )


class _JoinedSends:
    """Stands in for a client's connection, and holds the headers back until the body follows."""

    def __init__(self, sock: Any) -> None:
        self._sock = sock
        self._head: bytes | None = None

    def sendall(self, data: bytes) -> None:
        """Hold the headers back, or send them with the body; send anything after that on its own."""
        if self._head is None:
            self._head = data
        else:
            head, self._head = self._head, b""
            self._sock.sendall(head + data)
