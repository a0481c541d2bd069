"""Single statements on a PostgreSQL database, on a few connections that all threads of a process share.

Saves what ``driver`` saves, and its import, which a process with a SQLite file never pays for.
Plain alternative: SQLAlchemy Core in a read transaction, ``Database.transaction(write=False)``.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import override

from repaircore.adapters.fast_path.driver import Driver, Row
from repaircore.adapters.postgres.outages import outage
from repaircore.adapters.postgres.pool import ConnectionPool
from repaircore.kernel.blocking import before_blocking

if TYPE_CHECKING:
    from repaircore.adapters.fast_path.libpq import Statements


class PostgresDriver(Driver):
    """Statements on a PostgreSQL database."""

    def __init__(self, server: Mapping[str, str], *, connections: int) -> None:
        self._server = server
        self._pool: ConnectionPool[Statements] = ConnectionPool(partial(_connect, server), size=connections)

    @override
    def fetch_one(self, sql: str, values: Row) -> Row | None:
        return cast("Row | None", self._retrying(lambda statements: statements.fetch_one(sql, values)))

    @override
    def fetch_one_if_exists(self, sql: str) -> Row | None:
        from psycopg.errors import UndefinedTable  # noqa: PLC0415 - an extra

        try:
            return self.fetch_one(sql, ())
        except UndefinedTable:
            return None

    @override
    def execute(self, sql: str, values: Row) -> int:
        return cast("int", self._retrying(lambda statements: statements.execute(sql, values)))

    @override
    def execute_low_priority(self, sql: str, values: Row) -> None:
        self.execute(sql, values)  # lock_timeout is short already

    @override
    def close(self) -> None:
        self._pool.close()

    def _retrying(self, act: "Callable[[Statements], Any]") -> Any:
        from psycopg import OperationalError  # noqa: PLC0415 - an extra

        try:
            try:
                return self._with_connection(act)
            except _ConnectionLost:
                # The server may have restarted since the last statement: reconnect and retry once.
                self._pool.close()
                return self._with_connection(act)
        except OperationalError as error:
            raise outage(error, self._server) from error
        except _ConnectionLost as error:
            raise outage(error.__cause__, self._server) from error

    def _with_connection(self, act: "Callable[[Statements], Any]") -> Any:
        from psycopg import OperationalError  # noqa: PLC0415 - an extra

        before_blocking()
        statements = self._pool.acquire()
        try:
            result = act(statements)
        except BaseException as error:
            is_lost = statements.closed
            if is_lost:
                self._pool.discard(statements)
            else:
                self._pool.release(statements)
            if is_lost and isinstance(error, OperationalError):
                raise _ConnectionLost from error
            raise  # such as a lock or statement timeout: retrying would double the wait
        self._pool.release(statements)
        return result


def _connect(server: Mapping[str, str]) -> "Statements":
    from repaircore.adapters.fast_path.libpq import statements_on  # noqa: PLC0415 - an extra
    from repaircore.adapters.postgres.connections import connect  # noqa: PLC0415 - an extra

    connection: Any = connect(server, autocommit=True)
    # psycopg warns about connections that are garbage-collected while open, unless a pool owns them. Our pool closes
    # them when it is collected itself, which may be after them if they are in a reference cycle.
    connection._pool = True  # noqa: SLF001 - there is no other way to say so
    return statements_on(connection)


class _ConnectionLost(Exception):
    """The connection broke before the result of a statement was known."""
