"""Timeouts for transactions that take longer than a request."""

from sqlalchemy.engine import Connection


def extend_timeouts(connection: Connection, seconds: int = 0) -> None:
    """Set the statement and idle timeouts of this transaction; 0 means no limit.

    On SQLite, which has none, nothing happens.
    """
    if connection.dialect.name != "sqlite":
        for name in ("statement_timeout", "idle_in_transaction_session_timeout"):
            connection.exec_driver_sql(f"SET LOCAL {name} = '{seconds}s'")
