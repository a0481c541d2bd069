"""Responses of gunicorn's workers: headers and body in one send."""

import re
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import Factory, define
from gunicorn.config import Config
from gunicorn.http.wsgi import Response

from repaircore_http.fast_path.one_send import MAX_BYTES, in_one_send
from repaircore_http.fast_path.worker import Worker


@define
class Recorder:
    """A connection that records what is sent over it."""

    sends: list[bytes] = Factory(list)

    def sendall(self, data: bytes) -> None:
        self.sends.append(data)


def sends_of(
    body: Iterable[bytes],
    *,
    method: str = "GET",
    status: str = "200 OK",
    length: int | None = None,
    wrap: Callable[..., Any] = in_one_send,
) -> list[bytes]:
    """Return what gunicorn sends for an application's response."""
    headers = [] if length is None else [("Content-Length", str(length))]

    def app(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response(status, headers)
        return body

    return sends_by(wrap(app), method=method)


def sends_by(app: Callable[..., Any], *, method: str = "GET") -> list[bytes]:
    """Return what gunicorn sends for the response of a loaded application."""
    recorder = Recorder()
    response = Response(_request(method), recorder, Config())
    for piece in app({"REQUEST_METHOD": method}, response.start_response):
        response.write(piece)
    response.close()
    return recorder.sends


def test_short_response_is_one_send() -> None:
    sends = sends_of([b"{}"], length=2)

    assert len(sends) == 1
    assert sends[0].startswith(b"HTTP/1.1 200 OK\r\n")
    assert sends[0].endswith(b"\r\n\r\n{}")


def test_worker_loads_the_application_in_one_send() -> None:
    def app(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Length", "2")])
        return [b"{}"]

    worker = Worker.__new__(Worker)
    worker.app = SimpleNamespace(wsgi=lambda: app)
    worker.load_wsgi()

    assert len(sends_by(worker.wsgi)) == 1


def test_data_after_a_joined_response_is_sent_alone() -> None:
    recorder = Recorder()
    response = Response(_request("GET"), recorder, Config())

    def app(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Length", "2")])
        return [b"{}"]

    (piece,) = in_one_send(app)({"REQUEST_METHOD": "GET"}, response.start_response)
    response.write(piece)
    response.sock.sendall(b"more")
    response.sock.sendall(b"still more")

    assert recorder.sends[1:] == [b"more", b"still more"]


@pytest.mark.parametrize(
    ("body", "options"),
    [
        ([b""], {"length": 0}),
        ([], {"length": 0}),
        ([b"{}"], {"length": 2, "method": "HEAD"}),
        ([b"{}"], {"status": "304 Not Modified"}),
        ([b"a", b"b"], {"length": 2}),
        ([b"ab"], {"length": 1}),
        ([b"ab"], {"length": 3}),
        ([b"ab"], {}),
        ([b"x" * (MAX_BYTES + 1)], {"length": MAX_BYTES + 1}),
        (iter([b"ab"]), {"length": 2}),
    ],
)
def test_every_other_response_is_sent_as_by_gunicorn(body: Iterable[bytes], options: dict[str, Any]) -> None:
    pieces = list(body)
    response_body = pieces if isinstance(body, list) else iter(pieces)
    sends, expected = sends_of(response_body, **options), sends_of(pieces, **options, wrap=_unwrapped)

    assert [_without_date(each) for each in sends] == [_without_date(each) for each in expected]
    assert sends[0].startswith(b"HTTP/1.1 ")


def _request(method: str) -> SimpleNamespace:
    return SimpleNamespace(method=method, version=(1, 1), should_close=lambda: False)


def _unwrapped(app: Callable[..., Any]) -> Callable[..., Any]:
    return app


def _without_date(sent: bytes) -> bytes:
    return re.sub(rb"Date: [^\r]*", b"", sent)
