"""The whole database at one moment, read table by table in constant memory."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Final, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.timeouts import take_time
from repaircore.adapters.sql.schema import migrate
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.adapters.sql.settings import BOOK_EDITION
from repaircore.backups.model import Kind, Row, TableShape
from repaircore.backups.ports import Snapshot
from repaircore.kernel.errors import Unavailable

OF_THE_MOMENT: Final = frozenset({"computations", "rate_windows"})
"""Tables of what is going on just now, which means nothing after a restore."""

_AT_ONCE: Final = 1000


@contextmanager
def consistent(database: Database) -> Iterator[Connection]:
    """Open a transaction that only reads, sees one moment from its first read on, and may take its time.

    Raises:
        Unavailable: the database does not answer.
    """
    with database.transaction(write=False) as connection:
        if not database.is_sqlite:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        take_time(connection)
        yield connection


@contextmanager
def snapshot(database: Database) -> Iterator[Snapshot]:
    """Look at a database as it is now, for as long as it takes.

    Raises:
        Unavailable: it does not answer, is empty, of a newer version, or another program's.
    """
    if database.path is not None and not database.path.exists():
        raise Unavailable("There is no database yet.")
    with consistent(database) as connection:
        obstacle, standing = migrate.obstacle_of(connection), migrate.standing_of(connection)
        if obstacle or standing is None:
            raise Unavailable(obstacle or "There is no database yet.")
        yield SqlSnapshot(connection)


class SqlSnapshot(Snapshot):
    """What a transaction sees; the tables are those of the revision that the database is at."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @property
    @override
    def revision(self) -> str:
        return migrate.standing_of(self._connection) or ""

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
            if table.name not in OF_THE_MOMENT
        ]

    @override
    def count(self, shape: TableShape) -> int:
        query = sa.select(sa.func.count()).select_from(self._table(shape.name))
        return self._connection.execute(query).scalar_one()

    @override
    def rows(self, shape: TableShape) -> Iterator[Row]:
        table = self._table(shape.name)
        query = sa.select(*(table.c[name] for name in shape.columns)).order_by(*self._order(table))
        streamed = query.execution_options(stream_results=True, yield_per=_AT_ONCE)
        with self._connection.execute(streamed) as found:
            for some in found.partitions():
                yield from cast("Sequence[Row]", some)

    @override
    def counters(self) -> Mapping[str, int]:
        return {str(name): self._counter(name) for name in self._counting()}

    def _counting(self) -> list[str]:
        """Name the tables that give their ids themselves."""
        return [
            table.name
            for table in METADATA.sorted_tables
            if table.name in self._reflected.tables
            and table.autoincrement_column is not None
            and table.autoincrement_column.autoincrement is True
        ]

    def _counter(self, name: str) -> int:
        if self._is_sqlite:
            kept = self._connection.execute(
                sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": name}
            ).scalar()
            return kept or 0
        row = self._connection.exec_driver_sql(
            f"SELECT last_value, is_called FROM {self._sequence(name)}"  # noqa: S608 - the server's own name
        ).one()
        return int(row.last_value) - (not row.is_called)

    def _sequence(self, name: str) -> str:
        asked = sa.text("SELECT pg_get_serial_sequence(:name, 'id')")
        return cast("str", self._connection.execute(asked, {"name": name}).scalar_one())

    @property
    def _is_sqlite(self) -> bool:
        return self._connection.dialect.name == "sqlite"

    @cached_property
    def _reflected(self) -> sa.MetaData:
        found = sa.MetaData()
        found.reflect(self._connection, only=lambda name, _: name in METADATA.tables)
        return found

    def _table(self, name: str) -> sa.Table:
        return self._reflected.tables[name]

    def _order(self, table: sa.Table) -> list[sa.ColumnElement[Any]]:
        """Order by the key; texts by their bytes, as SQLite does."""
        return [self._by_bytes(column) for column in table.primary_key.columns]

    def _by_bytes(self, column: sa.Column[Any]) -> sa.ColumnElement[Any]:
        told_apart = self._is_sqlite or not isinstance(column.type, sa.Text)
        return column if told_apart else sa.collate(column, "C")


def _kind(column: sa.Column[object]) -> Kind:
    if isinstance(column.type, sa.Integer):
        return Kind.INTEGER
    if isinstance(column.type, sa.Float | sa.REAL):
        return Kind.REAL
    return Kind.BYTES if isinstance(column.type, sa.LargeBinary) else Kind.TEXT
