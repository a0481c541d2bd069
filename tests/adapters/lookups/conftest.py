"""A server on the loopback that misbehaves as told, and the decoders."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, TypeAlias

import pytest

from repaircore.adapters.lookups.vpic_local import VpicData

Script: TypeAlias = Callable[[socket.socket], None]


def clock() -> datetime:
    return datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def data() -> Iterator[VpicData]:
    shipped = VpicData()
    yield shipped
    shipped.close()


class LoopbackServer:
    """Play one script for each connection, the last one again and again; remember the paths."""

    def __init__(self) -> None:
        self.choose: Callable[[str, int], Script] | None = None
        self.paths: list[str] = []
        self.done = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/api/vehicles"

    def plays(self, *scripts: Script) -> str:
        return self.chooses(lambda _, turn: scripts[min(turn, len(scripts) - 1)])

    def chooses(self, choose: Callable[[str, int], Script]) -> str:
        self.choose = choose
        return self.url

    def close(self) -> None:
        self.done.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self) -> None:
        while not self.done.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._play, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _play(self, connection: socket.socket) -> None:
        with connection:
            request = b""
            try:
                while b"\r\n\r\n" not in request:
                    received = connection.recv(65536)
                    if not received:
                        return
                    request += received
                path = request.split(b" ")[1].decode()
                self.paths.append(path)
                assert self.choose is not None
                self.choose(path, len(self.paths) - 1)(connection)
            except OSError:
                return  # the client has gone, as it should


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    served = LoopbackServer()
    yield served
    served.close()


def reply(body: bytes, *, status: str = "200 OK", headers: str = "") -> Script:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{headers}\r\n"
    return lambda connection: connection.sendall(head.encode() + body)


def answer(**row: Any) -> Script:
    return reply(json.dumps({"Count": 1, "Message": "ok", "Results": [row]}).encode())
