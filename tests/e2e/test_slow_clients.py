"""Clients that stall while sending, receiving or closing do not block others."""

import http.client
import json
import re
import resource
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Final

import httpx
import pytest
from attrs import frozen
from tests.e2e.processes import PATIENCE, until
from tests.e2e.server import Server, gunicorn, our_worker_only
from typing_extensions import override

from repaircore.testing.upstream import Answer, Behavior, Exchange, MisbehavingUpstream
from repaircore_http.fast_path.connection import TAKES_WITHIN
from repaircore_http.fast_path.worker import ARRIVES_WITHIN

pytestmark = [pytest.mark.long, our_worker_only]

THREADS, WORKERS = 2, 2
SOON = 20.0
"""Seconds: far more than an answer takes on a busy machine, and far less than all stalled clients together."""
ANSWER_SECONDS: Final = 6.0
"""Seconds: less than the timeout of requests that do not arrive."""
_BEGUN: Final = b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    with gunicorn(
        folder / "log", threads=THREADS, DATABASE_URL=f"sqlite:///{folder / 'repaircore.db'}"
    ) as running:
        until(lambda: len(running.workers) == WORKERS)
        yield running


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve all tests that leave the server unchanged."""
    with serving(tmp_path_factory.mktemp("shared")) as running:
        yield running


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    """Serve one test, which may change the processes' limits."""
    with serving(tmp_path) as running:
        yield running


def address(server: Server) -> tuple[str, int]:
    return server.client.base_url.host, server.client.base_url.port or 0


def connect(
    server: Server, stack: ExitStack, *, sends: bytes = b"", receive_buffer: int | None = None
) -> socket.socket:
    """Connect and send; ``receive_buffer`` is the client's buffer in bytes."""
    client = stack.enter_context(socket.socket())
    if receive_buffer is not None:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    client.connect(address(server))
    client.sendall(sends)
    return client


def largest_path(server: Server) -> str:
    """Return the path of the largest file that the server has."""
    found = re.search(r'"(docs/\w+/swagger-ui-bundle\.js)"', server.client.get("/docs").text)
    assert found is not None
    return "/" + found[1]


def get_request(path: str, headers: str = "") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode()


def is_up(server: Server, *, within: float = SOON) -> bool:
    return server.client.get("/healthz", timeout=within).status_code == 200


def is_answered_soon(server: Server, path: str) -> bool:
    try:
        return server.client.get(path, timeout=0.5).status_code == 200
    except httpx.TimeoutException:
        return False


def test_connections_over_which_nothing_comes_hold_nobody_up(shared: Server) -> None:
    with ExitStack() as stack:
        for _ in range(40):
            connect(shared, stack)
        assert is_up(shared)


def test_bodies_that_do_not_come_hold_nobody_up(shared: Server) -> None:
    with ExitStack() as stack:
        for _ in range(100):
            connect(shared, stack, sends=_BEGUN)
        for _ in range(4 * THREADS * WORKERS):
            assert is_up(shared, within=ANSWER_SECONDS)
            assert shared.post("/api/v1/auth/login", {}).status_code == 422


def test_bytes_that_come_one_by_one_hold_nobody_up(shared: Server) -> None:
    over = Event()
    with ExitStack() as stack:
        slow = [connect(shared, stack, sends=sends) for sends in 8 * (_BEGUN, b"POST /api")]
        with ThreadPoolExecutor(1) as pool:
            dripping = pool.submit(drip, slow, over)
            for _ in range(4 * THREADS * WORKERS):
                assert is_up(shared, within=ANSWER_SECONDS)
            over.set()
            dripping.result()


def test_long_body_that_arrives_slowly_is_read_whole(shared: Server) -> None:
    """It is buffered in a file."""
    text = "x" * 300_000
    body = json.dumps({"email": f"{text}@example.org", "password": "correct horse"}).encode()
    ask = b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%s\r\n\r\n%s"
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in cut(body, 50_000))
    for sends in (
        ask % (b"Content-Length: %d" % len(body), body),
        ask % (b"Transfer-Encoding: chunked", chunks + b"0\r\n\r\n"),
    ):
        with ExitStack() as stack:
            client = connect(shared, stack)
            client.settimeout(SOON)
            for piece in cut(sends, 40_000):
                client.sendall(piece)
                time.sleep(0.01)
            with client.makefile("rb") as answer:
                assert answer.readline().startswith(b"HTTP/1.1 401 ")


def test_requests_that_come_together_are_answered_in_turn(shared: Server) -> None:
    begun, rest = get_request("/healthz")[:10], get_request("/healthz", "Connection: close\r\n")[10:]
    with ExitStack() as stack:
        client = connect(shared, stack, sends=get_request("/healthz") * 3 + begun)
        client.settimeout(SOON)
        time.sleep(0.2)
        client.sendall(rest)
        with client.makefile("rb") as answer:
            assert answer.read().count(b'{"status":"ok"}') == 4


def test_client_that_expects_100_continue_gets_it_once(shared: Server) -> None:
    head = (
        b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n"
    )
    with ExitStack() as stack:
        client = connect(shared, stack, sends=head)
        client.settimeout(SOON)
        with client.makefile("rb") as answer:
            assert answer.readline() == b"HTTP/1.1 100 Continue\r\n"
            client.sendall(b"{}")
            rest = answer.read()
    assert rest.startswith(b"\r\nHTTP/1.1 422 ")
    assert b"100 Continue" not in rest


@pytest.mark.every_variant
@pytest.mark.parametrize(("length", "body"), [(2, b"{}"), (5_000_000_000, b"")], ids=["arrived", "too long"])
def test_body_that_has_arrived_or_is_refused_is_not_asked_for(
    shared: Server, length: int, body: bytes
) -> None:
    ask = (
        b"POST /api/v1/predict HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (length, body)
    )
    with ExitStack() as stack:
        client = connect(shared, stack, sends=ask)
        client.settimeout(SOON)
        with client.makefile("rb") as answer:
            assert answer.readline().startswith(b"HTTP/1.1 401 ")


def drip(slow: list[socket.socket], over: Event) -> None:
    while not over.wait(0.1):
        for client in slow:
            with suppress(OSError):  # the server has closed it
                client.sendall(b"a")


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def test_clients_that_do_not_close_hold_nobody_up(shared: Server) -> None:
    workers = shared.workers
    last = get_request("/healthz", "Connection: close\r\n")
    with ExitStack() as stack:
        clients = [connect(shared, stack, sends=last) for _ in range(60)]
        assert is_up(shared)
        for client in clients:  # each gets its complete answer
            client.settimeout(SOON)
            with client.makefile("rb") as answer:
                assert answer.read().endswith(b'{"status":"ok"}')
    assert shared.workers == workers


def test_who_takes_no_answers_holds_up_nobody_for_good(shared: Server) -> None:
    requests = get_request(largest_path(shared)) * 12
    with ExitStack() as stack:
        for _ in range(THREADS * WORKERS):
            connect(shared, stack, sends=requests, receive_buffer=2048)
        time.sleep(1)
        assert is_up(shared, within=2 * TAKES_WITHIN + SOON)


def test_who_takes_an_answer_slowly_gets_all_of_it(shared: Server) -> None:
    bundle, count = largest_path(shared), 6
    whole = len(shared.client.get(bundle).raise_for_status().content)
    with ExitStack() as stack:
        sends = get_request(bundle) * (count - 1) + get_request(bundle, "Connection: close\r\n")
        client = connect(shared, stack, sends=sends, receive_buffer=65536)
        client.settimeout(SOON)
        began, got = time.monotonic(), 0
        while piece := client.recv(65536):
            got += len(piece)
            time.sleep(1.6 * TAKES_WITHIN * len(piece) / (count * whole))
    assert time.monotonic() - began > TAKES_WITHIN
    assert count * whole < got < count * (whole + 2000)


@frozen
class DelayedAnswer(Behavior):
    """Answer correctly after a delay."""

    seconds: float

    @override
    def act(self, exchange: Exchange) -> None:
        if not exchange.closing.wait(self.seconds):
            Answer(540).act(exchange)


def test_connection_is_kept_however_long_an_answer_took(tmp_path: Path) -> None:
    with (
        MisbehavingUpstream(DelayedAnswer(ARRIVES_WITHIN + 3)) as slow,
        gunicorn(
            tmp_path / "log",
            DATABASE_URL=f"sqlite:///{tmp_path / 'repaircore.db'}",
            PREDICTION_SECONDS=30,
            MODEL_A_KIND="openai",
            MODEL_A_URL=slow.url,
            MODEL_A_NAME="a",
        ) as server,
    ):
        key = server.visitor().secret_key
        connection = http.client.HTTPConnection(*address(server), timeout=60)
        body = b'{"vin": "1HGCM82633A004352", "zip_code": "90210", "problem_identifier": "brake-pads-front"}'
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        connection.request("POST", "/api/v1/predict", body, headers)
        answer = connection.getresponse()
        assert (answer.status, answer.headers["Connection"]) == (200, "keep-alive")
        answer.read()
        first_socket = connection.sock
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200
        assert connection.sock is first_socket
        connection.close()


def test_cached_answers_wait_for_no_thread(tmp_path: Path) -> None:
    """The main loops answer them while new questions, whose models are slow, occupy all threads."""
    with (
        MisbehavingUpstream(DelayedAnswer(ANSWER_SECONDS)) as slow,
        gunicorn(
            tmp_path / "log",
            threads=THREADS,
            DATABASE_URL=f"sqlite:///{tmp_path / 'repaircore.db'}",
            PREDICTION_SECONDS=60,
            MODEL_A_KIND="openai",
            MODEL_A_URL=slow.url,
            MODEL_A_NAME="a",
        ) as server,
        ThreadPoolExecutor(8 * THREADS * WORKERS) as pool,
    ):
        key = server.visitor().secret_key
        first = server.predict(key).json()
        for _ in range(8 * WORKERS):  # each main loop has its connection opened by a thread first
            assert server.predict(key).status_code == 200
            time.sleep(0.05)
        slowly = server.predict_many(pool, key, [{"mileage": 25_000 * band} for band in range(1, 17)])
        time.sleep(1)
        assert not all(is_answered_soon(server, "/readyz") for _ in range(4 * WORKERS))  # it needs a thread
        for _ in range(8 * WORKERS):
            assert server.predict(key).json()["session_id"] == first["session_id"]
        assert not all(new.done() for new in slowly)
        assert {new.result().status_code for new in slowly} == {200}


def test_cached_answers_that_nobody_reads_hold_nobody_up(shared: Server) -> None:
    key = shared.visitor().secret_key
    assert shared.predict(key).status_code == 200
    body = b'{"vin": "1HGCM82633A004352", "zip_code": "90210", "problem_identifier": "brake-pads-front"}'
    request = (
        b"POST /api/v1/predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s" % (key.encode(), len(body), body)
    )
    with ExitStack() as stack:
        clients = [connect(shared, stack, receive_buffer=2048) for _ in range(2 * WORKERS)]
        for _ in range(40):
            for client in clients:
                client.sendall(request)
            time.sleep(0.01)
        for _ in range(4 * THREADS * WORKERS):
            assert is_up(shared, within=2 * TAKES_WITHIN + SOON)
            assert shared.predict(key).status_code == 200


def test_more_connections_than_descriptors_end_no_worker(served: Server) -> None:
    workers = served.workers
    for worker in workers:
        _, most = resource.prlimit(worker, resource.RLIMIT_NOFILE)
        open_now = len([*Path(f"/proc/{worker}/fd").iterdir()])
        resource.prlimit(worker, resource.RLIMIT_NOFILE, (open_now + 40, most))
    with ExitStack() as stack:
        for _ in range(120):
            connect(served, stack)
        assert is_up(served, within=4 * ARRIVES_WITHIN + SOON)
    assert served.workers == workers
    assert "Out of file descriptors" in served.log.read_text()


def test_worker_keeps_half_of_its_descriptors_back(served: Server) -> None:
    _, most = resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (200, most))
    earlier = served.workers
    served.process.send_signal(signal.SIGHUP)  # new workers have the limit
    deadline = time.monotonic() + PATIENCE
    while set(served.workers) & set(earlier) or len(served.workers) < WORKERS:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert is_up(served, within=PATIENCE)  # once they have started
    workers = served.workers
    with ExitStack() as stack:
        for _ in range(400):
            connect(served, stack)
        time.sleep(1)
        for worker in workers:
            assert len([*Path(f"/proc/{worker}/fd").iterdir()]) < 200 - 50
        assert is_up(served, within=4 * ARRIVES_WITHIN + SOON)
    assert served.workers == workers
    assert "Out of file descriptors" not in served.log.read_text()
