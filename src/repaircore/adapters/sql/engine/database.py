"""A SQLite or PostgreSQL database and its transactions."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Final, cast

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine

from repaircore.adapters import sqlite_outages
from repaircore.adapters.fast_path.driver import prepare
from repaircore.adapters.fast_path.write_queue import WriteQueue
from repaircore.adapters.forks import PerProcess
from repaircore.adapters.postgres.outages import BUSY, outage
from repaircore.adapters.postgres.pool import WAIT_SECONDS
from repaircore.addresses import database_address
from repaircore.kernel.blocking import before_blocking
from repaircore.kernel.errors import Unavailable

CONNECTIONS: Final = 3
"""The default limit on a process's concurrent units of work on a server."""


class _EngineSlot:
    """A process's engine, created by the first thread that needs it, and the semaphore for its connections."""

    def __init__(self, connections: int) -> None:
        self.lock = threading.Lock()
        self.engine: Engine | None = None
        self.places = threading.BoundedSemaphore(connections)


class _Depth(threading.local):
    """How many nested transactions a thread has open."""

    count = 0


class Database:
    """The database at a URL. It connects on first use, and separately in each process.

    A process opens at most ``connections`` connections to a server; other threads wait. SQLite has no such limit.
    """

    def __init__(self, url: str, *, connections: int = CONNECTIONS) -> None:
        self.address = database_address(url)
        self.is_sqlite = self.path is not None
        self._queue = None if self.path is None else WriteQueue(self.path)
        # A child must not close its parent's connections, not even by garbage collection: that would end their sessions.
        self._inherited: list[_EngineSlot] = []
        self._own = PerProcess(lambda: _EngineSlot(connections), leave=self._inherited.append)
        self._connections = connections
        self._depth = _Depth()

    @property
    def path(self) -> Path | None:
        """The file of a SQLite database, or None for PostgreSQL."""
        return self.address.file

    @property
    def engine(self) -> Engine:
        """The engine of this process, created on first use."""
        own = self._own()
        if own.engine is None:
            with own.lock:
                if own.engine is None:
                    own.engine = self._connect()
        return own.engine

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[Connection]:
        """Open a transaction, which is committed unless the block raises.

        Raises:
            Unavailable: the database is not responding, its file cannot be created, or no connection is free in time.
        """
        before_blocking()
        try:
            with (
                self._place(),
                self.engine.connect().execution_options(repaircore_write=write) as connection,
                self._turn(connection) if write else nullcontext(),
                connection.begin(),
            ):
                yield connection
        except sa.exc.TimeoutError as error:  # every connection of the pool is taken
            raise Unavailable(BUSY) from error
        except sa.exc.DatabaseError as error:
            if self.is_sqlite:
                if not sqlite_outages.is_outage(error.orig):
                    raise
                raise sqlite_outages.outage(error.orig) from error
            # The driver reports a transaction that the server ended (idle for too long, say) as an internal error.
            if not (isinstance(error, sa.exc.OperationalError) or error.connection_invalidated):
                raise
            raise outage(error.orig, self.address.server) from error

    @contextmanager
    def _place(self) -> Iterator[None]:
        """Wait until this process may use another connection to the server.

        A transaction that a thread opens inside another one does not wait: threads that each hold a connection and wait
        for a second one would deadlock.
        """
        if self.is_sqlite:
            yield
            return
        places = None if self._depth.count else self._own().places
        if places is not None and not places.acquire(timeout=WAIT_SECONDS):
            raise Unavailable(BUSY)
        self._depth.count += 1
        try:
            yield
        finally:
            self._depth.count -= 1
            if places is not None:
                places.release()

    def _turn(self, connection: Connection) -> AbstractContextManager[None]:
        if self._queue is None:
            return nullcontext()
        return self._queue.turn(cast("sqlite3.Connection", connection.connection.dbapi_connection))

    def close(self) -> None:
        """Close all of this process's connections."""
        own = self._own()
        if own.engine is not None:
            own.engine.dispose()
        own.engine = None

    def _connect(self) -> Engine:
        path = self.path
        if path is not None:
            return _sqlite_engine(path)
        return _postgres_engine(self.address.server, connections=self._connections)


def _sqlite_engine(path: Path) -> Engine:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _make_private(path)
    except OSError as error:
        raise Unavailable(
            f"The database file cannot be created: {error.strerror}. Check REPAIRCORE_DATABASE_URL."
        ) from error
    url = URL.create("sqlite", database=str(path))
    engine = sa.create_engine(url, hide_parameters=True)  # errors are logged, and VINs must not be

    @sa.event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # BEGIN is issued below, in the mode that the transaction needs
        prepare(connection)

    @sa.event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A reader that becomes a writer fails when another has written in between; IMMEDIATE waits.
        write: Any = connection.get_execution_options().get("repaircore_write", True)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _make_private(path: Path) -> None:
    """Create a file that only its owner may read, for personal data; its journals get the same permissions."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _postgres_engine(server: Mapping[str, str], *, connections: int) -> Engine:
    from repaircore.adapters.postgres.connections import SET_LOCAL, connect  # noqa: PLC0415 - an extra

    engine = sa.create_engine(
        "postgresql+psycopg://",
        creator=lambda: connect(server, autocommit=False),
        pool_size=connections,
        max_overflow=-1,  # ``Database`` limits them, and lets a nested transaction have its own
        pool_pre_ping=True,
        hide_parameters=True,
    )

    @sa.event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        driver: Any = connection.connection.driver_connection
        if not driver.session.has_timeouts:
            connection.exec_driver_sql(SET_LOCAL)

    return engine
