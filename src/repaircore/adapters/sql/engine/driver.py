"""Single statements straight through the driver, for what every request asks.

No transaction, no statement built anew, and no SQLAlchemy: importing it alone takes longer than
answering a remembered prediction at the command line (docs/decisions/hot-reads.md).
"""

import os
import sqlite3
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, cast

from typing_extensions import override

from repaircore.adapters.sql.engine.write_queue import WriteQueue
from repaircore.addresses import database_address
from repaircore.kernel.errors import Unavailable

if TYPE_CHECKING:
    from repaircore.adapters.sql.engine.postgres import PostgresStatements


_PATIENT: Final = "PRAGMA busy_timeout=10000"
_HURRY: Final = "PRAGMA busy_timeout=100"
SQLITE_SETTINGS: Final = (
    _PATIENT,
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA temp_store=MEMORY",
    "PRAGMA journal_size_limit=67108864",
    "PRAGMA secure_delete=ON",  # what was erased does not lie on in the file
)
POSTGRES_SETTINGS: Final[Mapping[str, Any]] = {
    "options": "-c statement_timeout=5s -c lock_timeout=2s -c idle_in_transaction_session_timeout=10s",
    "connect_timeout": 5,
}

_PATIENCE: Final = 10.0
"""How long another process may take to turn a new file to WAL, in seconds."""

Row: TypeAlias = Sequence[Any]


class Driver(Protocol):
    """Single statements, each its own transaction; a thread has a connection of its own."""

    @abstractmethod
    def one(self, sql: str, values: Row) -> Row | None:
        """Return the first row of ``sql``, whose places are written ``?``; None when there is none.

        Raises:
            Unavailable: the database does not answer.
        """

    @abstractmethod
    def one_if_there(self, sql: str) -> Row | None:
        """Return the first row of ``sql``, or None also when its table does not exist.

        Raises:
            Unavailable: the database does not answer.
        """

    @abstractmethod
    def run(self, sql: str, values: Row) -> int:
        """Run a writing statement, kept when this returns; give the number of rows that it touched.

        It must bear being run twice: when the connection breaks, nobody knows whether it was run.

        Raises:
            Unavailable: the database does not answer.
        """

    @abstractmethod
    def note(self, sql: str, values: Row) -> None:
        """Run a writing statement that nothing depends on, as ``run`` does; other writers are waited for only briefly.

        Raises:
            Unavailable: the database does not answer, or others write.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of this thread's connection; those of other threads end with them."""


def driver_of(url: str) -> Driver:
    """Return the driver for a database URL.

    Raises:
        Invalid: on ``database_url``.
    """
    address = database_address(url)
    return PostgresDriver(address.server) if address.file is None else SqliteDriver(address.file)


def prepare(connection: sqlite3.Connection) -> None:
    """Put the settings in force on a new connection to a SQLite file.

    Raises:
        sqlite3.OperationalError: the file cannot be opened, or others keep it locked.
    """
    until = time.monotonic() + _PATIENCE
    for setting in SQLITE_SETTINGS:
        while not _in_force(connection, setting, last=time.monotonic() > until):
            time.sleep(0.01)


def _in_force(connection: sqlite3.Connection, setting: str, *, last: bool) -> bool:
    # While several processes turn a new file to WAL at once, SQLite is busy without waiting its timeout.
    try:
        connection.execute(setting)
    except sqlite3.OperationalError as error:
        if last or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


def is_outage(error: BaseException | None) -> bool:
    """Return whether SQLite could not be reached (busy, full, unreadable, no database), rather than misunderstood."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if isinstance(error, sqlite3.OperationalError):
        return code != sqlite3.SQLITE_ERROR
    return code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}


class _Held:
    """A thread's connection, which ends with its thread and belongs to one process."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.pid = os.getpid()

    @property
    def is_ours(self) -> bool:
        """Return whether it was opened by this process: handles must not cross a fork."""
        return self.pid == os.getpid()

    def __del__(self) -> None:
        if self.is_ours:
            self.connection.close()


class _Own(threading.local):
    """What a thread holds. A parent's connection is left alone: ending it here would end the parent's."""

    held: _Held | None = None

    def __init__(self) -> None:
        self.inherited: list[_Held] = []

    def connection(self, connect: Callable[[], Any]) -> Any:
        """Return this thread's connection."""
        held = self.held
        if held is None or not held.is_ours:
            if held is not None:
                self.inherited.append(held)
            held = self.held = _Held(connect())
        return held.connection

    def drop(self) -> None:
        """End this thread's connection."""
        if self.held is not None and self.held.is_ours:
            self.held.connection.close()
            self.held = None


class SqliteDriver(Driver):
    """Statements on a SQLite file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._queue = WriteQueue(path)
        self._own = _Own()

    @override
    def one(self, sql: str, values: Row) -> Row | None:
        return cast("Row | None", self._execute(sql, values).fetchone())

    @override
    def one_if_there(self, sql: str) -> Row | None:
        try:
            return self.one(sql, ())
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return None
            raise

    @override
    def run(self, sql: str, values: Row) -> int:
        try:
            connection = cast("sqlite3.Connection", self._own.connection(self._connect))
            with self._queue.turn(connection):
                return connection.execute(sql, values).rowcount
        except sqlite3.DatabaseError as error:
            if is_outage(error):
                raise Unavailable("The database does not answer.") from error
            raise

    @override
    def note(self, sql: str, values: Row) -> None:
        self._execute(_HURRY, ())
        try:
            self.run(sql, values)
        finally:
            self._execute(_PATIENT, ())

    @override
    def close(self) -> None:
        self._own.drop()

    def _execute(self, sql: str, values: Row) -> sqlite3.Cursor:
        try:
            return cast("sqlite3.Cursor", self._own.connection(self._connect).execute(sql, values))
        except sqlite3.DatabaseError as error:
            if is_outage(error):
                raise Unavailable("The database does not answer.") from error
            raise

    def _connect(self) -> sqlite3.Connection:
        # Used by its own thread only; another one may find it when the driver goes, and end it.
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        try:
            prepare(connection)
        except sqlite3.Error:
            connection.close()
            raise
        return connection


class PostgresDriver(Driver):
    """Statements on a PostgreSQL database."""

    def __init__(self, server: Mapping[str, str]) -> None:
        self._server = server
        self._own = _Own()

    @override
    def one(self, sql: str, values: Row) -> Row | None:
        return cast("Row | None", self._ask(lambda statements: statements.one(sql, values)))

    @override
    def one_if_there(self, sql: str) -> Row | None:
        from psycopg.errors import UndefinedTable  # noqa: PLC0415 - an extra

        try:
            return self.one(sql, ())
        except UndefinedTable:
            return None

    @override
    def run(self, sql: str, values: Row) -> int:
        return cast("int", self._ask(lambda statements: statements.run(sql, values)))

    @override
    def note(self, sql: str, values: Row) -> None:
        self.run(sql, values)  # whoever holds a row is waited for two seconds at most as it is

    @override
    def close(self) -> None:
        self._own.drop()

    def _ask(self, question: "Callable[[PostgresStatements], Any]") -> Any:
        from psycopg import OperationalError  # noqa: PLC0415 - an extra

        try:
            statements = self._own.connection(self._connect)
            try:
                return question(statements)
            except OperationalError:
                if not statements.closed:
                    raise  # a lock or a statement took too long: waiting once more would double it
            # The server may have been restarted since this thread last asked: once more, anew.
            self._own.drop()
            return question(self._own.connection(self._connect))
        except OperationalError as error:
            self._own.drop()
            raise Unavailable("The database does not answer.") from error

    def _connect(self) -> "PostgresStatements":
        import psycopg  # noqa: PLC0415 - an extra

        from repaircore.adapters.sql.engine.postgres import PostgresStatements  # noqa: PLC0415 - an extra

        chosen: dict[str, Any] = {**self._server, **POSTGRES_SETTINGS, "client_encoding": "utf-8"}
        return PostgresStatements(psycopg.connect(autocommit=True, **chosen))
