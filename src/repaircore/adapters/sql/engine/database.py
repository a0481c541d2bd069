"""A SQLite or PostgreSQL database and its transactions."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine

from repaircore.adapters.fast_path.driver import POSTGRES_SETTINGS, is_outage, prepare
from repaircore.adapters.fast_path.write_queue import WriteQueue
from repaircore.adapters.forks import PerProcess
from repaircore.addresses import database_address
from repaircore.kernel.errors import Unavailable


class _EngineSlot:
    """The engine of a process, created by the first thread that needs it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.engine: Engine | None = None


class Database:
    """A database by its URL. It connects on first use, and separately in each process."""

    def __init__(self, url: str) -> None:
        self.address = database_address(url)
        self.is_sqlite = self.path is not None
        self._queue = None if self.path is None else WriteQueue(self.path)
        # A child must not close its parent's connections, nor let them be collected: that would end the parent's sessions.
        self._inherited: list[_EngineSlot] = []
        self._own = PerProcess(_EngineSlot, leave=self._inherited.append)

    @property
    def path(self) -> Path | None:
        """Return the file of a SQLite database, None for PostgreSQL."""
        return self.address.file

    @property
    def engine(self) -> Engine:
        """Return the engine of this process."""
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
            Unavailable: the database does not answer.
        """
        try:
            with (
                self.engine.connect().execution_options(repaircore_write=write) as connection,
                self._turn(connection) if write else nullcontext(),
                connection.begin(),
            ):
                yield connection
        except sa.exc.TimeoutError as error:  # every connection of the pool is taken
            raise Unavailable("The database does not answer.") from error
        except sa.exc.DatabaseError as error:
            # The driver reports a transaction that the server ended (idle for too long, say) as an internal error.
            is_lost = isinstance(error, sa.exc.OperationalError) or error.connection_invalidated
            if not (is_outage(error.orig) if self.is_sqlite else is_lost):
                raise
            raise Unavailable("The database does not answer.") from error

    def _turn(self, connection: Connection) -> AbstractContextManager[None]:
        if self._queue is None:
            return nullcontext()
        return self._queue.turn(cast("sqlite3.Connection", connection.connection.dbapi_connection))

    def close(self) -> None:
        """Close every connection of this process."""
        own = self._own()
        if own.engine is not None:
            own.engine.dispose()
        own.engine = None

    def _connect(self) -> Engine:
        path = self.path
        return _postgres_engine(self.address.server) if path is None else _sqlite_engine(path)


def _sqlite_engine(path: Path) -> Engine:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _make_private(path)
    except OSError as error:
        raise Unavailable("The folder of the database cannot be created.") from error
    url = URL.create("sqlite", database=str(path))
    engine = sa.create_engine(url, hide_parameters=True)  # errors are logged, and VINs must not be

    @sa.event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # BEGIN is issued below, as the transaction needs it
        prepare(connection)

    @sa.event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A reader that becomes a writer fails when another has written in between; IMMEDIATE waits.
        write: Any = connection.get_execution_options().get("repaircore_write", True)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _make_private(path: Path) -> None:
    """Create a file that only its owner may read, as its journals will be: it holds personal data."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _postgres_engine(server: Mapping[str, str]) -> Engine:
    return sa.create_engine(
        "postgresql+psycopg://",
        pool_size=5,
        max_overflow=15,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args={**server, **POSTGRES_SETTINGS},
    )
