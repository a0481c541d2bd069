"""The service as in production: gunicorn, two workers, threads, one database."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from attrs import frozen
from tests.e2e.processes import PATIENCE

from repaircore_cli.serve import gunicorn as command_of

_numbers = count(1)
_ENDS_WITHIN = 25.0
"""Less than the 30 seconds after which a worker that hangs is killed."""
_OTHER_WORKER_CLASS = os.environ.get("REPAIRCORE_TEST_WORKER_CLASS", "")
our_worker_only = pytest.mark.skipif(_OTHER_WORKER_CLASS != "", reason="another worker does not promise this")
"""Marks tests of promises that only our worker class makes."""
_UNLIMITED = {"REGISTRATIONS_PER_HOUR": 100_000}
"""All visitors come from one address."""


@frozen(kw_only=True)
class Visitor:
    """A user with an account and a pair of live keys."""

    session: str
    key_id: int
    public_key: str
    secret_key: str


@frozen(kw_only=True)
class Server:
    """A running server; ``client`` may be shared by threads."""

    process: "subprocess.Popen[bytes]"
    client: httpx.Client
    log: Path

    @property
    def workers(self) -> list[int]:
        """Return the process ids of the running workers."""
        pid = self.process.pid
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def post(self, path: str, body: Any = None, *, token: str = "") -> httpx.Response:
        """Post JSON with a credential."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.client.post(path, json=body, headers=headers)

    def visitor(self) -> Visitor:
        """Register a new user and create their keys."""
        email = f"visitor{next(_numbers)}@example.org"
        account = {"name": "Visitor", "email": email, "password": "correct horse"}
        session = self.post("/api/v1/auth/register", account).json()["data"]["session_token"]
        request = {"name": "shop", "environment": "live"}
        created = self.post("/api/v1/dashboard/keys", request, token=session).json()["data"]
        return Visitor(
            session=session,
            key_id=created["id"],
            public_key=created["public_key"],
            secret_key=created["secret_key"],
        )

    def predict(self, token: str, **changes: Any) -> httpx.Response:
        """Request a prediction."""
        body = {"vin": "1HGCM82633A004352", "zip_code": "90210", "problem_identifier": "brake-pads-front"}
        return self.post("/api/v1/predict", {**body, **changes}, token=token)

    def predict_many(
        self, pool: ThreadPoolExecutor, token: str, bodies: list[dict[str, Any]]
    ) -> "list[Future[httpx.Response]]":
        """Request many predictions concurrently."""
        return [pool.submit(self.predict, token, **body) for body in bodies]


@contextmanager
def gunicorn(log: Path, *, threads: int = 8, drain: float = 0, **settings: object) -> Iterator[Server]:
    """Run the service with settings named without their prefix; stop it at the end of the block."""
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        listener.set_inheritable(True)
        process = _start(listener.fileno(), log, threads, drain, settings)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with httpx.Client(base_url=address, timeout=PATIENCE, limits=limits, trust_env=False) as client:
            server = Server(process=process, client=client, log=log)
            try:
                _wait_until_ready(server)
                yield server
            finally:
                _end(process)
    assert "SIGSEGV" not in log.read_text()


def _start(
    fd: int, log: Path, threads: int, drain: float, settings: Mapping[str, object]
) -> "subprocess.Popen[bytes]":
    own = {name: value for name, value in os.environ.items() if not name.startswith("REPAIRCORE_")}
    chosen = {f"REPAIRCORE_{name}": str(value) for name, value in {**_UNLIMITED, **settings}.items()}
    with log.open("ab") as output:
        return subprocess.Popen(  # noqa: S603 - our own interpreter
            _command(fd, threads, drain),
            env={**own, **chosen, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            pass_fds=[fd],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )


def _command(fd: int, threads: int, drain: float) -> list[str]:
    usual = command_of(f"fd://{fd}", workers=2, threads=threads, drain=drain)
    return [*usual, f"--worker-class={_OTHER_WORKER_CLASS}"] if _OTHER_WORKER_CLASS else usual


def _wait_until_ready(server: Server) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert server.process.poll() is None, server.log.read_text()
        try:
            if server.client.get("/readyz", timeout=30).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError(server.log.read_text())


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(_ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
