"""Prepared statements on a PostgreSQL connection, through libpq itself.

psycopg's cursors look at each statement, dump each value and load each row anew; a remembered prediction
asks the same two statements every time (docs/decisions/hot-path.md).
"""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import frozen
from psycopg import Connection, DataError, OperationalError
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

_GOOD = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)


@frozen
class _Prepared:
    """A statement by the name that the server knows it by, and what reads each column of its rows."""

    name: bytes
    readers: tuple[Callable[[bytes], Any], ...]


class PostgresStatements:
    """A connection in autocommit, and the statements that it has prepared. One thread at a time uses it."""

    def __init__(self, connection: "Connection[Any]") -> None:
        self._connection = connection
        self._prepared: dict[str, _Prepared] = {}

    @property
    def closed(self) -> bool:
        """Return whether the connection is gone."""
        return self._connection.closed

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def one(self, sql: str, values: Sequence[Any]) -> tuple[Any, ...] | None:
        """Return the first row of ``sql``, whose places are written ``?``; None when there is none.

        Raises:
            psycopg.Error: as the server says.
        """
        statement = self._prepared.get(sql) or self._prepare(sql)
        result = self._execute(statement, values)
        if not result.ntuples:
            return None
        value = result.get_value
        return tuple(
            None if (kept := value(0, at)) is None else read(kept)
            for at, read in enumerate(statement.readers)
        )

    def run(self, sql: str, values: Sequence[Any]) -> int:
        """Run a writing statement; give the number of rows that it touched.

        Raises:
            psycopg.Error: as the server says.
        """
        statement = self._prepared.get(sql) or self._prepare(sql)
        return self._execute(statement, values).command_tuples or 0

    def _execute(self, statement: _Prepared, values: Sequence[Any]) -> PGresult:
        result = self._connection.pgconn.exec_prepared(
            statement.name,
            [_written(value) for value in values],
            [Format.BINARY if type(value) is bytes else Format.TEXT for value in values],
        )
        return self._good(result)

    def _good(self, result: PGresult) -> PGresult:
        if result.status in _GOOD:
            return result
        error = error_from_result(result)
        # What libpq says of a broken connection has no code that psycopg could tell the kind from.
        raise OperationalError(str(error)) if self.closed else error

    def _prepare(self, sql: str) -> _Prepared:
        connection = self._connection.pgconn
        name = b"repaircore_%d" % len(self._prepared)
        self._good(connection.prepare(name, _numbered(sql).encode()))
        columns = self._good(connection.describe_prepared(name))
        loaders = Transformer(self._connection)
        prepared = self._prepared[sql] = _Prepared(
            name,
            tuple(loaders.get_loader(columns.ftype(at), Format.TEXT).load for at in range(columns.nfields)),
        )
        return prepared


def _written(value: Any) -> bytes:
    """Write a value as PostgreSQL's text; bytes are sent as they are."""
    if type(value) is bytes:
        return value
    if value is None:
        raise TypeError("No single statement takes a NULL.")
    text = str(value).encode()
    if b"\0" in text:  # libpq's texts end there
        raise DataError("PostgreSQL keeps no NUL in a text.")
    return text


def _numbered(sql: str) -> str:
    """Number the places as PostgreSQL does, from $1."""
    first, *rest = sql.split("?")
    return first + "".join(f"${number}{part}" for number, part in enumerate(rest, 1))
