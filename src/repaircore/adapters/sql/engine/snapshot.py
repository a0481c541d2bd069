"""A consistent snapshot of the whole database, read table by table in constant memory."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Final, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.timeouts import extend_timeouts
from repaircore.adapters.sql.schema import migrate
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.adapters.sql.settings import BOOK_EDITION
from repaircore.backups.model import Kind, Row, TableShape
from repaircore.backups.ports import Snapshot
from repaircore.kernel.errors import Unavailable

EPHEMERAL_TABLES: Final = frozenset({
    "computations",
    "job_processes",
    "rate_windows",
    "task_chunks",
    "task_files",
    "task_lines",
    "tasks",
})  # fmt: skip
"""Tables with transient state, which is meaningless after a restore."""

_BATCH: Final = 1000


@contextmanager
def consistent_read(database: Database) -> Iterator[Connection]:
    """Open a long read-only transaction that sees a single snapshot of the data.

    Raises:
        Unavailable: the database is not responding.
    """
    with database.transaction(write=False) as connection:
        if not database.is_sqlite:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        extend_timeouts(connection)
        yield connection


@contextmanager
def snapshot(database: Database) -> Iterator[Snapshot]:
    """Open a snapshot of a database.

    Raises:
        Unavailable: the database is not responding, is empty, or is from a newer version or another program.
    """
    if database.path is not None and not database.path.exists():
        raise Unavailable("There is no database to back up yet.")
    with consistent_read(database) as connection:
        blocker, revision = migrate.upgrade_blocker_of(connection), migrate.revision_of(connection)
        if blocker or revision is None:
            raise Unavailable(blocker or "There is no database to back up yet.")
        yield SqlSnapshot(connection)


class SqlSnapshot(Snapshot):
    """The snapshot that a transaction sees, with the tables of the database's own revision."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @property
    @override
    def revision(self) -> str:
        return migrate.revision_of(self._connection) or ""

    @property
    @override
    def edition(self) -> str | None:
        query = sa.text("SELECT value FROM settings WHERE name = :name")
        return cast("str | None", self._connection.execute(query, {"name": BOOK_EDITION}).scalar())

    @override
    def tables(self) -> Sequence[TableShape]:
        return [
            TableShape(
                name=str(table.name), columns={str(column.name): _kind(column) for column in table.columns}
            )
            for table in self._reflected.sorted_tables
            if table.name not in EPHEMERAL_TABLES
        ]

    @override
    def count(self, shape: TableShape) -> int:
        query = sa.select(sa.func.count()).select_from(self._table(shape.name))
        return self._connection.execute(query).scalar_one()

    @override
    def rows(self, shape: TableShape) -> Iterator[Row]:
        table = self._table(shape.name)
        query = sa.select(*(table.c[name] for name in shape.columns)).order_by(*self._order(table))
        streamed = query.execution_options(stream_results=True, yield_per=_BATCH)
        with self._connection.execute(streamed) as result:
            for partition in result.partitions():
                yield from cast("Sequence[Row]", partition)

    @override
    def counters(self) -> Mapping[str, int]:
        return {str(name): self._counter(name) for name in self._counter_tables()}

    def _counter_tables(self) -> list[str]:
        """Return the names of the tables that number their rows."""
        return [
            table.name
            for table in METADATA.sorted_tables
            if table.name in self._reflected.tables
            and table.autoincrement_column is not None
            and table.autoincrement_column.autoincrement is True
        ]

    def _counter(self, name: str) -> int:
        if self._is_sqlite:
            last = self._connection.execute(
                sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": name}
            ).scalar()
            return last or 0
        row = self._connection.exec_driver_sql(
            f"SELECT last_value, is_called FROM {self._sequence(name)}"  # noqa: S608 - the server's own name
        ).one()
        return int(row.last_value) - (not row.is_called)

    def _sequence(self, name: str) -> str:
        query = sa.text("SELECT pg_get_serial_sequence(:name, 'id')")
        return cast("str", self._connection.execute(query, {"name": name}).scalar_one())

    @property
    def _is_sqlite(self) -> bool:
        return self._connection.dialect.name == "sqlite"

    @cached_property
    def _reflected(self) -> sa.MetaData:
        metadata = sa.MetaData()
        metadata.reflect(self._connection, only=lambda name, _: name in METADATA.tables)
        return metadata

    def _table(self, name: str) -> sa.Table:
        return self._reflected.tables[name]

    def _order(self, table: sa.Table) -> list[sa.ColumnElement[Any]]:
        """Return ORDER BY columns for the primary key, with strings compared by bytes, as in SQLite."""
        return [self._by_bytes(column) for column in table.primary_key.columns]

    def _by_bytes(self, column: sa.Column[Any]) -> sa.ColumnElement[Any]:
        by_bytes = self._is_sqlite or not isinstance(column.type, sa.Text)
        return column if by_bytes else sa.collate(column, "C")


def _kind(column: sa.Column[object]) -> Kind:
    if isinstance(column.type, sa.Integer):
        return Kind.INTEGER
    if isinstance(column.type, sa.Float | sa.REAL):
        return Kind.REAL
    return Kind.BYTES if isinstance(column.type, sa.LargeBinary) else Kind.TEXT
