"""A gunicorn worker with threads in which slow clients hold no thread, and whose end is announced.

It buys fairness, not speed: with gunicorn's ``gthread`` worker, a request that stalls holds its thread for good, so that as many slow
clients as there are threads stop the server (tests/e2e/test_slow_clients.py). Here a connection holds a thread only while a
request is parsed or answered, and a request must arrive within 10 s. Until its first byte, between requests, and while the client
closes after its last answer, it waits in the poller of the main loop, where it costs a file descriptor.
Instead of it: ``--worker-class=gthread``, behind a proxy that buffers requests and answers, as nginx does.
REPAIRCORE_TEST_WORKER_CLASS=gthread runs the tests of the server with it.
"""

import errno
import fcntl
import logging
import math
import os
import resource
import signal
import socket
import struct
import sys
import termios
import time
from collections import deque
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ
from typing import Any, Final

from attrs import define
from gunicorn.workers.gthread import TConn, ThreadWorker
from typing_extensions import override

from repaircore_http.draining import DRAIN, STOP_SIGNALS

ARRIVES_WITHIN: Final = 10.0
"""Seconds within which the first byte of a new connection must arrive, and then each request, headers and body."""

TAKES_WITHIN: Final = 20.0
"""Seconds without progress after which a client that does not read its answer is disconnected. How long the whole of the
answer takes does not matter."""

LEAVES_WITHIN: Final = 2.0
"""Seconds that a client has to close its connection after the last answer."""

LONG_BODY_BYTES: Final = 32 * 1024
"""Gunicorn reads a body of this size to its end when the application rejected it unread; of a longer one it gives up
at 64 KiB, and closes a connection whose answer said that it stays open."""

_STOPS_WITHIN: Final = 2.0
"""Seconds that a silent connection stays open when the worker ends."""
_QUITS_WITHIN: Final = 2.0
"""Seconds that running requests have when a worker must quit."""
_ONE_SIGNAL: Final = 1.0
"""Seconds within which two signals count as one: a process group's and the master's."""
_CHUNK_BYTES: Final = 64 * 1024
_ACCEPT_PAUSE: Final = 0.1
_INT: Final = struct.Struct("i")
_OUT_OF_DESCRIPTORS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_LINGER_ZERO: Final = struct.pack("ii", 1, 0)
"""For SO_LINGER: unsent data is dropped when the connection is closed."""


@define(eq=False)
class _Exchange:
    """A request that a thread parses and answers."""

    deadline: float
    request: Any = None
    _unsent: int = 0
    _progress_at: float = 0.0

    def is_late(self, now: float) -> bool:
        """Return whether the request should have arrived by now, and has not."""
        return now > self.deadline and not self._has_arrived()

    def is_stuck(self, unsent: int, now: float) -> bool:
        """Return whether the client has read nothing for too long of an answer with this many unsent bytes."""
        if unsent == 0 or unsent != self._unsent:
            self._unsent, self._progress_at = unsent, now
        return now > self._progress_at + TAKES_WITHIN

    def _has_arrived(self) -> bool:
        if self.request is None:  # its headers are being parsed
            return False
        reader = self.request.body.reader
        return getattr(reader, "length", None) == 0 or getattr(reader, "parser", reader) is None


class _Connection(TConn):  # type: ignore[misc] # gunicorn has no types
    """A connection that is closed without a thread that waits for the client."""

    def __init__(self, worker: "Worker", *args: Any) -> None:
        super().__init__(*args)
        self._worker = worker

    @override
    def close(self, graceful: bool = False) -> None:
        """Close it; ``graceful`` lets the client read the whole of its last answer, although it may still be sending."""
        if graceful:
            self._worker.close_gracefully(self.sock)
        else:
            super().close()


class Worker(ThreadWorker):  # type: ignore[misc] # gunicorn has no types
    """Gunicorn's threaded worker, with deadlines for requests to arrive and for answers to be read."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._exchanges: dict[Any, _Exchange] = {}
        self._closing: deque[tuple[float, socket.socket]] = deque()
        self._signaled_at = -math.inf
        self._ends_at: float | None = None
        self._quits_at: float | None = None
        self._next_check_at = 0.0
        # The other half of the descriptors is for files, databases and models.
        self._limit_connections(min(self.worker_connections, _max_descriptors() // 2))

    def _limit_connections(self, connections: int) -> None:
        """Set the most connections; half of them may be idle, so that there is room for new ones."""
        self.worker_connections = max(1, connections)
        self.max_keepalived = self.worker_connections // 2

    @override
    def accept(self, listener: socket.socket) -> None:
        """Accept a connection, which waits in the poller until its first byte arrives."""
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno in _OUT_OF_DESCRIPTORS:
                self._limit_connections(self.nr_conns // 2)
                self.log.warning(
                    "Out of file descriptors: limited to %d connections", self.worker_connections
                )
                time.sleep(
                    _ACCEPT_PAUSE
                )  # or the main loop would retry at once, as the connection still waits
            elif error.errno not in {errno.EAGAIN, errno.ECONNABORTED}:
                raise
            return
        self.nr_conns += 1
        conn = _Connection(self, self.cfg, sock, client, listener.getsockname())
        conn.timeout = time.monotonic() + ARRIVES_WITHIN
        self.pending_conns.append(conn)
        self.poller.register(sock, EVENT_READ, partial(self.on_pending_socket_readable, conn))

    @override
    def handle(self, conn: Any) -> Any:
        """Serve one request in a thread."""
        self._exchanges[conn] = _Exchange(time.monotonic() + ARRIVES_WITHIN)
        try:
            return super().handle(conn)
        finally:
            del self._exchanges[conn]

    @override
    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer one request; after one with a long body the connection is closed, and the answer says so."""
        self._exchanges[conn].request = req
        if _is_long(req):
            req.force_close()
        return super().handle_request(req, conn)

    def close_gracefully(self, sock: socket.socket) -> None:
        """Close a connection after its last answer, in the poller: gunicorn's main loop would wait for each client."""
        try:
            sock.shutdown(socket.SHUT_WR)
            sock.setblocking(False)
            self.poller.register(sock, EVENT_READ, self._discard)
        except OSError:  # the client closed it first
            sock.close()
            return
        self.nr_conns += 1  # counted until it is closed
        self._closing.append((time.monotonic() + LEAVES_WITHIN, sock))

    def _discard(self, sock: socket.socket) -> None:
        """Discard what a client sends after its last answer: unread data would reset the connection, and the answer be lost."""
        with suppress(BlockingIOError):
            try:
                received = sock.recv(_CHUNK_BYTES)
            except OSError:
                received = b""
            if not received:
                self._close(sock)

    def _close(self, sock: socket.socket) -> None:
        with suppress(KeyError, ValueError):
            self.poller.unregister(sock)
        sock.close()
        self.nr_conns -= 1

    @override
    def murder_pending(self) -> None:
        """Close connections that waited too long: for their first byte, or for the client to close."""
        now = time.monotonic()
        if not self.alive:
            for conn in self.pending_conns:
                conn.timeout = min(conn.timeout, now + _STOPS_WITHIN)
        super().murder_pending()
        while self._closing and self._closing[0][0] <= now:
            _, sock = self._closing.popleft()
            if sock.fileno() >= 0:  # the client has not closed it
                self._close(sock)

    @override
    def init_signals(self) -> None:
        """Handle signals, first those that were blocked since the worker was started (``server.Master``)."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    @override
    def handle_exit(self, sig: Any, frame: Any) -> None:
        """End after the running requests; with a drain time, first serve on and report as not ready for that long.

        A second signal ends the drain.
        """
        self._exit_unless_booted()
        now = time.monotonic()
        if DRAIN.seconds and not DRAIN.has_begun:
            self._signaled_at, self._ends_at = now, now + DRAIN.seconds
            DRAIN.has_begun = True
        elif now - self._signaled_at > _ONE_SIGNAL:
            super().handle_exit(sig, frame)

    @override
    def handle_quit(self, sig: Any, frame: Any) -> None:
        """End soon, whether or not requests are running.

        Gunicorn's own handler shuts the pool down, whose lock the interrupted main loop may hold: it would wait for
        itself until the master kills it.
        """
        self._exit_unless_booted()
        if self._quits_at is None:  # a second signal does not postpone it
            self._quits_at = time.monotonic() + _QUITS_WITHIN
        super().handle_exit(sig, frame)

    @override
    def is_parent_alive(self) -> bool:
        """Return whether the master lives; without it this worker ends, and closes its connections."""
        if super().is_parent_alive():
            return True
        self.alive = False  # or idle connections would stay open as long as ever
        return False

    @override
    def run(self) -> None:
        """Serve until the end, without waiting for threads that are still busy then."""
        super().run()
        if self._exchanges:
            self._exit()

    @override
    def notify(self) -> None:
        """Notify the master that the worker is alive, and enforce deadlines; the main loop calls this at least once a second."""
        super().notify()
        now = time.monotonic()
        if self._quits_at is not None and now >= self._quits_at:
            self._exit()
        if self._ends_at is not None and now >= self._ends_at:
            self._ends_at = None
            super().handle_exit(None, None)
        if now >= self._next_check_at:
            self._next_check_at = now + 1
            for conn, exchange in [*self._exchanges.items()]:
                if exchange.is_late(now):
                    _stop_receiving(conn.sock)
                if exchange.is_stuck(_unsent(conn.sock), now):
                    _disconnect(conn.sock)

    def _exit_unless_booted(self) -> None:
        """Exit at once while the application is still being loaded, which may take long: there are no requests yet."""
        if not self.booted:
            os._exit(0)

    def _exit(self) -> None:
        """Exit at once: the interpreter would wait for each thread of the pool."""
        self.log.warning("%d requests were cut off", len(self._exchanges))
        logging.shutdown()
        os._exit(0)


def _max_descriptors() -> int:
    """Return how many files and connections this process may have open."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit


def _is_long(req: Any) -> bool:
    headers = dict(req.headers)
    return "TRANSFER-ENCODING" in headers or int(headers.get("CONTENT-LENGTH", 0)) > LONG_BODY_BYTES


def _unsent(connection: socket.socket) -> int:
    """Return the bytes in the send buffer that the client has not acknowledged; 0 where the system does not say."""
    try:
        (count,) = _INT.unpack(fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(_INT.size)))
    except (OSError, ValueError):  # the latter for a connection that was closed meanwhile
        return 0
    return int(count)


def _stop_receiving(connection: socket.socket) -> None:
    """End the reading side of a connection, which wakes its reader; a running answer can still be sent."""
    with suppress(OSError):  # it was closed meanwhile
        connection.shutdown(socket.SHUT_RD)


def _disconnect(connection: socket.socket) -> None:
    """End both sides of a connection, which wakes its reader or writer, and drop unsent data."""
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
        connection.shutdown(socket.SHUT_RDWR)
