"""Prepared statements on a PostgreSQL connection, through libpq itself.

Saves 6 to 10 µs of CPU in each read by key, which takes 23 µs. A psycopg cursor takes 29 to 33, because it examines the
statement, dumps the values and loads the rows each time (docs/decisions/hot-path.md).
Plain alternative: psycopg's ``connection.execute(sql, values)``.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

from attrs import frozen
from psycopg import DataError, OperationalError
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult
from typing_extensions import override

from repaircore.adapters.postgres.connections import SET_LOCAL, ServerConnection

_SUCCESS = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)


@frozen
class _Prepared:
    """The name of a statement on the server, and a reader for each column of its rows."""

    name: bytes
    readers: tuple[Callable[[bytes], Any], ...]


class Statements(Protocol):
    """Single statements on a connection in autocommit mode. Not thread-safe."""

    @property
    def closed(self) -> bool:
        """Whether the connection is closed."""

    def close(self) -> None:
        """Close the connection."""

    def fetch_one(self, sql: str, values: Sequence[Any]) -> tuple[Any, ...] | None:
        """Return the first row of ``sql``, whose placeholders are ``?``, or None if there is none.

        Raises:
            psycopg.Error: the server reports an error.
        """

    def execute(self, sql: str, values: Sequence[Any]) -> int:
        """Execute a statement that writes; return the number of rows affected.

        Raises:
            psycopg.Error: the server reports an error.
        """


def statements_on(connection: ServerConnection) -> Statements:
    """Return a connection's statements: prepared ones, unless a pooler may switch sessions between transactions."""
    return PooledStatements(connection) if connection.session.is_pooled else PreparedStatements(connection)


class _Connected(Statements):
    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    @property
    @override
    def closed(self) -> bool:
        return self._connection.closed

    @override
    def close(self) -> None:
        self._connection.close()

    def _checked(self, result: PGresult) -> PGresult:
        if result.status in _SUCCESS:
            return result
        error = error_from_result(result)
        # libpq gives no SQLSTATE for a broken connection, so psycopg cannot choose the class.
        raise OperationalError(str(error)) if self.closed else error

    def _readers(self, columns: PGresult) -> tuple[Callable[[bytes], Any], ...]:
        loaders = Transformer(self._connection)
        return tuple(loaders.get_loader(columns.ftype(at), Format.TEXT).load for at in range(columns.nfields))


class PreparedStatements(_Connected):
    """Statements that the session prepares when they are first executed."""

    def __init__(self, connection: ServerConnection) -> None:
        super().__init__(connection)
        self._prepared: dict[str, _Prepared] = {}

    @override
    def fetch_one(self, sql: str, values: Sequence[Any]) -> tuple[Any, ...] | None:
        statement = self._prepared.get(sql) or self._prepare(sql)
        return _first_row(self._execute(statement, values), statement.readers)

    @override
    def execute(self, sql: str, values: Sequence[Any]) -> int:
        statement = self._prepared.get(sql) or self._prepare(sql)
        return self._execute(statement, values).command_tuples or 0

    def _execute(self, statement: _Prepared, values: Sequence[Any]) -> PGresult:
        texts, formats = _encoded(values)
        return self._checked(self._connection.pgconn.exec_prepared(statement.name, texts, formats))

    def _prepare(self, sql: str) -> _Prepared:
        connection = self._connection.pgconn
        name = b"repaircore_%d" % len(self._prepared)
        self._checked(connection.prepare(name, _numbered(sql)))
        columns = self._checked(connection.describe_prepared(name))
        prepared = self._prepared[sql] = _Prepared(name, self._readers(columns))
        return prepared


class PooledStatements(_Connected):
    """Statements that leave nothing behind in a session, since a pooler may run each one in a different session.

    If sessions have no timeouts, each statement is a transaction that sets them first.
    """

    @override
    def fetch_one(self, sql: str, values: Sequence[Any]) -> tuple[Any, ...] | None:
        result = self._execute(sql, values)
        return _first_row(result, self._readers(result)) if result.ntuples else None

    @override
    def execute(self, sql: str, values: Sequence[Any]) -> int:
        return self._execute(sql, values).command_tuples or 0

    def _execute(self, sql: str, values: Sequence[Any]) -> PGresult:
        if self._connection.session.has_timeouts:
            return self._execute_alone(sql, values)
        with self._connection.transaction():
            self._checked(self._connection.pgconn.exec_(SET_LOCAL.encode()))
            return self._execute_alone(sql, values)

    def _execute_alone(self, sql: str, values: Sequence[Any]) -> PGresult:
        texts, formats = _encoded(values)
        result = self._connection.pgconn.exec_params(_numbered(sql), texts, param_formats=formats)
        return self._checked(result)


def _first_row(result: PGresult, readers: Sequence[Callable[[bytes], Any]]) -> tuple[Any, ...] | None:
    if not result.ntuples:
        return None
    value = result.get_value
    return tuple(
        None if (stored := value(0, at)) is None else read(stored) for at, read in enumerate(readers)
    )


def _encoded(values: Sequence[Any]) -> tuple[Sequence[bytes], Sequence[int]]:
    return (
        [_encode(value) for value in values],
        [Format.BINARY if type(value) is bytes else Format.TEXT for value in values],
    )


def _encode(value: Any) -> bytes:
    """Encode a value in PostgreSQL's text format; bytes are sent unchanged."""
    if type(value) is bytes:
        return value
    if value is None:
        raise TypeError("Prepared statements here do not accept None.")
    text = str(value).encode()
    if b"\0" in text:  # libpq's strings end there
        raise DataError("PostgreSQL cannot store NUL in text.")
    return text


@lru_cache(maxsize=256)
def _numbered(sql: str) -> bytes:
    """Return a statement for libpq, with each ``?`` replaced by a numbered placeholder, from ``$1``."""
    first, *rest = sql.split("?")
    return (first + "".join(f"${number}{part}" for number, part in enumerate(rest, 1))).encode()
