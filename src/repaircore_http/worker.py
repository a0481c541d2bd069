"""Gunicorn's worker with threads, a deadline for whoever sends a request, and an end that is announced."""

import socket
import time
from contextlib import suppress
from typing import Any, Final

from gunicorn.workers.gthread import ThreadWorker
from typing_extensions import override

from repaircore_http.draining import DRAIN

__all__ = ["ARRIVES_WITHIN", "Worker"]

ARRIVES_WITHIN: Final = 10.0
"""Seconds that a request, headers and body, may take to arrive once its first byte is awaited by a thread."""


LONG: Final = 32 * 1024
"""Bytes of a body that gunicorn still reads to its end when the application refused it unread; of more it gives up
at 64 KiB, and closes the connection that the answer said it keeps."""


class Worker(ThreadWorker):  # type: ignore[misc] # gunicorn has no types
    """Waits in vain for nobody: a thread that reads would wait for the rest of a request as long as it takes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._served: dict[Any, float] = {}
        self._ends_at: float | None = None
        self._look_again = 0.0

    @override
    def handle(self, conn: Any) -> Any:
        """Serve one request in a thread."""
        self._served[conn] = time.monotonic() + ARRIVES_WITHIN
        try:
            return super().handle(conn)
        finally:
            del self._served[conn]

    @override
    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer one request; one with a long body is the last on its connection, and the answer says so."""
        if _is_long(req):
            req.force_close()
        return super().handle_request(req, conn)

    @override
    def handle_exit(self, sig: Any, frame: Any) -> None:
        """End, once what is begun is finished; where that is wanted, go on for a while and say that the end is near.

        Whoever asks a second time does not want to wait.
        """
        if DRAIN.seconds and not DRAIN.begun.is_set():
            self._ends_at = time.monotonic() + DRAIN.seconds
            DRAIN.begun.set()
        else:
            super().handle_exit(sig, frame)

    @override
    def notify(self) -> None:
        """Show that the worker lives: its main loop does at least once a second."""
        super().notify()
        now = time.monotonic()
        if self._ends_at is not None and now >= self._ends_at:
            self._ends_at = None
            super().handle_exit(None, None)
        if now >= self._look_again:
            self._look_again = now + 1
            for conn, deadline in [*self._served.items()]:
                if now > deadline:
                    _hear_no_more(conn.sock)


def _is_long(req: Any) -> bool:
    headers = dict(req.headers)
    return "TRANSFER-ENCODING" in headers or int(headers.get("CONTENT-LENGTH", 0)) > LONG


def _hear_no_more(connection: socket.socket) -> None:
    """Have whoever reads from a connection find its end; what is being answered can still be sent."""
    with suppress(OSError):  # it has ended by itself
        connection.shutdown(socket.SHUT_RD)
