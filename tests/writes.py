"""Was anything written to a database? Asked of the database itself, which cannot overlook a row."""

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.schema.metadata import METADATA


@contextmanager
def unwritten(url: str) -> Iterator[None]:
    """Demand that the block commits no write by any connection but this one."""
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            before = _mark(connection)
            yield
            assert _mark(connection) == before, "something was written"
    finally:
        engine.dispose()


def rows(url: str) -> dict[str, int]:
    """Count the rows of every table."""
    engine = sa.create_engine(url)
    try:
        with engine.connect() as connection:
            return {
                table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
                for table in METADATA.sorted_tables
            }
    finally:
        engine.dispose()


def _mark(connection: Connection) -> object:
    if connection.dialect.name == "sqlite":
        # Changes with every commit of another connection, whatever it wrote.
        return connection.exec_driver_sql("PRAGMA data_version").scalar_one()
    # Every version of a row has a place and a transaction of its own.
    return [
        connection.exec_driver_sql(
            f"SELECT xmin::text, ctid::text FROM {table.name} ORDER BY ctid"  # noqa: S608 - our own names
        ).all()
        for table in METADATA.sorted_tables
    ]
