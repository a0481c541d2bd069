"""Clients that claim to be a proxy, and clients that send slowly."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.e2e.server import Server, gunicorn, our_worker_only

from repaircore_http.fast_path.worker import ARRIVES_WITHIN

pytestmark = pytest.mark.long

THREADS, WORKERS = 2, 2
SLACK = 10.0


@pytest.fixture(scope="module")
def small_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("alone")
    with gunicorn(
        folder / "log", threads=THREADS, DATABASE_URL=f"sqlite:///{folder / 'repaircore.db'}"
    ) as running:
        yield running


@pytest.mark.parametrize(
    "headers",
    [
        {"SCRIPT_NAME": "/x"},
        {"PATH_INFO": "/nowhere"},
        {"X-Forwarded-Proto": "https", "X-Forwarded-Ssl": "off"},
        {"X-Forwarded-For": "nobody", "X-Forwarded-Host": "@", "X-Forwarded-Prefix": "/x"},
    ],
)
def test_nobody_is_believed_to_be_a_proxy(small_server: Server, headers: dict[str, str]) -> None:
    answer = small_server.client.get("/healthz", headers=headers)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@our_worker_only
@pytest.mark.parametrize(("size", "stays"), [(1000, "keep-alive"), (2_000_000, "close")])
def test_answer_says_whether_its_connection_stays(small_server: Server, size: int, stays: str) -> None:
    answer = small_server.client.post("/api/v1/auth/login", json={"email": "x" * size})
    assert answer.headers["connection"] == stays
    assert answer.status_code == (413 if stays == "close" else 422)


@our_worker_only
def test_clients_that_never_finish_a_request_do_not_stop_the_service(small_server: Server) -> None:
    address = (small_server.client.base_url.host, small_server.client.base_url.port or 0)
    slow = THREADS * WORKERS + 2
    with ExitStack() as open_until_the_end:
        for _ in range(slow):
            client = open_until_the_end.enter_context(socket.create_connection(address))
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x")
        started = time.monotonic()
        assert small_server.client.get("/healthz").status_code == 200
        # At worst one worker has accepted them all.
        assert time.monotonic() - started < slow / THREADS * ARRIVES_WITHIN + SLACK


@our_worker_only
def test_body_that_comes_in_drops_is_not_waited_for(small_server: Server) -> None:
    address = (small_server.client.base_url.host, small_server.client.base_url.port or 0)
    head = (
        b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\n"
        b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
    )
    with socket.create_connection(address) as slow:
        slow.sendall(head)
        slow.settimeout(0.5)
        started = time.monotonic()
        result = b""
        while not result and time.monotonic() - started < ARRIVES_WITHIN + SLACK:
            slow.sendall(b" ")
            try:
                result = slow.recv(100)
            except TimeoutError:
                continue
    assert result.startswith(b"HTTP/1.1 400 ")
