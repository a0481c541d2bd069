"""Where SQLite and PostgreSQL spell the same thing in different classes."""

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
    """Begin an INSERT that knows ON CONFLICT."""
    return upsert_in(connection.dialect.name, table)


def upsert_in(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    """Begin it for one of the dialects, to be built ahead of time."""
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)


def breaks(error: IntegrityError, index: Index) -> bool:
    """Return whether it is this unique index that did not let a row in."""
    told = getattr(error.orig, "diag", None)
    if told is not None:
        return bool(told.constraint_name == index.name)
    columns = ", ".join(str(column) for column in index.columns)
    return str(error.orig) == f"UNIQUE constraint failed: {columns}"


@contextmanager
def translated() -> Iterator[None]:
    """Turn what the database refuses to keep into a failure of ours; other errors pass.

    Raises:
        Conflict: it would break a rule of the schema (a record that it refers to is gone).
        Invalid: a value has no place in its column; which one, the database does not tell.
    """
    try:
        yield
    except IntegrityError as error:
        raise Conflict("The stored state does not allow it.") from error
    except (DataError, OverflowError) as error:
        raise Invalid({}) from error
