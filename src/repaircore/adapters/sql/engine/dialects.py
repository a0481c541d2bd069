"""Differences between SQLite and PostgreSQL in SQLAlchemy."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Index, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DataError, IntegrityError

from repaircore.kernel.errors import Conflict, Invalid

DIALECTS: Final = ("sqlite", "postgresql")


def upsert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """Return an INSERT that supports ON CONFLICT."""
    return upsert_in(connection.dialect.name, table)


def upsert_in(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    """Return an INSERT that supports ON CONFLICT in a dialect, for statements that are built in advance."""
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)


def violates(error: IntegrityError, index: Index) -> bool:
    """Return whether an error is a violation of a unique index."""
    diagnostics = getattr(error.orig, "diag", None)
    if diagnostics is not None:
        return bool(diagnostics.constraint_name == index.name)
    columns = ", ".join(str(column) for column in index.columns)
    return str(error.orig) == f"UNIQUE constraint failed: {columns}"


@contextmanager
def translating_errors() -> Iterator[None]:
    """Translate the database's constraint and data errors; other errors pass through unchanged.

    Raises:
        Conflict: a constraint of the schema is violated (a referenced record is gone, say).
        Invalid: a value does not fit its column; the database does not say which.
    """
    try:
        yield
    except IntegrityError as error:
        raise Conflict("The change conflicts with stored records. Reload them and try again.") from error
    except (DataError, OverflowError) as error:
        raise Invalid({}) from error
