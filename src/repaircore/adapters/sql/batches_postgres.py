"""Batches of invoices on PostgreSQL."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, cast

import psycopg
import sqlalchemy as sa
from typing_extensions import override

from repaircore.adapters.sql.batches import COLUMNS, SqlBatches
from repaircore.adapters.sql.engine.timeouts import extend_timeouts
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.learning.ports import CellRow, LearnedRow
from repaircore.transactions.evidence import Cell

_SECONDS: Final = 60
_KNOWN: Final = (
    "SELECT fingerprint FROM transactions WHERE environment = %s AND fingerprint = ANY(%s::bigint[])"
)
_CELLS: Final = (
    "SELECT c.problem_id, c.kind, c.level, c.key, c.w, c.s, c.q FROM"
    " unnest(%s::bigint[], %s::text[], %s::text[], %s::text[]) AS t (problem_id, kind, level, key)"
    " JOIN cells c ON c.environment = %s AND c.problem_id = t.problem_id AND c.kind = t.kind"
    " AND c.level = t.level AND c.key = t.key"
)
_PRIOR_CELLS: Final = _CELLS.replace("JOIN cells", "JOIN prior_cells")
_INSERT: Final = f"COPY transactions ({', '.join(COLUMNS)}) FROM STDIN"


class PostgresBatches(SqlBatches):
    """Batches that send whole columns in one statement, and rows by COPY."""

    @override
    def configure(self) -> None:
        extend_timeouts(self._connection, _SECONDS)

    @override
    def known(self, environment: Environment, fingerprints: Sequence[int]) -> Collection[int]:
        found = self._driver.execute(_KNOWN, (environment.value, _array(fingerprints)))
        return [number for (number,) in found]

    @override
    def cells(self, environment: Environment, rows: Collection[CellRow]) -> Mapping[CellRow, Cell]:
        return self._found(_CELLS, environment, rows)

    @override
    def prior_cells(self, environment: Environment, rows: Collection[CellRow]) -> Mapping[CellRow, Cell]:
        return self._found(_PRIOR_CELLS, environment, rows)

    def _found(
        self, query: str, environment: Environment, rows: Collection[CellRow]
    ) -> Mapping[CellRow, Cell]:
        columns = [_array(column) for column in zip(*rows, strict=True)]
        found = self._driver.execute(query, (*columns, environment.value))
        return {row[:4]: Cell(*row[4:]) for row in found}

    @override
    def insert(
        self, environment: Environment, rows: Iterable[LearnedRow], *, at: datetime, import_id: int | None
    ) -> None:
        try:
            with self._driver.cursor() as cursor, cursor.copy(_INSERT) as copy:
                for row in self.rows(environment, rows, at, import_id):
                    copy.write_row(row)
        except psycopg.IntegrityError as error:
            raise Conflict("The change conflicts with stored records. Reload them and try again.") from error

    @override
    def add_to_rows(
        self, table: str, columns: Sequence[str], keys: int, rows: Sequence[tuple[Any, ...]]
    ) -> None:
        if not rows:
            return
        kinds = ["bigint[]" if isinstance(value, int) else "text[]" for value in rows[0]]
        adding = ", ".join(f"{name} = {table}.{name} + excluded.{name}" for name in columns[keys:])
        self._driver.execute(
            f"INSERT INTO {table} ({', '.join(columns)})"  # noqa: S608 - names of the schema
            f" SELECT * FROM unnest({', '.join(f'%s::{kind}' for kind in kinds)})"
            f" ON CONFLICT ({', '.join(columns[:keys])}) DO UPDATE SET {adding}",
            [_array(column) for column in zip(*rows, strict=True)],
        )

    @override
    def parts_in(self, column: "sa.ColumnElement[str]") -> "sa.ColumnElement[int]":
        return sa.func.json_array_length(sa.cast(column, sa.JSON))

    @property
    def _driver(self) -> "psycopg.Connection[Any]":
        return cast("psycopg.Connection[Any]", self._connection.connection.driver_connection)


def _array(values: Sequence[int | str]) -> str:
    """Return an array as a literal; psycopg takes five to ten times as long to dump a list."""
    return f"{{{','.join(str(value) if isinstance(value, int) else _quoted(value) for value in values)}}}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
