"""A server under load: gunicorn with two threaded workers, and clients that count nothing but answers.

What is measured is the CPU time of gunicorn's processes, so that the clients on the same machine do not count.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path

from attrs import frozen

from bench.table import Ratio, ratio_of, tell

_TICK = os.sysconf("SC_CLK_TCK")
_SECONDS_TO_START = 60

WORKER = "repaircore_http.fast_path.worker.Worker"
PLAIN_WORKER = "gthread"


@frozen
class Served:
    """A running gunicorn."""

    port: int
    master: int

    def cpu(self) -> float:
        """Give the CPU seconds that all of its processes have used so far."""
        return sum(_cpu(pid) for pid in (self.master, *_children(self.master)))


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _cpu(pid: int) -> float:
    # Behind the name in parentheses, which may hold anything, utime and stime are the 12th and 13th fields.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


@contextmanager
def served(app: str, environ: dict[str, str], log: Path, *, worker: str = WORKER) -> Iterator[Served]:
    """Serve a WSGI application with 2 workers of 8 threads until the block ends; by default the workers of ``repaircore serve``."""
    port = _free_port()
    command = [sys.executable, "-m", "gunicorn", app, "--bind", f"127.0.0.1:{port}"]
    command += ["--workers", "2", "--worker-class", worker, "--threads", "8", "--keep-alive", "30"]
    with log.open("wb") as out:
        process = subprocess.Popen(command, env={**os.environ, **environ}, stdout=out, stderr=out)
    try:
        _wait_for(port, process, log)
        yield Served(port, process.pid)
    finally:
        process.terminate()
        process.wait(30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(_SECONDS_TO_START * 20):
        if process.poll() is not None:
            sys.exit(f"gunicorn ended at once:\n{log.read_text()}")
        try:
            # gunicorn listens before its workers are up: any answer tells that one is.
            with _connected(port) as connection:
                _exchange(connection, request_bytes("GET", "/healthz"))
        except (OSError, RuntimeError):
            time.sleep(0.05)
        else:
            return
    sys.exit(f"gunicorn did not start within {_SECONDS_TO_START} seconds:\n{log.read_text()}")


_JSON = "application/json"


def request_bytes(
    method: str, path: str, body: bytes = b"", token: str | None = None, *, kind: str = _JSON
) -> bytes:
    """Write a request as a common client does."""
    head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Accept: */*", "User-Agent: bench"]
    if token is not None:
        head.append(f"Authorization: Bearer {token}")
    if body:
        head += [f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    return "\r\n".join([*head, "", ""]).encode() + body


def clients(number: int) -> ProcessPoolExecutor:
    """Start processes for ``load``."""
    return ProcessPoolExecutor(number, mp_context=get_context("fork"))


def load(pool: ProcessPoolExecutor, number: int, port: int, requests: Sequence[bytes], each: int) -> None:
    """Let ``number`` clients make ``each`` requests, and wait until all are answered with 200."""
    asked = [pool.submit(ask_many, port, requests, each) for _ in range(number)]
    for client in asked:
        client.result()


def ask_many(port: int, requests: Sequence[bytes], times: int) -> None:
    """Make requests one after the other over one connection."""
    with _connected(port) as connection:
        for request in islice(cycle(requests), times):
            _expect((200,), _exchange(connection, request))


CLIENTS = 4

Target = tuple[Served, Sequence[bytes]]


def cpu_ratio(  # noqa: PLR0917 - what is compared, and for how long
    pool: ProcessPoolExecutor, name: str, measured: Target, yardstick: Target, rounds: int, each: int
) -> Ratio:
    """Compare the CPU time of a request to a server with that of a yardstick, which takes turns with it."""
    for server, requests in (measured, yardstick):
        load(pool, CLIENTS, server.port, requests, 300)
    mine, theirs = [], []
    for number in range(rounds):
        mine.append(_cpu_of(pool, measured, each))
        theirs.append(_cpu_of(pool, yardstick, each))
        tell(f"{name} round {number + 1} of {rounds}: {mine[-1]:.0f} µs against {theirs[-1]:.0f}")
    return ratio_of(mine, theirs)


def _cpu_of(pool: ProcessPoolExecutor, target: Target, each: int) -> float:
    """Give the microseconds of CPU that the server used for a request."""
    server, requests = target
    before = server.cpu()
    load(pool, CLIENTS, server.port, requests, each)
    return (server.cpu() - before) / (CLIENTS * each) * 1e6


def latencies(port: int, request: bytes, seconds: float, pause: float) -> list[float]:
    """Give the seconds that each request took, with pauses between them, for as long as ``seconds``."""
    taken = []
    until = time.monotonic() + seconds
    with _connected(port) as connection:
        while time.monotonic() < until:
            time.sleep(pause)
            start = time.perf_counter()
            _expect((200,), _exchange(connection, request))
            taken.append(time.perf_counter() - start)
    return taken


def flood(port: int, request: bytes, seconds: float, answers: tuple[int, ...] = (200, 429)) -> int:
    """Make a request again and again for as long as ``seconds``; give how many were done, not put off."""
    done = 0
    until = time.monotonic() + seconds
    with _connected(port) as connection:
        while time.monotonic() < until:
            answer = _exchange(connection, request)
            _expect(answers, answer)
            done += answer.startswith(b"HTTP/1.1 200 ")
    return done


def _connected(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), 30)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _expect(statuses: tuple[int, ...], answer: bytes) -> None:
    if int(answer[9:12]) not in statuses:
        raise RuntimeError(answer.decode(errors="replace"))


def _exchange(connection: socket.socket, request: bytes) -> bytes:
    connection.sendall(request)
    answer = connection.recv(65_536)
    while (end := answer.find(b"\r\n\r\n")) < 0:
        answer += _more(connection)
    head = answer[:end].lower()
    at = head.index(b"content-length:") + len(b"content-length:")
    whole = end + 4 + int(head[at : (head + b"\r\n").index(b"\r\n", at)])
    while len(answer) < whole:
        answer += _more(connection)
    return answer


def _more(connection: socket.socket) -> bytes:
    more = connection.recv(65_536)
    if not more:
        raise RuntimeError("the server hung up")
    return more
