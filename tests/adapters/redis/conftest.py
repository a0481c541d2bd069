"""A Redis server of the test's own, which it can stop, and a fake one."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.own_servers import PATIENCE, OwnRedis


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[OwnRedis]:
    server = OwnRedis(tmp_path)
    try:
        server.start()
        yield server
    finally:
        server.stop()


class FakeRedis:
    """A server that greets like Redis and answers acquisitions with ``answer``; None means silence."""

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
            while data := connection.recv(65536):
                if b"EVALSHA" not in data:
                    connection.sendall(b"+OK\r\n" * data.count(b"*"))
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
        self._thread.join(PATIENCE)
        for connection in self._open:
            connection.close()


@pytest.fixture
def fake_redis() -> Iterator[FakeRedis]:
    server = FakeRedis()
    yield server
    server.close()
