"""Transactions that may take longer than a request."""

from sqlalchemy.engine import Connection


def take_time(connection: Connection, seconds: int = 0) -> None:
    """Let this transaction run, and think in between, for so long at a time; 0 is as long as it likes.

    SQLite sets no limits anyhow.
    """
    if connection.dialect.name != "sqlite":
        for name in ("statement_timeout", "idle_in_transaction_session_timeout"):
            connection.exec_driver_sql(f"SET LOCAL {name} = '{seconds}s'")
