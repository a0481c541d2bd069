"""Which errors of SQLite are outages, and what operators read about each; PostgreSQL's are in ``postgres.outages``."""

import sqlite3
from collections.abc import Mapping
from typing import Final

from repaircore.kernel.errors import Unavailable

_BUSY: Final = "The database is busy. Try again shortly."
_SENTENCES: Final[Mapping[int, str]] = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_CANTOPEN: "The database file cannot be opened. Check that it is a file, that its folder exists, and the permissions of both.",
    sqlite3.SQLITE_CORRUPT: "The database file is damaged. Restore a backup.",
    sqlite3.SQLITE_FULL: "The disk that holds the database is full.",
    sqlite3.SQLITE_NOTADB: "The database file is not an SQLite database. Check the address of the database.",
    sqlite3.SQLITE_READONLY: "The database file is read-only. Check its permissions.",
}


def is_outage(error: BaseException | None) -> bool:
    """Return whether an error means that SQLite is unavailable: busy, full, unreadable or not a database."""
    if isinstance(error, sqlite3.OperationalError):
        return _code(error) != sqlite3.SQLITE_ERROR
    return _code(error) in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}


def outage(error: BaseException | None) -> Unavailable:
    """Return the failure for an outage: its cause and what to do, or else SQLite's own words, which name no file."""
    return Unavailable(_SENTENCES.get(_code(error), f"The database cannot be used: {error}."))


def _code(error: BaseException | None) -> int:
    """Return the primary result code of an error; ``SQLITE_ERROR`` if it has none."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return code
