"""A gunicorn worker with threads that slow clients cannot occupy, and whose shutdown is announced.

It provides fairness: with gunicorn's ``gthread`` worker, a request that stalls holds its thread forever,
so that as many slow clients as there are threads stop the server (tests/e2e/test_slow_clients.py). Here a connection
holds a thread only while a request that has arrived is parsed and answered, and a request must arrive within 10 s.
Until then, between requests, and while the client closes after its last response, the connection waits in the poller of
the main loop, where it costs a file descriptor and the memory or disk space for what it has sent.
It also saves the way to a thread and back for what the application can answer without waiting, a cached prediction
from files of this machine: the main loop answers it itself, for a third less CPU (docs/decisions/inline-answers.md).
Plain alternative: ``--worker-class=gthread``, behind a proxy that buffers requests and responses, as nginx does.
REPAIRCORE_TEST_WORKER_CLASS=gthread runs the tests of the server with it.
"""

import errno
import logging
import os
import signal
import socket
import time
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from math import ceil
from selectors import EVENT_READ
from typing import Any, Final

from gunicorn.workers.gthread import ThreadWorker
from typing_extensions import override

from repaircore.kernel.blocking import WouldBlock, before_blocking, blocking_forbidden
from repaircore_http.draining import DRAIN, STOP_SIGNALS, STOPPING, admit_no_more
from repaircore_http.fast_path.arrival import Disk
from repaircore_http.fast_path.connection import Connection, Exchange, max_descriptors
from repaircore_http.fast_path.one_send import in_one_send
from repaircore_http.fast_path.refusals import RecordedRefusal, refusal, require_host

ARRIVES_WITHIN: Final = 10.0
"""Seconds within which the first byte of a new connection must arrive, and then each request, headers and body."""

LEAVES_WITHIN: Final = 2.0
"""Seconds that a client has to close its connection after the last response."""

LONG_BODY_BYTES: Final = 32 * 1024
"""If the application rejects a body unread, gunicorn reads a body of up to this size to its end; it stops reading a
longer one at 64 KiB, and closes the connection although the response said that it would stay open."""

_STOPS_WITHIN: Final = 5.0
"""Seconds that a silent connection stays open when the worker ends: its client may just be about to send."""
_QUITS_WITHIN: Final = 2.0
"""Seconds that running requests have to finish when a worker must quit."""
_ONE_SIGNAL: Final = 1.0
"""Seconds within which two signals count as one: one to the process group, and one from the master."""
_IS_TOLD_WITHIN: Final = 2.0
"""Seconds within which a stopping master tells its workers; a worker that was stopped by itself ends afterward."""
_HANDSHAKE: Final = 0.25
"""Seconds in which half-open connections are established."""
_SPARE: Final = 2
"""Seconds after its last deadline at which the system kills a worker, whatever it is doing."""
_CHUNK_BYTES: Final = 64 * 1024
_CHECK_PAUSE: Final = 0.25
_ACCEPT_PAUSE: Final = 0.1
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_OUT_OF_DESCRIPTORS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Worker(ThreadWorker):  # type: ignore[misc] # gunicorn has no types
    """Gunicorn's threaded worker, with deadlines for requests to arrive and for responses to be read."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._disk = Disk()
        self._exchanges: dict[Any, Exchange] = {}
        self._inline_starts: tuple[bytes, ...] = ()
        self.nr: int  # gunicorn counts requests in it
        self._closing: deque[tuple[float, socket.socket]] = deque()
        self._signaled_at: float | None = None
        self._ends_at: float | None = None
        self._quits_at: float | None = None
        self._is_closing = False
        self._next_check_at = 0.0
        self._next_murder_at = 0.0
        # The other half of the file descriptors is for files, databases and models.
        self._limit_connections(min(self.worker_connections, max_descriptors() // 2))

    def _limit_connections(self, connections: int) -> None:
        """Set the maximum number of connections; at most half of them may be idle, to leave room for new ones."""
        self.worker_connections = max(1, connections)
        self.max_keepalived = self.worker_connections // 2

    @classmethod
    @override
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Raise RuntimeError for settings that this worker does not support."""
        if cfg.is_ssl:
            raise RuntimeError("This server does not support TLS. Put a proxy in front of it.")
        super().check_config(cfg, log)

    @override
    def load_wsgi(self) -> None:
        """Load the application, and have its short responses sent in one piece."""
        super().load_wsgi()
        paths: tuple[str, ...] = getattr(self.wsgi, "inline_paths", ())
        self._inline_starts = tuple(f"POST {path} HTTP/1.1\r\n".encode() for path in paths)
        self.wsgi: Any = in_one_send(self.wsgi)

    @override
    def accept(self, listener: socket.socket) -> bool:
        """Accept a connection, which then waits in the poller for its request; return whether there was one."""
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
                )  # otherwise the main loop would retry at once, since the connection still waits
            elif error.errno not in {errno.EAGAIN, errno.ECONNABORTED}:
                raise
            return False
        self.nr_conns += 1
        self._await(
            Connection(self._disk, self.close_gracefully, self.cfg, sock, client, listener.getsockname())
        )
        return True

    @override
    def set_accept_enabled(self, enabled: bool) -> None:
        """Start or stop accepting connections; if the server is stopping, accept the last ones, and stop listening."""
        super().set_accept_enabled(enabled)
        if self.alive or not STOPPING.has_begun:
            return  # other workers still accept connections
        for listener in self.sockets:
            while self.accept(listener):
                pass
            listener.close()

    def _await(self, conn: Connection) -> None:
        """Have the connection wait in the poller until its request has arrived."""
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + ARRIVES_WITHIN
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, EVENT_READ, partial(self.on_pending_socket_readable, conn))

    @override
    def on_client_socket_readable(self, conn: Any, client: socket.socket) -> None:
        """Receive the start of the next request on a connection, which is usually the whole request."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        if self._receive(conn):
            self._hand_over(conn)
        else:
            self._await(conn)

    @override
    def on_pending_socket_readable(self, conn: Any, client: socket.socket) -> None:
        """Receive more of a request, whose deadline starts with its first bytes."""
        if conn.arrival.size == 0:
            conn.timeout = time.monotonic() + ARRIVES_WITHIN
        if self._receive(conn):
            self._stop_awaiting(conn)
            self._hand_over(conn)

    def _stop_awaiting(self, conn: Connection) -> None:
        self.poller.unregister(conn.sock)
        self.pending_conns.remove(conn)

    def _receive(self, conn: Connection) -> bool:
        """Receive the next part of a request; return whether there is nothing more to wait for."""
        try:
            data = conn.sock.recv(_CHUNK_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            return True
        return self._add(conn, data)

    def _add(self, conn: Connection, data: bytes) -> bool:
        arrival = conn.arrival
        arrival.add(data)
        if arrival.is_one_piece:
            return True
        if arrival.awaits_continue:
            arrival.is_continued = True
            with suppress(OSError):
                conn.sock.send(_CONTINUE)
        return arrival.is_ready or arrival.is_shed

    def _hand_over(self, conn: Connection) -> None:
        """Answer a request, mostly in a thread, even one that stays incomplete; close a connection without a request."""
        if (conn.arrival.has_head and not conn.arrival.is_shed) or conn.arrival.is_ready:
            if not self._answer_inline(conn):
                self.enqueue_req(conn)
            return
        if conn.arrival.is_shed:
            with suppress(OSError):
                conn.sock.send(refusal(503, b"Service Unavailable", retry_after=ceil(ARRIVES_WITHIN)))
        self.nr_conns -= 1
        conn.close(graceful=conn.arrival.is_shed)

    def _answer_inline(self, conn: Connection) -> bool:
        """Answer a request in the main loop if that takes no waiting, so without an ``Exchange``; return whether it was."""
        if not conn.arrival.starts_with(self._inline_starts) or not conn.is_send_buffer_empty:
            return False
        answered: Future[Any] = Future()
        count = self.nr
        try:
            with blocking_forbidden():
                answered.set_result(super().handle(conn))
        except WouldBlock:
            self.nr = count
            conn.rewind()
            return False
        except Exception as error:  # noqa: BLE001 - ``finish_request`` handles it
            answered.set_exception(error)
        conn.end_request()
        self.finish_request(conn, answered)
        return True

    @override
    def finish_request(self, conn: Any, fs: Any) -> None:
        """Continue after a response: with the next request if it has arrived, by waiting for one, or by closing."""
        super().finish_request(conn, fs)
        if not conn.rest or not self.keepalived_conns or self.keepalived_conns[-1] is not conn:
            return
        self.keepalived_conns.pop()
        self.poller.unregister(conn.sock)
        if self._add(conn, conn.rest):
            self._hand_over(conn)
        else:
            self._await(conn)

    @override
    def handle(self, conn: Any) -> Any:
        """Serve one request in a thread; ``_answer_inline`` does so in the main loop."""
        self._exchanges[conn] = Exchange()
        try:
            return super().handle(conn)
        finally:
            conn.end_request()
            del self._exchanges[conn]

    @override
    def handle_request(self, req: Any, conn: Any) -> Any:
        """Handle one request; after one with a long body, the connection is closed, and the response says so.

        Raises:
            InvalidHeader: the request does not have exactly one Host header.
        """
        require_host(req)
        arrival = conn.arrival
        # ``_add`` has sent it, if the body is read at all: gunicorn would send it again, or for one that is too long.
        req._expected_100_continue = False  # noqa: SLF001
        is_short = arrival.is_one_piece and arrival.size <= LONG_BODY_BYTES
        if not is_short and (_is_long(req) or not arrival.is_whole):
            req.force_close()
        return super().handle_request(req, conn)

    @override
    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: BaseException) -> None:
        """Reject a malformed request as gunicorn does, but in the format of the API; that writes to the log."""
        before_blocking()
        recorded = RecordedRefusal()
        super().handle_error(req, recorded, addr, exc)
        with suppress(OSError):
            recorded.send(client)

    def close_gracefully(self, sock: socket.socket) -> None:
        """Close a connection after its last response, in the poller: gunicorn's main loop would wait for the client."""
        try:
            sock.shutdown(socket.SHUT_WR)
            sock.setblocking(False)
            self.poller.register(sock, EVENT_READ, self._discard)
        except OSError:  # the client closed it first
            sock.close()
            return
        self.nr_conns += 1  # the connection counts until it is closed
        self._closing.append((time.monotonic() + LEAVES_WITHIN, sock))

    def _discard(self, sock: socket.socket) -> None:
        """Discard what a client sends after the end: unread data would reset the connection and lose the response."""
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
        """End connections that waited too long: handle incomplete requests as they are, and close silent ones."""
        now = time.monotonic()
        if now < self._next_murder_at:
            return
        self._next_murder_at = now + _CHECK_PAUSE
        for conn in [*self.pending_conns]:
            if not self.alive and conn.arrival.size == 0:
                conn.timeout = min(conn.timeout, now + _STOPS_WITHIN)
            if conn.timeout <= now:
                self._stop_awaiting(conn)
                self._hand_over(conn)
        while self._closing and self._closing[0][0] <= now:
            _, sock = self._closing.popleft()
            if sock.fileno() >= 0:  # the client has not closed it
                self._close(sock)

    @override
    def init_signals(self) -> None:
        """Handle signals, first those that were blocked since the worker was started (``server.Master``).

        SIGHUP is for the master, which replaces its workers; one to the whole process group would kill them instead.
        """
        super().init_signals()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (*STOP_SIGNALS, signal.SIGHUP))

    @override
    def handle_exit(self, sig: Any, frame: Any) -> None:
        """End after the running requests; with a drain time, first keep serving for that long, but report as not ready.

        A second signal ends the drain. Without a drain, a worker keeps serving until its master has announced that the
        server is stopping: a signal to the process group reaches both at once, and connections that nobody accepts
        would be reset.
        """
        self._exit_unless_booted()
        now = time.monotonic()
        if self._signaled_at is None:
            self._signaled_at = now
            self._ends_at = now + (DRAIN.seconds or _IS_TOLD_WITHIN)
            DRAIN.has_begun = DRAIN.seconds > 0
        elif DRAIN.has_begun and now - self._signaled_at > _ONE_SIGNAL:
            self._ends_at = now
        self._wake()

    @override
    def handle_quit(self, sig: Any, frame: Any) -> None:
        """End soon, whether or not requests are running.

        Gunicorn's own handler shuts down the thread pool, whose lock the interrupted main loop may hold: the worker
        would wait for itself until the master kills it.
        """
        self._exit_unless_booted()
        if self._quits_at is None:  # a second signal does not postpone the end
            now = time.monotonic()
            self._quits_at = now + _QUITS_WITHIN
            self._ends_at = now + _QUITS_WITHIN / 4
            signal.alarm(ceil(_QUITS_WITHIN) + _SPARE)
        self._wake()

    def _wake(self) -> None:
        """Wake the main loop, which calls ``notify``."""
        if self.alive:
            self.method_queue.defer(_nothing)

    def _end_when_due(self, now: float) -> None:
        """End when it is time, a moment after new connections are ignored: half-open ones are still accepted."""
        if self._ends_at is None:
            return
        is_told = STOPPING.has_begun and (self._quits_at is not None or not DRAIN.has_begun)
        if now < self._ends_at and (self._is_closing or not is_told):
            return
        if self._is_closing or not STOPPING.has_begun:
            self._end()
            return
        self._is_closing, self._ends_at = True, now + _HANDSHAKE
        for listener in self.sockets:
            admit_no_more(listener)

    @override
    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Wait for events, but not past the time when the worker ends."""
        if self._ends_at is not None:
            timeout = min(timeout, max(0.0, self._ends_at - time.monotonic()))
        super().wait_for_and_dispatch_events(timeout)

    def _end(self) -> None:
        """End after the running requests. The system kills a worker that takes too long."""
        self._ends_at = None
        if self._quits_at is None:
            signal.alarm(ceil(self.cfg.graceful_timeout) + _SPARE)
        super().handle_exit(None, None)

    @override
    def is_parent_alive(self) -> bool:
        """Start to shut down if the master is gone; always return True, so that the main loop runs until the end."""
        # A worker that was told to end at the same moment must still check.
        must_look = self._ends_at is None or not STOPPING.has_begun
        if must_look and not super().is_parent_alive():
            STOPPING.begin()  # the other workers have lost it, too
            if self._ends_at is None:
                self._ends_at = time.monotonic()
        return True

    @override
    def run(self) -> None:
        """Serve until the worker has to stop, then exit at once.

        Python's own shutdown waits for busy threads and collects all garbage, which takes seconds on a loaded machine.
        """
        super().run()
        self._exit()

    @override
    def notify(self) -> None:
        """Notify the master that the worker is alive, and enforce deadlines; the main loop calls this every second."""
        now = time.monotonic()
        if self._quits_at is not None and now >= self._quits_at:
            self._exit()
        self._end_when_due(now)
        if now >= self._next_check_at:
            self._next_check_at = now + 1
            super().notify()
            for conn, exchange in [*self._exchanges.items()]:
                if exchange.is_stuck(conn.unsent, now):
                    conn.disconnect()

    def _exit_unless_booted(self) -> None:
        """Exit at once if the application is still being loaded, which may take long: there are no requests yet."""
        if not self.booted:
            os._exit(0)

    def _exit(self) -> None:
        """Exit at once, and log how many requests are cut off."""
        if self._exchanges:
            self.log.warning("%d requests were cut off", len(self._exchanges))
        logging.shutdown()
        os._exit(0)


def _nothing() -> None:
    """Do nothing but wake the main loop."""


def _is_long(req: Any) -> bool:
    headers = dict(req.headers)
    return "TRANSFER-ENCODING" in headers or int(headers.get("CONTENT-LENGTH", 0)) > LONG_BODY_BYTES
