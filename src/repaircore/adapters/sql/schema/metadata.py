"""The metadata that all tables share, and the types of their columns.

Times are microseconds since 1970 in UTC and money is cents, both integers, so that SQLite and PostgreSQL store exactly
the same values. SQLite's tables are STRICT. The ``info`` of each text or bytes column says what personal data it may
hold. A test fails for a column without it, so that no new column is missed when a person's data is exported or erased
(docs/decisions/erasure.md).
"""

from enum import StrEnum
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Float,
    Index,
    MetaData,
    Table,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects import sqlite

METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite numbers rows in INTEGER and has no BIGINT in strict tables; PostgreSQL's INTEGER ends at 2^31.
Big = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
Real = Float(53).with_variant(sqlite.REAL(), "sqlite")


class About(StrEnum):
    """The personal data that a column may hold."""

    PERSON = "person"
    """Who a person is, or what they wrote: exported with their rows, and erased."""
    SECRET = "secret"  # noqa: S105 - the name of a kind
    """The hash of a credential: never exported, deleted with its row."""
    PROSE = "prose"
    """Free text that may mention a person: searched and redacted."""
    THINGS = "things"
    """Vehicles, repairs, places and enumerations: not personal, but searched anyway."""


_ABOUT: Final = "about"
PERSON: Final[dict[Any, Any]] = {_ABOUT: About.PERSON}
SECRET: Final[dict[Any, Any]] = {_ABOUT: About.SECRET}
PROSE: Final[dict[Any, Any]] = {_ABOUT: About.PROSE}
THINGS: Final[dict[Any, Any]] = {_ABOUT: About.THINGS}


def about(column: Column[Any]) -> About | None:
    """Return the kind of personal data that a column may hold, or None for a column of numbers."""
    found: About | None = column.info.get(_ABOUT)
    return found


def table(name: str, *parts: Column[Any] | CheckConstraint | Index | UniqueConstraint) -> Table:
    """Add a table to ``METADATA``, and return it."""
    counted = isinstance(parts[0], Column) and parts[0].autoincrement is True
    # Never reuse an id, even after its row is deleted.
    return Table(name, METADATA, *parts, sqlite_strict=True, sqlite_autoincrement=counted)


def row_id() -> Column[int]:
    """Return the primary key column of a table that numbers its rows."""
    return Column("id", Big, primary_key=True, autoincrement=True)


def environment_check() -> CheckConstraint:
    """Return the check constraint for an ``environment`` column."""
    return CheckConstraint("environment IN ('test', 'live')", name="environment")


def where(condition: str) -> dict[str, Any]:
    """Return the options for a partial index with this condition, for both databases."""
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}
