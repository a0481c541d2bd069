"""Prepared statements on a PostgreSQL connection, through libpq itself.

Buys 6 to 10 µs of CPU of each read by key: 23 µs, where a psycopg cursor takes 29 to 33, because it examines the statement, dumps
the values and loads the rows each time (docs/decisions/hot-path.md).
Instead of it: ``connection.execute(sql, values)`` of psycopg.
"""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import frozen
from psycopg import Connection, DataError, OperationalError
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

_SUCCESS = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)


@frozen
class _Prepared:
    """The name of a statement on the server, and a reader for each column of its rows."""

    name: bytes
    readers: tuple[Callable[[bytes], Any], ...]


class PostgresStatements:
    """A connection in autocommit mode with its prepared statements. It is not thread-safe."""

    def __init__(self, connection: "Connection[Any]") -> None:
        self._connection = connection
        self._prepared: dict[str, _Prepared] = {}

    @property
    def closed(self) -> bool:
        """Return whether the connection is closed."""
        return self._connection.closed

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def fetch_one(self, sql: str, values: Sequence[Any]) -> tuple[Any, ...] | None:
        """Return the first row of ``sql``, whose placeholders are ``?``, or None.

        Raises:
            psycopg.Error: the server reports an error.
        """
        statement = self._prepared.get(sql) or self._prepare(sql)
        result = self._execute(statement, values)
        if not result.ntuples:
            return None
        value = result.get_value
        return tuple(
            None if (stored := value(0, at)) is None else read(stored)
            for at, read in enumerate(statement.readers)
        )

    def execute(self, sql: str, values: Sequence[Any]) -> int:
        """Execute a statement that writes; return the number of rows affected.

        Raises:
            psycopg.Error: the server reports an error.
        """
        statement = self._prepared.get(sql) or self._prepare(sql)
        return self._execute(statement, values).command_tuples or 0

    def _execute(self, statement: _Prepared, values: Sequence[Any]) -> PGresult:
        result = self._connection.pgconn.exec_prepared(
            statement.name,
            [_encode(value) for value in values],
            [Format.BINARY if type(value) is bytes else Format.TEXT for value in values],
        )
        return self._checked(result)

    def _checked(self, result: PGresult) -> PGresult:
        if result.status in _SUCCESS:
            return result
        error = error_from_result(result)
        # libpq gives no SQLSTATE for a broken connection, so psycopg cannot choose the class.
        raise OperationalError(str(error)) if self.closed else error

    def _prepare(self, sql: str) -> _Prepared:
        connection = self._connection.pgconn
        name = b"repaircore_%d" % len(self._prepared)
        self._checked(connection.prepare(name, _numbered(sql).encode()))
        columns = self._checked(connection.describe_prepared(name))
        loaders = Transformer(self._connection)
        prepared = self._prepared[sql] = _Prepared(
            name,
            tuple(loaders.get_loader(columns.ftype(at), Format.TEXT).load for at in range(columns.nfields)),
        )
        return prepared


def _encode(value: Any) -> bytes:
    """Encode a value as PostgreSQL's text; bytes are sent as they are."""
    if type(value) is bytes:
        return value
    if value is None:
        raise TypeError("No single statement takes a NULL.")
    text = str(value).encode()
    if b"\0" in text:  # libpq's strings end there
        raise DataError("PostgreSQL cannot store NUL in text.")
    return text


def _numbered(sql: str) -> str:
    """Replace each ``?`` with a numbered placeholder, from ``$1``."""
    first, *rest = sql.split("?")
    return first + "".join(f"${number}{part}" for number, part in enumerate(rest, 1))
