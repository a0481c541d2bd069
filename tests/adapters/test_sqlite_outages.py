"""Outages of SQLite: each names its cause and what to do."""

import sqlite3
from pathlib import Path

import pytest

from repaircore.adapters.sqlite_outages import is_outage, outage


def _error(kind: type[sqlite3.DatabaseError], code: int, text: str) -> sqlite3.DatabaseError:
    error = kind(text)
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (sqlite3.SQLITE_BUSY, "The database is busy. Try again shortly."),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "The database is busy. Try again shortly."),
        (sqlite3.SQLITE_FULL, "The disk that holds the database is full."),
        (sqlite3.SQLITE_READONLY_DIRECTORY, "The database file is read-only. Check its permissions."),
        (sqlite3.SQLITE_IOERR_READ, "The database cannot be used: disk I/O error."),
    ],
)
def test_outage_names_its_cause(code: int, sentence: str) -> None:
    error = _error(sqlite3.OperationalError, code, "disk I/O error")

    assert is_outage(error)
    assert outage(error).message == sentence


def test_outage_of_a_file_that_is_no_database_says_so(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    file.write_text("dear diary " * 100)
    connection = sqlite3.connect(file)
    with pytest.raises(sqlite3.DatabaseError) as raised:
        connection.execute("SELECT * FROM sqlite_schema")
    connection.close()

    assert is_outage(raised.value)
    assert "is not an SQLite database" in outage(raised.value).message


@pytest.mark.parametrize(
    "error",
    [
        _error(sqlite3.OperationalError, sqlite3.SQLITE_ERROR, "no such table: x"),
        _error(sqlite3.IntegrityError, sqlite3.SQLITE_CONSTRAINT, "UNIQUE constraint failed"),
        sqlite3.OperationalError("without a code"),
        ValueError("another"),
    ],
    ids=repr,
)
def test_mistakes_in_statements_are_no_outage(error: Exception) -> None:
    assert not is_outage(error)
