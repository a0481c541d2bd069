"""Upgrading a database that starts late, and by several processes at once."""

import multiprocessing
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.synchronize import Barrier
from threading import Thread

import pytest
import sqlalchemy as sa
from tests.cli.conftest import Cli

from repaircore.core import Core
from repaircore.settings import Settings

SPAWN = multiprocessing.get_context("spawn")
SECRET = "a-secret-that-only-tests-may-ever-know"
NOWHERE = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"


def _forward(client: socket.socket, server: socket.socket) -> None:
    """Forward data in both directions until one side closes."""
    with client, server, suppress(OSError):
        while True:
            for source in select.select([client, server], [], [], 60)[0]:
                piece = source.recv(65536)
                if not piece:
                    return
                (server if source is client else client).sendall(piece)


@contextmanager
def _forwarding_to(listener: socket.socket, host: str, port: int) -> Iterator[None]:
    """Forward connections to a server, like a database that has started."""

    def accept_connections() -> None:
        with suppress(OSError), ThreadPoolExecutor() as forwards:
            while True:
                client, _ = listener.accept()
                forwards.submit(_forward, client, socket.create_connection((host, port)))

    listener.listen()
    accepting = Thread(target=accept_connections)
    accepting.start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        accepting.join()


@pytest.mark.postgres
def test_upgrade_waits_for_a_late_database(empty_postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPAIRCORE_SECRET_KEY", SECRET)
    there = sa.make_url(empty_postgres_url)
    with socket.socket() as listener:  # bound, and refusing connections until it listens
        listener.bind(("127.0.0.1", 0))
        late = there.set(host="127.0.0.1", port=listener.getsockname()[1])
        with subprocess.Popen(  # noqa: S603 - our own command
            [
                *(sys.executable, "-m", "repaircore_cli", "db", "upgrade", "--wait", "60"),
                *("--database", late.render_as_string(hide_password=False)),
            ],
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert line == "Waiting for the database, up to 60 s.\n"
            with _forwarding_to(listener, there.host or "127.0.0.1", there.port or 5432):
                out, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (0, "")
    assert "revision" in out


def test_upgrade_reports_a_database_that_never_answers(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPAIRCORE_SECRET_KEY", SECRET)
    outcome = cli("db", "upgrade", "--wait", "3", "--database", NOWHERE)

    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.splitlines() == [
        "Waiting for the database, up to 3 s.",
        "Error: The database did not respond within 3 s.",
    ]


def test_upgrade_does_not_wait_by_default(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPAIRCORE_SECRET_KEY", SECRET)
    outcome = cli("db", "upgrade", "--database", NOWHERE)

    assert (outcome.status, outcome.err) == (1, "Error: The database is not responding.\n")


def _upgrade(url: str, start: Barrier) -> None:
    core = Core(Settings(database_url=url, secret_key=SECRET))
    start.wait(120)
    core.upgrade()
    core.close()


@pytest.mark.long
def test_concurrent_upgrades_of_an_empty_database_succeed(empty_url: str) -> None:
    """Two systemd units do so when a machine starts, as do machines that start together."""
    start = SPAWN.Barrier(4)
    several = [SPAWN.Process(target=_upgrade, args=(empty_url, start)) for _ in range(4)]
    for one in several:
        one.start()
    for one in several:
        one.join(120)
    assert [one.exitcode for one in several] == [0] * 4
    core = Core(Settings(database_url=empty_url, secret_key=SECRET))

    assert core.ready() == []
    core.close()
