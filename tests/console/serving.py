"""The service in threads of the test's process: each test has its own server without starting a process.

``tests/e2e`` and ``test_first_day`` run it as in production, which takes seconds of CPU to start.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from tests.compiled import compile_once
from typing_extensions import override
from werkzeug.serving import WSGIRequestHandler, make_server

from repaircore.core import build
from repaircore.settings import PREFIX, Settings
from repaircore.testing.passwords import PlainPasswords
from repaircore_http.service import serve_core

compile_once()


class _Handler(WSGIRequestHandler):
    """Keeps connections open, as production does, and writes no log."""

    protocol_version = "HTTP/1.1"

    @override
    def log(self, type: str, message: str, *args: Any) -> None: ...


@contextmanager
def serve(**settings: object) -> Iterator[str]:
    """Serve an installation with settings named without their prefix; yield its address."""
    chosen = {f"{PREFIX}{name}": str(value) for name, value in settings.items()}
    core = build(Settings.from_env(chosen)).replacing(password_hasher=PlainPasswords())
    server = make_server("127.0.0.1", 0, serve_core(core), threaded=True, request_handler=_Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        core.close()
