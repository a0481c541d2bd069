"""Redis and PostgreSQL servers of a test's own, which it may stop in the middle."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Final

import pytest
import redis
from attrs import frozen

PATIENCE: Final = 30.0
_UNPRIVILEGED: Final = ("postgres", "nobody")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class OwnRedis:
    """A redis-server process on a port of its own."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        program = shutil.which("redis-server")
        if program is None:
            pytest.skip("there is no redis-server on this machine")
        command = [
            program,
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ]
        self._process = subprocess.Popen(  # noqa: S603 - a program of the machine, our own words
            command, cwd=self._folder, stdout=subprocess.DEVNULL
        )
        until = monotonic() + PATIENCE
        with self.client() as client:
            while True:
                try:
                    client.ping()
                except redis.RedisError:
                    assert monotonic() < until, "redis-server does not start"
                else:
                    return

    def client(self) -> "redis.Redis":
        return redis.Redis(host="127.0.0.1", port=self.port, protocol=2, socket_timeout=PATIENCE)

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.kill()
            self._process.wait(PATIENCE)
            self._process = None

    def freeze(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)


@frozen
class OwnPostgres:
    """A cluster of PostgreSQL in a folder of its own; its programs refuse to run as root."""

    programs: Path
    folder: Path
    port: int
    user: str | None

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://repaircore@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        self._run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def crash(self) -> None:
        """Stop it without a checkpoint: its next start recovers what was committed."""
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def create(self) -> None:
        self._run("initdb", "--no-sync", "-A", "trust", "-U", "repaircore", "-E", "UTF8", "--locale", "C")

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(  # noqa: S603 - a program of the machine, our own words
            [str(self.programs / program), "-D", str(self.folder / "data"), *arguments],
            check=True,
            cwd=self.folder,
            user=self.user,
            stdout=subprocess.DEVNULL,
            timeout=2 * PATIENCE,
        )


@contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    """Run a cluster until the block ends; skip the test where there are no programs for one."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if not programs:
        pytest.skip("there is no initdb in /usr/lib/postgresql")
    user = _unprivileged() if os.geteuid() == 0 else None
    with TemporaryDirectory() as folder:
        if user is not None:
            shutil.chown(folder, user)
        cluster = OwnPostgres(programs[-1].parent, Path(folder), free_port(), user)
        cluster.create()
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.crash()


def _unprivileged() -> str:
    names = {entry.pw_name for entry in pwd.getpwall()}
    for name in _UNPRIVILEGED:
        if name in names:
            return name
    pytest.skip("there is nobody else than root to run PostgreSQL")
