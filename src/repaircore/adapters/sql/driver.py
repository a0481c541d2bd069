"""Single statements straight through the driver, for what every request asks.

No transaction, no statement built anew, and no SQLAlchemy: importing it alone takes longer than
answering a remembered prediction at the command line (docs/decisions/hot-reads.md).
"""

import os
import sqlite3
import threading
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias, cast

from typing_extensions import override

from repaircore.kernel.errors import Unavailable

__all__ = [
    "POSTGRES_OPTIONS",
    "SQLITE_SETTINGS",
    "Driver",
    "PostgresDriver",
    "Row",
    "SqliteDriver",
    "driver_of",
]

SQLITE_SETTINGS: Final = (
    "PRAGMA busy_timeout=10000",
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA temp_store=MEMORY",
    "PRAGMA journal_size_limit=67108864",
)
POSTGRES_OPTIONS: Final = (
    "-c statement_timeout=5s -c lock_timeout=2s -c idle_in_transaction_session_timeout=10s"
)

Row: TypeAlias = Sequence[Any]


class Driver(Protocol):
    """Single statements, each its own transaction; a thread has a connection of its own."""

    @abstractmethod
    def one(self, sql: str, values: Row) -> Row | None:
        """Give the first row of ``sql``, whose places are written ``?``; None when there is none.

        Raises:
            Unavailable: the database does not answer.
        """

    @abstractmethod
    def one_if_there(self, sql: str) -> Row | None:
        """Give the first row of ``sql``, or None also when its table does not exist.

        Raises:
            Unavailable: the database does not answer.
        """

    @abstractmethod
    def run(self, sql: str, values: Row) -> int:
        """Run a writing statement, kept when this returns; give the number of rows that it touched.

        Raises:
            Unavailable: the database does not answer.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of this thread's connection; those of other threads end with them."""


def driver_of(url: str) -> Driver:
    """Give the driver for a database URL."""
    if url.startswith("sqlite:"):
        return SqliteDriver(Path(url.removeprefix("sqlite:///")))
    return PostgresDriver(url.replace("postgresql+psycopg://", "postgresql://", 1))


class SqliteDriver(Driver):
    """Statements on a SQLite file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mine = threading.local()

    @override
    def one(self, sql: str, values: Row) -> Row | None:
        try:
            return cast("Row | None", self._connection().execute(sql, values).fetchone())
        except sqlite3.OperationalError as error:
            raise Unavailable("The database does not answer.") from error

    @override
    def one_if_there(self, sql: str) -> Row | None:
        try:
            return self.one(sql, ())
        except Unavailable as error:
            if "no such table" in str(error.__cause__):
                return None
            raise

    @override
    def run(self, sql: str, values: Row) -> int:
        try:
            return self._connection().execute(sql, values).rowcount
        except sqlite3.OperationalError as error:
            raise Unavailable("The database does not answer.") from error

    @override
    def close(self) -> None:
        if getattr(self._mine, "pid", None) == os.getpid():
            self._mine.connection.close()
            self._mine.pid = None

    def _connection(self) -> sqlite3.Connection:
        mine = self._mine
        # SQLite's handles must not cross a fork.
        if getattr(mine, "pid", None) != os.getpid():
            mine.connection = sqlite3.connect(self._path, isolation_level=None)
            for setting in SQLITE_SETTINGS:
                mine.connection.execute(setting)
            mine.pid = os.getpid()
        return cast("sqlite3.Connection", mine.connection)


class PostgresDriver(Driver):
    """Statements on a PostgreSQL database."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._mine = threading.local()
        self._texts: dict[str, str] = {}

    @override
    def one(self, sql: str, values: Row) -> Row | None:
        return cast("Row | None", self._execute(sql, values).fetchone())

    @override
    def one_if_there(self, sql: str) -> Row | None:
        from psycopg.errors import UndefinedTable  # noqa: PLC0415 - an extra

        try:
            return self.one(sql, ())
        except UndefinedTable:
            return None

    @override
    def run(self, sql: str, values: Row) -> int:
        return cast("int", self._execute(sql, values).rowcount)

    @override
    def close(self) -> None:
        if getattr(self._mine, "pid", None) == os.getpid():
            self._mine.connection.close()
            self._mine.pid = None

    def _execute(self, sql: str, values: Row) -> Any:
        from psycopg import OperationalError  # noqa: PLC0415 - an extra

        text = self._texts.get(sql)
        if text is None:
            text = self._texts[sql] = sql.replace("?", "%s")
        try:
            return self._connection().execute(text, values)
        except OperationalError:
            # The server may have been restarted since this thread last asked: once more, anew.
            self.close()
        try:
            return self._connection().execute(text, values)
        except OperationalError as error:
            self.close()
            raise Unavailable("The database does not answer.") from error

    def _connection(self) -> Any:
        mine = self._mine
        if getattr(mine, "pid", None) != os.getpid():
            import psycopg  # noqa: PLC0415 - an extra

            mine.connection = psycopg.connect(
                self._url, autocommit=True, prepare_threshold=1, options=POSTGRES_OPTIONS, connect_timeout=5
            )
            mine.pid = os.getpid()
        return mine.connection
