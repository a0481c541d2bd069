"""The number of connections to PostgreSQL of a server with jobs, under many concurrent requests."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread
from typing import Self

import httpx
import psycopg
import pytest
from tests.e2e.processes import PATIENCE

from repaircore.addresses import database_address

pytestmark = [pytest.mark.long, pytest.mark.postgres]

MOST = 12
CLIENTS = 24
EACH = 12
COUNT = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"


class Sampler:
    """Samples the number of a database's connections, over its own connection."""

    def __init__(self, url: str) -> None:
        self.most, self._stop = 0, Event()
        server = database_address(url).server
        self._name = server["dbname"]
        self._connection = psycopg.connect(
            host=server["host"], port=server.get("port", "5432"), user=server["user"], dbname="postgres"
        )
        self._thread = Thread(target=self._sample)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(PATIENCE)
        self._connection.close()

    def _sample(self) -> None:
        while not self._stop.wait(0.02):
            found = self._connection.execute(COUNT, (self._name,)).fetchone()
            self._connection.rollback()
            self.most = max(self.most, found[0] if found else 0)


@pytest.fixture
def address(postgres_url: str, tmp_path: Path) -> Iterator[str]:
    environ = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
        "REPAIRCORE_DATABASE_URL": postgres_url,
        "REPAIRCORE_STATE_FOLDER": str(tmp_path),
        "REPAIRCORE_SECRET_KEY": "0123456789abcdef" * 2,
    }
    command = [sys.executable, "-m", "repaircore_cli", "serve", "--port", "0", "--workers", "2", "--json"]
    with subprocess.Popen(  # noqa: S603 - our own command
        command, env=environ, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            yield json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")["url"]
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(PATIENCE)


def test_server_of_two_workers_with_jobs_has_twelve_connections_at_most(
    address: str, postgres_url: str
) -> None:
    with httpx.Client(base_url=address, timeout=PATIENCE) as client, Sampler(postgres_url) as connections:
        account = {"name": "Ada", "email": "ada@example.org", "password": "correct horse"}
        session = client.post("/api/v1/auth/register", json=account).json()["data"]["session_token"]
        bearer = {"Authorization": f"Bearer {session}"}

        def ask(_: int) -> set[int]:
            paths = ("/readyz", "/api/v1/dashboard/keys", "/api/v1/problems/categories")
            return {client.get(path, headers=bearer).status_code for path in paths * (EACH // 3)}

        with ThreadPoolExecutor(CLIENTS) as pool:
            statuses = set().union(*pool.map(ask, range(CLIENTS)))

    assert max(statuses) < 500
    assert 4 <= connections.most <= MOST
