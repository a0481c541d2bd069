"""A Redis server of the test's own, which it may stop in the middle, and one that only pretends."""

import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
import redis

_PATIENCE = 30.0


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
        until = monotonic() + _PATIENCE
        with self.client() as client:
            while True:
                try:
                    client.ping()
                except redis.RedisError:
                    assert monotonic() < until, "redis-server does not start"
                else:
                    return

    def client(self) -> "redis.Redis":
        return redis.Redis(host="127.0.0.1", port=self.port, protocol=2, socket_timeout=_PATIENCE)

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.kill()
            self._process.wait(_PATIENCE)
            self._process = None

    def freeze(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[OwnRedis]:
    server = OwnRedis(tmp_path)
    try:
        server.start()
        yield server
    finally:
        server.stop()


class PretendedRedis:
    """A server that greets as Redis does, and answers what takes a place with ``answer``; None is silence."""

    def __init__(self) -> None:
        self.answer: bytes | None = b"+1 1 5 5\r\n"
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            while said := connection.recv(65536):
                if b"EVALSHA" not in said:
                    connection.sendall(b"+OK\r\n" * said.count(b"*"))
                elif self.answer == b"":
                    connection.close()
                    return
                elif self.answer is not None:
                    connection.sendall(self.answer)
        except OSError:
            return

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(_PATIENCE)
        for connection in self._open:
            connection.close()


@pytest.fixture
def pretended_redis() -> Iterator[PretendedRedis]:
    server = PretendedRedis()
    yield server
    server.close()
