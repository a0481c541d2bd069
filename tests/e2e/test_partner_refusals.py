"""All refusals below the partner path have the partner format, even those before the application sees the request."""

import socket

import pytest
from attrs import frozen
from tests.e2e.server import Server

from repaircore.json_text import decode

pytestmark = pytest.mark.long

PATH = b"/api/v1/partner/customers"
HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"


@pytest.fixture(scope="module")
def e2e_url(e2e_sqlite_url: str) -> str:
    """Use one database, because refusals do not depend on it."""
    return e2e_sqlite_url


@frozen
class Refusal:
    """An answer: its status, header lines and body."""

    status: int
    head: bytes
    body: bytes


def send(server: Server, request: bytes) -> Refusal:
    """Send bytes, close the sending side, and return the answer."""
    address = server.client.base_url
    with socket.create_connection((address.host, address.port or 80), timeout=20) as client:
        client.sendall(request)
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := client.recv(65_536):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    return Refusal(int(head.split(b" ", 2)[1]), head, body)


def line(method: bytes = b"GET", path: bytes = PATH, version: bytes = b"HTTP/1.1") -> bytes:
    return method + b" " + path + b" " + version + b"\r\n"


def close() -> bytes:
    return b"Connection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("status", "request_bytes"),
    [
        (414, line(path=PATH + b"?q=" + b"x" * 9_000) + HOST + close()),
        (431, line() + HOST + b"X-Long: " + b"x" * 20_000 + b"\r\n" + close()),
        (431, line() + HOST + b"".join(b"X-%d: 1\r\n" % number for number in range(300)) + close()),
        (400, line(version=b"HTTP/9.9") + HOST + close()),
        (400, b"GET\r\n" + HOST + close()),
        (400, line() + close()),
        (400, line() + HOST + HOST + close()),
        (400, line() + HOST + b"Host: example.com\r\n" + close()),
        (401, line(version=b"HTTP/1.0") + close()),
        (400, line() + HOST + b"Bad Header: 1\r\n" + close()),
        (400, line(b"POST") + HOST + JSON + b"Content-Length: -1\r\n" + close()),
        (400, line(b"POST") + HOST + JSON + b"Content-Length: 2\r\nContent-Length: 3\r\n" + close() + b"{}"),
        (501, line(b"POST") + HOST + JSON + b"Transfer-Encoding: brotli\r\n" + close()),
        (417, line(b"POST") + HOST + JSON + b"Expect: tea\r\nContent-Length: 2\r\n" + close() + b"{}"),
        (401, line() + HOST + close()),
        (401, line(b"POST") + HOST + JSON + b"Content-Length: 2\r\n" + close() + b"{}"),
        (404, line(path=b"/api/v1/partner/nothing") + HOST + close()),
        (401, line(path=b"/api/v1/partner/customers/%00") + HOST + close()),
        (405, line(b"BREW") + HOST + close()),
        (405, line(b"DELETE", b"/api/v1/partner/sdk/sessions") + HOST + close()),
        (
            400,
            line(b"POST", b"/api/v1/partner/sdk/sessions")
            + HOST
            + JSON
            + b"Content-Length: 1\r\n"
            + close()
            + b"{",
        ),
        (
            400,
            line(b"POST", b"/api/v1/partner/sdk/sessions")
            + HOST
            + JSON
            + b"Transfer-Encoding: chunked\r\n"
            + close()
            + b"zz\r\n",
        ),
        (
            413,
            line(b"POST", b"/api/v1/partner/sdk/sessions")
            + HOST
            + JSON
            + b"Content-Length: 99999999\r\n"
            + close(),
        ),
        (
            415,
            line(b"POST", b"/api/v1/partner/sdk/sessions")
            + HOST
            + b"Content-Type: text/plain\r\nContent-Length: 2\r\n"
            + close()
            + b"{}",
        ),
    ],
)
def test_refusal_is_in_the_partners_format(server: Server, status: int, request_bytes: bytes) -> None:
    refusal = send(server, request_bytes)

    assert refusal.status == status, refusal
    assert b"content-type: application/json" in refusal.head.lower()
    error = decode(refusal.body)["error"]
    assert error.keys() == {"message", "code", "details"}
    assert error["message"]
    assert error["code"].isupper()
    assert isinstance(error["details"], dict)


def test_a_head_request_is_refused_without_a_body(server: Server) -> None:
    refusal = send(server, line(b"HEAD") + HOST + close())

    assert (refusal.status, refusal.body) == (401, b"")
