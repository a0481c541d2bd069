"""Restore a backup into an empty database, in one transaction."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.snapshot import SqlSnapshot
from repaircore.adapters.sql.schema import migrate
from repaircore.backups.errors import BadBackup
from repaircore.backups.model import Row, TableShape
from repaircore.backups.ports import Target
from repaircore.kernel.errors import Unavailable

_REFERENCES: Final = (
    'SELECT conrelid::regclass::text AS "table", quote_ident(conname) AS name,'
    " pg_get_constraintdef(oid) AS definition"
    " FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace"
)


class _SqlTarget(SqlSnapshot, Target):
    """What restoring into SQLite and PostgreSQL has in common."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        # A migration may have inserted rows; the backup contains them too.
        for table in reversed(self._reflected.sorted_tables):
            connection.execute(sa.delete(table))

    @override
    def set_counters(self, counters: Mapping[str, int]) -> None:
        for name in self._counter_tables():
            highest = self._connection.execute(sa.select(sa.func.max(self._table(name).c.id))).scalar()
            self._set_counter(name, max(counters.get(name, 0), highest or 0))

    def _set_counter(self, name: str, last: int) -> None:
        raise NotImplementedError

    @override
    def upgrade(self) -> None:
        migrate.upgrade_to(self._connection)

    @property
    def _driver(self) -> Any:
        return self._connection.connection.driver_connection


class SqliteTarget(_SqlTarget):
    """Restores into a new SQLite file."""

    def __init__(self, connection: Connection) -> None:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys=ON")  # until the end of the transaction
        super().__init__(connection)

    @override
    def load(self, shape: TableShape, rows: Iterable[Row]) -> None:
        names = ", ".join(f'"{name}"' for name in shape.columns)
        places = ", ".join("?" * len(shape.columns))
        with _rejected_rows(shape, sqlite3.IntegrityError, sqlite3.DataError, OverflowError, UnicodeError):
            self._driver.executemany(f'INSERT INTO "{shape.name}" ({names}) VALUES ({places})', rows)  # noqa: S608 - names of the schema

    @override
    def check_references(self) -> None:
        dangling = self._connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        if dangling is not None:
            raise BadBackup(
                f"A row in the backup's {dangling[0]} table refers to a missing row. Restore a different backup."
            )

    @override
    def _set_counter(self, name: str, last: int) -> None:
        self._connection.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
        self._connection.exec_driver_sql(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, last)
        )


class PostgresTarget(_SqlTarget):
    """Restores into tables that no other session sees before the transaction commits."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        # Checking once after all rows are loaded is faster, and allows any order.
        self._references = connection.exec_driver_sql(_REFERENCES).all()
        for reference in self._references:
            connection.exec_driver_sql(f"ALTER TABLE {reference.table} DROP CONSTRAINT {reference.name}")

    @override
    def load(self, shape: TableShape, rows: Iterable[Row]) -> None:
        import psycopg  # noqa: PLC0415 - an extra

        names = ", ".join(f'"{name}"' for name in shape.columns)
        try:
            with (
                _rejected_rows(shape, psycopg.DataError, psycopg.IntegrityError),
                self._driver.cursor() as cursor,
                cursor.copy(f'COPY "{shape.name}" ({names}) FROM STDIN') as copy,
            ):
                for row in rows:
                    copy.write_row(row)
        except psycopg.OperationalError as error:
            raise Unavailable("The database is not responding.") from error

    @override
    def check_references(self) -> None:
        for reference in self._references:
            try:
                self._connection.exec_driver_sql(
                    f"ALTER TABLE {reference.table} ADD CONSTRAINT {reference.name} {reference.definition}"
                )
            except sa.exc.IntegrityError as error:
                raise BadBackup(
                    f"A row in the backup's {reference.table} table refers to a missing row. Restore a different backup."
                ) from error

    @override
    def _set_counter(self, name: str, last: int) -> None:
        # Unlike setval, this is rolled back with the transaction.
        self._connection.exec_driver_sql(f"ALTER SEQUENCE {self._sequence(name)} RESTART WITH {last + 1}")


@contextmanager
def _rejected_rows(shape: TableShape, *kinds: type[Exception]) -> Iterator[None]:
    try:
        yield
    except kinds as error:
        raise BadBackup(
            f"The database rejected a row from the backup's {shape.name} table. Restore a different backup."
        ) from error
