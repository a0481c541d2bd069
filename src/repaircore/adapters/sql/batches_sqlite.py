"""Batches of invoices on SQLite."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, cast

import sqlalchemy as sa
from typing_extensions import override

from repaircore.adapters.sql.batches import COLUMNS, SqlBatches
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.learning.ports import CellRow, LearnedRow
from repaircore.transactions.evidence import Cell

_CACHE: Final = "PRAGMA cache_size=-131072"
"""128 MiB: each row updates eight indexes, mostly on distant pages."""

_KNOWN: Final = "SELECT 1 FROM transactions WHERE fingerprint = ? AND environment = ?"
_CELL: Final = "SELECT w, s, q FROM cells WHERE environment = ? AND problem_id = ? AND kind = ? AND level = ? AND key = ?"
_PRIOR_CELL: Final = _CELL.replace("FROM cells", "FROM prior_cells")
_INSERT: Final = f"INSERT INTO transactions ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608 - names of the schema


class SqliteBatches(SqlBatches):
    """Batches that run a prepared statement for each row."""

    @override
    def configure(self) -> None:
        self._driver.execute(_CACHE)

    @override
    def known(self, environment: Environment, fingerprints: Sequence[int]) -> Collection[int]:
        execute, name = self._driver.execute, environment.value
        return [number for number in sorted(fingerprints) if execute(_KNOWN, (number, name)).fetchone()]

    @override
    def cells(self, environment: Environment, rows: Collection[CellRow]) -> Mapping[CellRow, Cell]:
        return self._found(_CELL, environment, rows)

    @override
    def prior_cells(self, environment: Environment, rows: Collection[CellRow]) -> Mapping[CellRow, Cell]:
        return self._found(_PRIOR_CELL, environment, rows)

    def _found(
        self, query: str, environment: Environment, rows: Collection[CellRow]
    ) -> Mapping[CellRow, Cell]:
        execute, name = self._driver.execute, environment.value
        # In order of the key, each page is visited once; in any other order, this takes half as long again.
        return {
            row: Cell(*found) for row in sorted(rows) if (found := execute(query, (name, *row)).fetchone())
        }

    @override
    def insert(
        self, environment: Environment, rows: Iterable[LearnedRow], *, at: datetime, import_id: int | None
    ) -> None:
        try:
            self._driver.executemany(_INSERT, self.rows(environment, rows, at, import_id))
        except sqlite3.IntegrityError as error:
            raise Conflict("The change conflicts with stored records. Reload them and try again.") from error

    @override
    def add_to_rows(
        self, table: str, columns: Sequence[str], keys: int, rows: Sequence[tuple[Any, ...]]
    ) -> None:
        adding = ", ".join(f"{name} = {name} + excluded.{name}" for name in columns[keys:])
        self._driver.executemany(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - names of the schema
            f" ON CONFLICT ({', '.join(columns[:keys])}) DO UPDATE SET {adding}",
            rows,
        )

    @override
    def parts_in(self, column: "sa.ColumnElement[str]") -> "sa.ColumnElement[int]":
        return sa.func.json_array_length(column)

    @property
    def _driver(self) -> sqlite3.Connection:
        return cast("sqlite3.Connection", self._connection.connection.driver_connection)
