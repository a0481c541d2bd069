"""Servers of this machine that partners receive events with."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event as Flag
from threading import Lock, Thread
from time import monotonic
from typing import Any, Final

from typing_extensions import override

WITHIN: Final = 30.0


class Subscriber:
    """A receiver that keeps what it gets; ``answer`` says what happens then.

    What ``verify`` raises on is refused, and said in ``refused``.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.answer: Callable[[], int] = lambda: 200
        self.verify: Callable[[bytes, dict[str, str]], object] = lambda _body, _headers: None
        self.refused: list[str] = []
        self.lock = Lock()
        self.got: list[tuple[Mapping[str, str], bytes, float]] = []
        self.arrived = Flag()
        self.at_once = self.most_at_once = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks"

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _, _ in self.got]

    def take(self, headers: Mapping[str, str], body: bytes) -> int:
        with self.lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        status = self._verified(headers, body) or self.answer()
        with self.lock:
            self.at_once -= 1
            self.got.append((headers, body, monotonic()))
        self.arrived.set()
        return status

    def _verified(self, headers: Mapping[str, str], body: bytes) -> int | None:
        try:
            self.verify(body, dict(headers))
        except Exception as error:  # noqa: BLE001 - the test reads it
            self.refused.append(f"{headers.get('webhook-id')}: {error!r}")
            return 400
        return None

    def wait_for(self, count: int) -> None:
        end = monotonic() + WITHIN
        while len(self.got) < count and monotonic() < end:
            self.arrived.wait(0.05)
            self.arrived.clear()
        assert len(self.got) >= count, f"{len(self.got)} of {count} arrived"


@contextmanager
def receiving() -> Iterator[Subscriber]:
    """Receive what is sent to this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            body = self.rfile.read(length)
            if len(body) < length:  # whoever sent it was killed meanwhile: there is no request
                return
            status = made.take({name.lower(): value for name, value in self.headers.items()}, body)
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        @override
        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        @override
        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        made = Subscriber(server.server_address[1])
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield made
        server.shutdown()
        thread.join(10)
