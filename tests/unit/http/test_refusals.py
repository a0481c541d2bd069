"""Error responses of the server itself are JSON in the API's format, and quote no input."""

import socket
from types import SimpleNamespace
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.http import RequestParser
from gunicorn.http.errors import (
    InvalidHeader,
    InvalidHTTPVersion,
    InvalidRequestLine,
    LimitRequestHeaders,
    LimitRequestLine,
    UnsupportedTransferCoding,
)

from repaircore.json_text import decode
from repaircore_http.fast_path.refusals import require_host
from repaircore_http.fast_path.worker import Worker


class SilentLog:
    def warning(self, *_: Any) -> None:
        """Write nothing."""

    exception = debug = warning


def error_response(error: BaseException) -> tuple[bytes, dict[str, Any], bytes]:
    """Return the status line, the body and the head of the response to a bad request."""
    worker = Worker.__new__(Worker)
    worker.log, worker.cfg = SilentLog(), SimpleNamespace()
    server, client = socket.socketpair()
    with server, client:
        worker.handle_error(None, server, ("127.0.0.1", 1), error)
        server.shutdown(socket.SHUT_WR)
        head, _, body = client.makefile("rb").read().partition(b"\r\n\r\n")
    assert b"Content-Length: %d" % len(body) in head
    return head.partition(b"\r\n")[0], decode(body), head


@pytest.mark.parametrize(
    ("error", "line", "code"),
    [
        (LimitRequestLine(9000, 4094), b"HTTP/1.1 414 URI Too Long", "INVALID_REQUEST"),
        (
            LimitRequestHeaders("too many"),
            b"HTTP/1.1 431 Request Header Fields Too Large",
            "INVALID_REQUEST",
        ),
        (InvalidRequestLine("GET <script>"), b"HTTP/1.1 400 Bad Request", "INVALID_REQUEST"),
        (InvalidHTTPVersion((9, 9)), b"HTTP/1.1 400 Bad Request", "INVALID_REQUEST"),
        (InvalidHeader("secret"), b"HTTP/1.1 400 Bad Request", "INVALID_REQUEST"),
        (UnsupportedTransferCoding("secret"), b"HTTP/1.1 501 Bad Request", "INVALID_REQUEST"),
        (RuntimeError("secret"), b"HTTP/1.1 500 Internal Server Error", "INTERNAL_ERROR"),
    ],
)
def test_error_response_has_both_formats_and_quotes_nothing(
    error: BaseException, line: bytes, code: str
) -> None:
    status_line, body, head = error_response(error)

    assert status_line == line
    assert body["error"] == {"message": body["message"], "code": code, "details": {}}
    assert b"Content-Type: application/json" in head
    assert "secret" not in str(body)
    assert "script" not in str(body)


def test_disconnected_client_causes_no_error() -> None:
    worker = Worker.__new__(Worker)
    worker.log, worker.cfg = SilentLog(), SimpleNamespace()
    server, client = socket.socketpair()
    client.close()
    with server:
        worker.handle_error(None, server, ("127.0.0.1", 1), LimitRequestLine(9000, 4094))


def request(lines: bytes, version: bytes = b"1.1") -> Any:
    """Return a request with some header lines, as gunicorn parses it."""
    data = b"GET / HTTP/" + version + b"\r\n" + lines + b"\r\n"
    return next(RequestParser(Config(), iter([data]), ("127.0.0.1", 1)))


@pytest.mark.parametrize(
    "lines", [b"", b"X-Host: a\r\n", b"Host: a\r\nHost: a\r\n", b"host: a\r\nHost: b\r\n"]
)
def test_request_needs_exactly_one_host(lines: bytes) -> None:
    with pytest.raises(InvalidHeader):
        require_host(request(lines))


@pytest.mark.parametrize(
    ("lines", "version"), [(b"Host: a\r\n", b"1.1"), (b"hOST:a:80\r\n", b"1.1"), (b"", b"1.0")]
)
def test_request_with_one_host_is_accepted(lines: bytes, version: bytes) -> None:
    require_host(request(lines, version))
