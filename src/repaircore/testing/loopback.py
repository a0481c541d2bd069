"""A loopback server in a thread, the base of fakes for external services."""

from abc import abstractmethod
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from types import TracebackType
from typing import Any, Generic, Self, TypeVar
from urllib.parse import parse_qsl

from typing_extensions import override

from repaircore.json_text import encode

Party = TypeVar("Party", bound="Loopback")


class Loopback:
    """A server as a context manager; a ``port`` of 0 picks a free port.

    ``closing`` is set when the block ends, so that slow responses stop waiting.
    """

    def __init__(self, handler: "type[Handler[Any]]", *, port: int = 0) -> None:
        self.closing = Event()
        self._server = _Server(self, handler, port)
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Return the base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def wait(self) -> None:
        """Serve until the process is interrupted."""
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, party: Loopback, handler: "type[Handler[Any]]", port: int) -> None:
        self.party = party
        super().__init__(("127.0.0.1", port), handler)

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: clients of these servers are expected to disconnect."""


class Handler(BaseHTTPRequestHandler, Generic[Party]):
    """Handles the requests to a fake without logging them, because URLs may contain secrets."""

    server: _Server

    @abstractmethod
    def answer(self) -> None:
        """Respond to a request; ``command`` is GET or POST."""

    def do_GET(self) -> None:
        """Respond to a request without a body."""
        self.answer()

    def do_POST(self) -> None:
        """Respond to a request with a body."""
        self.answer()

    @property
    def party(self) -> Party:
        """Return the fake that the request is for."""
        party: Any = self.server.party
        return party  # type: ignore[no-any-return] # a handler is made for one kind of party

    def body(self) -> bytes:
        """Read and return the body."""
        return self.rfile.read(int(self.headers.get("content-length", "0")))

    def form(self) -> dict[str, str]:
        """Read and return the fields of a form; there are none without a body."""
        return dict(parse_qsl(self.body().decode()))

    def reply(self, status: int, content: Any, headers: Mapping[str, str] | None = None) -> None:
        """Respond with JSON, or with bytes, which are sent unchanged."""
        body = content if isinstance(content, bytes) else encode(content)
        self.send_response(status)
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""
