"""Connections that have timeouts, and that may go through a pooler.

A pooler such as PgBouncer rejects options at the start of a connection, and in transaction mode runs each transaction
in a different session, which lacks what the previous session set or prepared
(docs/decisions/postgresql-connections.md).
"""

from collections.abc import Mapping
from typing import Any, Final

import psycopg
from attrs import frozen

from repaircore.adapters.postgres import outages

TIMEOUTS: Final[Mapping[str, str]] = {
    "statement_timeout": "5s",
    "lock_timeout": "2s",
    "idle_in_transaction_session_timeout": "10s",
}
_CONNECT_SECONDS: Final = 5

# A pooler reports a made-up process ID to its clients.
_SET_UNLESS_POOLED: Final = ", ".join(
    f"CASE WHEN pg_backend_pid() = %(pid)s THEN set_config('{name}', '{value}', false)"
    f" ELSE current_setting('{name}') END"
    for name, value in TIMEOUTS.items()
)
_EXAMINE: Final = (
    "SELECT pg_backend_pid() = %(pid)s, current_setting('max_connections')::int,"
    f" current_setting('superuser_reserved_connections')::int, {_SET_UNLESS_POOLED}"
)
_NO_TIMEOUT: Final = "0"

SET_LOCAL: Final = "; ".join(f"SET LOCAL {name} = '{value}'" for name, value in TIMEOUTS.items())
"""The statements that set the timeouts of one transaction."""


@frozen(kw_only=True)
class Session:
    """The properties of a session: whether it is behind a pooler, and whether it has the timeouts.

    Sessions behind a pooler have the timeouts if the role has them (``ALTER ROLE … SET statement_timeout``).
    """

    is_pooled: bool
    has_timeouts: bool


class ServerConnection(psycopg.Connection[Any]):
    """A connection with the properties of its session."""

    session: Session = Session(is_pooled=False, has_timeouts=True)


def connect(server: Mapping[str, str], *, autocommit: bool) -> ServerConnection:
    """Return a connection whose session has the timeouts; through a pooler, each transaction may have to set them.

    Raises:
        psycopg.OperationalError: the server is not responding, or rejects the connection.
    """
    options: dict[str, Any] = {"connect_timeout": _CONNECT_SECONDS, "client_encoding": "utf-8", **server}
    connection: ServerConnection = ServerConnection.connect(autocommit=True, **options)
    try:
        row: Any = connection.execute(_EXAMINE, {"pid": connection.pgconn.backend_pid}).fetchone()
        is_direct, most, reserved, *timeouts = row
        outages.remember_slots(server, most=most, reserved=reserved)
        has_timeouts = is_direct or _NO_TIMEOUT not in timeouts
        connection.session = Session(is_pooled=not is_direct, has_timeouts=has_timeouts)
        if not is_direct:
            connection.prepare_threshold = (
                None  # a statement that one session prepared is unknown to the next
            )
        connection.autocommit = autocommit
    except BaseException:
        connection.close()
        raise
    return connection
