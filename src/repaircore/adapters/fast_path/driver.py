"""Single statements straight through the database driver, for the reads of every request.

Saves nine tenths of a read by key: reading a credential takes 1.7 times as long as with bare ``sqlite3``, and 17 times
as long with SQLAlchemy Core. A cached prediction at the command line imports no SQLAlchemy, whose import takes 20 times
as long as `python -c pass` (docs/decisions/hot-reads.md).
Plain alternative: SQLAlchemy Core in a read transaction, ``Database.transaction(write=False)``.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from typing_extensions import override

from repaircore.adapters import sqlite_outages
from repaircore.adapters.fast_path.write_queue import WriteQueue
from repaircore.adapters.forks import PerProcess
from repaircore.addresses import database_address
from repaircore.kernel.blocking import WouldBlock, before_blocking, is_blocking_forbidden

_LONG_TIMEOUT: Final = "PRAGMA busy_timeout=10000"
_SHORT_TIMEOUT: Final = "PRAGMA busy_timeout=100"
_NO_TIMEOUT: Final = "PRAGMA busy_timeout=0"
SQLITE_SETTINGS: Final = (
    _LONG_TIMEOUT,
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA temp_store=MEMORY",
    "PRAGMA journal_size_limit=67108864",
    "PRAGMA secure_delete=ON",  # overwrite deleted rows in the file
)
SINGLE_STATEMENTS: Final = 1
"""How many connections a process has for single statements by default: a statement takes only 0.1 ms."""

_WAL_SWITCH_SECONDS: Final = 10.0
"""How long another process may take to switch a new file to WAL."""

Row: TypeAlias = Sequence[Any]


class Driver(Protocol):
    """Single statements, each in its own transaction, for many threads.

    Every thread has its own connection to a SQLite file; all threads share a few connections to a server.
    """

    def fetch_one(self, sql: str, values: Row) -> Row | None:
        """Return the first row of ``sql``, whose placeholders are ``?``, or None if there is none.

        The statement is executed again if the connection breaks before the result is known, so if it writes, it must
        tolerate being repeated.

        Raises:
            Unavailable: the database is not responding.
        """

    def fetch_one_if_exists(self, sql: str) -> Row | None:
        """Return the first row of ``sql``, or None if there is none or its table does not exist.

        Raises:
            Unavailable: the database is not responding.
        """

    def execute(self, sql: str, values: Row) -> int:
        """Execute and commit a statement that writes; return the number of rows affected.

        The statement must be idempotent: it is executed again if the connection breaks before the result is known.

        Raises:
            Unavailable: the database is not responding.
        """

    def execute_low_priority(self, sql: str, values: Row) -> None:
        """Execute a statement that may be skipped, waiting only briefly for other writers.

        Raises:
            Unavailable: the database is not responding, or is locked.
        """

    def close(self) -> None:
        """Close this thread's connection to a file, or all idle connections to a server.

        Other threads' connections to a file are closed when those threads end.
        """


def driver_of(url: str, *, connections: int = SINGLE_STATEMENTS) -> Driver:
    """Return the driver for a database URL; it opens at most ``connections`` connections to a server.

    Raises:
        Invalid: ``database_url`` is invalid.
    """
    address = database_address(url)
    if address.file is not None:
        return SqliteDriver(address.file)
    # Imported late, because a file needs no pool of connections.
    from repaircore.adapters.fast_path.postgres_driver import PostgresDriver  # noqa: PLC0415

    return PostgresDriver(address.server, connections=connections)


def prepare(connection: sqlite3.Connection) -> None:
    """Apply ``SQLITE_SETTINGS`` to a new connection to a SQLite file.

    Raises:
        sqlite3.OperationalError: the file cannot be opened, or stays locked.
    """
    deadline = time.monotonic() + _WAL_SWITCH_SECONDS
    for setting in SQLITE_SETTINGS:
        while not _apply(connection, setting, last=time.monotonic() > deadline):
            time.sleep(0.01)


def _apply(connection: sqlite3.Connection, setting: str, *, last: bool) -> bool:
    # SQLite ignores busy_timeout while several processes switch a new file to WAL at once.
    try:
        connection.execute(setting)
    except sqlite3.OperationalError as error:
        if last or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


class _Slot:
    """A thread's connection, which belongs to one process and is closed when the thread ends."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self._pid = os.getpid()

    def __del__(self) -> None:
        if self._pid == os.getpid():  # connections must not cross a fork
            self.connection.close()


class _Opening(threading.Thread):
    """Opens a connection that waits for no lock, for a thread that must not wait until it is open.

    The database's schema is read here, too: in the main thread, whose memory the server's processes share, it would fill
    gaps between what they share, and copy 6 MB.
    """

    connection: sqlite3.Connection | None = None

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        super().__init__(name="opening", daemon=True)
        self._connect = connect

    @override
    def run(self) -> None:
        with suppress(sqlite3.Error):  # another attempt follows
            connection = self._connect()
            connection.execute(_NO_TIMEOUT)
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            self.connection = connection


class _ThreadConnection(threading.local):
    """The connection of a thread."""

    slot: _Slot | None = None
    opening: _Opening | None = None

    def connection(self, connect: Callable[[], sqlite3.Connection]) -> Any:
        """Return this thread's connection, opening it if necessary.

        Raises:
            WouldBlock: this thread must not block, and another one is opening the connection.
        """
        slot = self.slot
        if slot is None:
            slot = self.slot = _Slot(self._opened(connect) if is_blocking_forbidden() else connect())
        return slot.connection

    def _opened(self, connect: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
        if self.opening is None:
            self.opening = _Opening(connect)
            self.opening.start()
        elif not self.opening.is_alive():
            connection, self.opening = self.opening.connection, None
            if connection is not None:
                return connection
        raise WouldBlock

    def drop(self) -> None:
        """Close this thread's connection."""
        if self.slot is not None:
            self.slot.connection.close()
            self.slot = None


class SqliteDriver(Driver):
    """Statements on a SQLite file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._queue = WriteQueue(path)
        # After a fork, the parent's connections are left alone: SQLite forbids using them, even to close them.
        self._inherited: list[_ThreadConnection] = []
        self._local = PerProcess(_ThreadConnection, leave=self._inherited.append)

    @override
    def fetch_one(self, sql: str, values: Row) -> Row | None:
        row: Row | None = self._execute(sql, values).fetchone()
        return row

    @override
    def fetch_one_if_exists(self, sql: str) -> Row | None:
        try:
            return self.fetch_one(sql, ())
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return None
            raise

    @override
    def execute(self, sql: str, values: Row) -> int:
        before_blocking()
        try:
            connection: sqlite3.Connection = self._local().connection(self._connect)
            with self._queue.turn(connection):
                return connection.execute(sql, values).rowcount
        except sqlite3.DatabaseError as error:
            if sqlite_outages.is_outage(error):
                raise sqlite_outages.outage(error) from error
            raise

    @override
    def execute_low_priority(self, sql: str, values: Row) -> None:
        before_blocking()
        self._execute(_SHORT_TIMEOUT, ())
        try:
            self.execute(sql, values)
        finally:
            self._execute(_LONG_TIMEOUT, ())

    @override
    def close(self) -> None:
        self._local().drop()

    def _execute(self, sql: str, values: Row) -> sqlite3.Cursor:
        try:
            connection: sqlite3.Connection = self._local().connection(self._connect)
            return connection.execute(sql, values)
        except sqlite3.DatabaseError as error:
            if sqlite_outages.is_outage(error):
                raise sqlite_outages.outage(error) from error
            raise

    def _connect(self) -> sqlite3.Connection:
        # Only its own thread uses it, but the garbage collector may close it in another.
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        try:
            prepare(connection)
        except sqlite3.Error:
            connection.close()
            raise
        return connection
