"""Error responses of the server itself, for requests that never reach the application.

Such requests have lines that are too long, malformed headers or no host. Their path is unknown, so the body has the
formats of the main service and of the partner platform at once.
"""

import socket
from typing import Any, Final

from gunicorn.http.errors import InvalidHeader

from repaircore.json_text import encode

_CODES: Final = {431: "INVALID_REQUEST", 500: "INTERNAL_ERROR"}
_NAMES_HOST: Final = (1, 1)
"""The first version of HTTP that requires a Host header."""
_HOST: Final = "HOST"
_WORDS: Final = {
    400: "The request is malformed.",
    403: "The request is not allowed.",
    414: "The URL is too long.",
    417: "The value of the Expect header is not supported.",
    431: "The headers are too large.",
    500: "Something went wrong.",
    501: "The Transfer-Encoding is not supported.",
    503: "The server is busy. Try again shortly.",
}


class RecordedRefusal:
    """Stands in for a client's connection while gunicorn writes an error as HTML, and sends the error as JSON.

    Gunicorn's message may quote the request, so it only goes to the log.
    """

    def __init__(self) -> None:
        self._written = b""

    def gettimeout(self) -> float:
        """Return the timeout of a connection that never blocks."""
        return 0.0

    def sendall(self, written: bytes) -> None:
        """Record what gunicorn writes."""
        self._written += written

    def send(self, client: socket.socket) -> None:
        """Send the error to the client, if gunicorn has written one."""
        head = self._written.partition(b"\r\n")[0].split(b" ", 2)
        if len(head) == 3:  # noqa: PLR2004 - protocol, status and reason
            client.sendall(refusal(int(head[1]), head[2]))


def require_host(request: Any) -> None:
    """Check that an HTTP/1.1 request has exactly one Host header, as RFC 9112 requires.

    Raises:
        InvalidHeader: it has none, or several.
    """
    if request.version >= _NAMES_HOST and [name for name, _ in request.headers].count(_HOST) != 1:
        raise InvalidHeader(_HOST, request)


def refusal(status: int, reason: bytes, *, retry_after: int | None = None) -> bytes:
    """Return a complete response that rejects a request, after which the connection is closed."""
    message = _WORDS.get(status, "The request was rejected.")
    code = _CODES.get(status, "INVALID_REQUEST")
    body = encode({"message": message, "error": {"message": message, "code": code, "details": {}}})
    return b"".join((
        b"HTTP/1.1 %d %s\r\n" % (status, reason),
        b"Connection: close\r\nContent-Type: application/json\r\n",
        b"" if retry_after is None else b"Retry-After: %d\r\n" % retry_after,
        b"Content-Length: %d\r\n\r\n" % len(body),
        body,
    ))  # fmt: skip
