"""The metadata that all tables share, and what their columns are made of.

Times are microseconds since 1970 in UTC and money is cents, both whole numbers, so that SQLite and PostgreSQL keep exactly the
same values. SQLite's tables are STRICT. Each column of texts or bytes says in ``info`` what it may tell of a person: a test
fails for one that does not, so that no new column is forgotten when a person is exported or erased (docs/decisions/erasure.md).
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

# SQLite counts rows in INTEGER and knows no BIGINT in strict tables; PostgreSQL's INTEGER ends at 2^31.
Big = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
Real = Float(53).with_variant(sqlite.REAL(), "sqlite")


class About(StrEnum):
    """What a column may tell of a person."""

    PERSON = "person"
    """Who somebody is, or what they said: in the export of their rows, and gone after the erasure."""
    SECRET = "secret"  # noqa: S105 - the name of a kind
    """A hash of what proves somebody: never exported, gone with its row."""
    PROSE = "prose"
    """Free text, in which somebody may be mentioned: searched, and what is found is struck out."""
    THINGS = "things"
    """Vehicles, repairs, places, words of a list. It is searched all the same."""


_ABOUT: Final = "about"
PERSON: Final[dict[Any, Any]] = {_ABOUT: About.PERSON}
SECRET: Final[dict[Any, Any]] = {_ABOUT: About.SECRET}
PROSE: Final[dict[Any, Any]] = {_ABOUT: About.PROSE}
THINGS: Final[dict[Any, Any]] = {_ABOUT: About.THINGS}


def about(column: Column[Any]) -> About | None:
    """Return what a column may tell of a person; None for a number."""
    found: About | None = column.info.get(_ABOUT)
    return found


def table(name: str, *parts: Column[Any] | CheckConstraint | Index | UniqueConstraint) -> Table:
    """Return a table of ``METADATA``."""
    counted = isinstance(parts[0], Column) and parts[0].autoincrement is True
    # A number is never given twice, also after its row is gone.
    return Table(name, METADATA, *parts, sqlite_strict=True, sqlite_autoincrement=counted)


def row_id() -> Column[int]:
    """Return the key of a table that numbers its rows."""
    return Column("id", Big, primary_key=True, autoincrement=True)


def environment_check() -> CheckConstraint:
    """Return the check of a column ``environment``."""
    return CheckConstraint("environment IN ('test', 'live')", name="environment")


def where(condition: str) -> dict[str, Any]:
    """Return the options of an index of those rows only that a condition holds for."""
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}
