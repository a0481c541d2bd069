"""Gunicorn's worker with threads, in which nobody who stands still holds a thread, and an end that is announced.

A connection costs a thread only while a request is heard or answered. Until its first byte, between requests, and while the client
is waited for that has its last answer, it lies with the poller of the main loop, where it costs a file descriptor.
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

from repaircore_http.draining import DRAIN, ENDINGS

ARRIVES_WITHIN: Final = 10.0
"""Seconds in which a new connection must bring its first byte; and then, of a request, those that it may take to
arrive, headers and body."""

TAKES_WITHIN: Final = 20.0
"""Seconds after which a client is hung up on that takes nothing of an answer that is there for it. How long it takes for
the whole of it does not matter."""

LEAVES_WITHIN: Final = 2.0
"""Seconds in which a client may still send, and then close, after the last answer of its connection."""

LONG: Final = 32 * 1024
"""Bytes of a body that gunicorn still reads to its end when the application refused it unread; of more it gives up
at 64 KiB, and closes the connection that the answer said it keeps."""

_STOPS_WITHIN: Final = 2.0
"""Seconds that a connection from which nothing came may still be open when the worker ends."""
_QUITS_WITHIN: Final = 2.0
"""Seconds that what is being answered may still take when a worker is told to quit."""
_ONE_SIGNAL: Final = 1.0
"""Seconds within which two signals to end are one that came twice."""
_PIECE: Final = 64 * 1024
_PAUSE: Final = 0.1
_INT: Final = struct.Struct("i")
_NO_DESCRIPTOR: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_DROPPED: Final = struct.pack("ii", 1, 0)
"""For SO_LINGER: what was not sent is dropped when the connection is closed."""


@define(eq=False)
class _Exchange:
    """A request that a thread hears and answers."""

    arrives_by: float
    request: Any = None
    _unsent: int = 0
    _moved_at: float = 0.0

    def is_late(self, now: float) -> bool:
        """Tell whether the request should have arrived by now, and has not."""
        return now > self.arrives_by and not self._has_arrived()

    def is_stuck(self, unsent: int, now: float) -> bool:
        """Tell whether nothing was taken for too long of what there is to send: so many bytes at this moment."""
        if unsent == 0 or unsent != self._unsent:
            self._unsent, self._moved_at = unsent, now
        return now > self._moved_at + TAKES_WITHIN

    def _has_arrived(self) -> bool:
        if self.request is None:  # the headers are being read
            return False
        reader = self.request.body.reader
        return getattr(reader, "length", None) == 0 or getattr(reader, "parser", reader) is None


class _Connection(TConn):  # type: ignore[misc] # gunicorn has no types
    """A connection that is let go of without waiting for the client."""

    def __init__(self, worker: "Worker", *args: Any) -> None:
        super().__init__(*args)
        self._worker = worker

    @override
    def close(self, graceful: bool = False) -> None:
        """Close; ``graceful`` has the client hear the whole of its last answer, although it may still be sending."""
        if graceful:
            self._worker.part_from(self.sock)
        else:
            super().close()


class Worker(ThreadWorker):  # type: ignore[misc] # gunicorn has no types
    """Waits in vain for nobody: threads would wait for the rest of a request, or to be rid of an answer, for good."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._served: dict[Any, _Exchange] = {}
        self._leaving: deque[tuple[float, socket.socket]] = deque()
        self._told_at = -math.inf
        self._ends_at: float | None = None
        self._quits_at: float | None = None
        self._look_again = 0.0
        self._hold(
            min(self.worker_connections, _descriptors() // 2)
        )  # the rest is for files, databases, models

    def _hold(self, connections: int) -> None:
        """Hold so many connections at most; half of them may be idle, so that new ones find room beside them."""
        self.worker_connections = max(1, connections)
        self.max_keepalived = self.worker_connections // 2

    @override
    def accept(self, listener: socket.socket) -> None:
        """Take a new connection on, which waits without a thread until something comes over it."""
        try:
            sock, client = listener.accept()
        except OSError as failure:
            if failure.errno in _NO_DESCRIPTOR:
                self._hold(self.nr_conns // 2)
                self.log.warning("No descriptor is left: %d connections at most", self.worker_connections)
                time.sleep(_PAUSE)  # the connection that waits would have the main loop try again at once
            elif failure.errno not in {errno.EAGAIN, errno.ECONNABORTED}:
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
        self._served[conn] = _Exchange(time.monotonic() + ARRIVES_WITHIN)
        try:
            return super().handle(conn)
        finally:
            del self._served[conn]

    @override
    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer one request; one with a long body is the last on its connection, and the answer says so."""
        self._served[conn].request = req
        if _is_long(req):
            req.force_close()
        return super().handle_request(req, conn)

    def part_from(self, sock: socket.socket) -> None:
        """End a connection after its last answer: gunicorn would have the main loop wait for each client."""
        try:
            sock.shutdown(socket.SHUT_WR)
            sock.setblocking(False)
            self.poller.register(sock, EVENT_READ, self._hear_out)
        except OSError:  # the client was quicker
            sock.close()
            return
        self.nr_conns += 1  # counted until it is closed
        self._leaving.append((time.monotonic() + LEAVES_WITHIN, sock))

    def _hear_out(self, sock: socket.socket) -> None:
        """Throw away what a client sends that has its last answer: unread, it would cost the client that answer."""
        with suppress(BlockingIOError):
            try:
                came = sock.recv(_PIECE)
            except OSError:
                came = b""
            if not came:
                self._close(sock)

    def _close(self, sock: socket.socket) -> None:
        with suppress(KeyError, ValueError):
            self.poller.unregister(sock)
        sock.close()
        self.nr_conns -= 1

    @override
    def murder_pending(self) -> None:
        """Close what waited too long: for its first byte, or to be closed by its client."""
        now = time.monotonic()
        if not self.alive:
            for conn in self.pending_conns:
                conn.timeout = min(conn.timeout, now + _STOPS_WITHIN)
        super().murder_pending()
        while self._leaving and self._leaving[0][0] <= now:
            _, sock = self._leaving.popleft()
            if sock.fileno() >= 0:  # it has not been closed by its client
                self._close(sock)

    @override
    def init_signals(self) -> None:
        """Listen to signals; those that came since the worker was begun come now (``server.Master``)."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)

    @override
    def handle_exit(self, sig: Any, frame: Any) -> None:
        """End, once what is begun is finished; where that is wanted, go on for a while and say that the end is near.

        Whoever asks a second time does not want to wait; but a group's signal and the master's are one.
        """
        self._leave_unless_serving()
        now = time.monotonic()
        if DRAIN.seconds and not DRAIN.begun:
            self._told_at, self._ends_at = now, now + DRAIN.seconds
            DRAIN.begun = True
        elif now - self._told_at > _ONE_SIGNAL:
            super().handle_exit(sig, frame)

    @override
    def handle_quit(self, sig: Any, frame: Any) -> None:
        """End soon, whatever is being answered.

        Gunicorn's own handler shuts the pool down, whose lock the main loop may hold that it interrupts: it would wait for
        itself until the master kills it.
        """
        self._leave_unless_serving()
        if self._quits_at is None:  # asking again does not put it off
            self._quits_at = time.monotonic() + _QUITS_WITHIN
        super().handle_exit(sig, frame)

    @override
    def is_parent_alive(self) -> bool:
        """Return whether the master lives; without it this worker ends, and says so to its connections."""
        if super().is_parent_alive():
            return True
        self.alive = False  # or idle connections would be kept as long as ever
        return False

    @override
    def run(self) -> None:
        """Serve until the end; a thread that is still busy then is not waited for."""
        super().run()
        if self._served:
            self._leave()

    @override
    def notify(self) -> None:
        """Show that the worker lives: its main loop does at least once a second."""
        super().notify()
        now = time.monotonic()
        if self._quits_at is not None and now >= self._quits_at:
            self._leave()
        if self._ends_at is not None and now >= self._ends_at:
            self._ends_at = None
            super().handle_exit(None, None)
        if now >= self._look_again:
            self._look_again = now + 1
            for conn, exchange in [*self._served.items()]:
                if exchange.is_late(now):
                    _hear_no_more(conn.sock)
                if exchange.is_stuck(_unsent(conn.sock), now):
                    _hang_up(conn.sock)

    def _leave_unless_serving(self) -> None:
        """End at once where the application is still being loaded, which may take long: nobody waits for an answer of it."""
        if not self.booted:
            os._exit(0)

    def _leave(self) -> None:
        """End at once: the interpreter would wait for each thread of the pool."""
        self.log.warning("%d requests were cut off", len(self._served))
        logging.shutdown()
        os._exit(0)


def _descriptors() -> int:
    """Tell how many files and connections this process may have open."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if most == resource.RLIM_INFINITY else most


def _is_long(req: Any) -> bool:
    headers = dict(req.headers)
    return "TRANSFER-ENCODING" in headers or int(headers.get("CONTENT-LENGTH", 0)) > LONG


def _unsent(connection: socket.socket) -> int:
    """Count the bytes that were given to the system and that the client has not taken; 0 where no system tells."""
    try:
        (count,) = _INT.unpack(fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(_INT.size)))
    except (OSError, ValueError):  # the latter for a connection that was closed meanwhile
        return 0
    return int(count)


def _hear_no_more(connection: socket.socket) -> None:
    """Have whoever reads from a connection find its end; what is being answered can still be sent."""
    with suppress(OSError):  # it has ended by itself
        connection.shutdown(socket.SHUT_RD)


def _hang_up(connection: socket.socket) -> None:
    """Have whoever reads from a connection, or sends over it, find its end; what was not taken is dropped."""
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _DROPPED)
        connection.shutdown(socket.SHUT_RDWR)
