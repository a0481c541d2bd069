"""Erased data does not remain in a SQLite file or its journals."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from repaircore.adapters.sql.engine.file_scan import sweep
from repaircore.persons.exported_marks import PersonalMarks

ADA = PersonalMarks(emails={"ada@example.com"})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file with a deleted mark that remains in a page not yet overwritten."""
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete=OFF")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE notes (text TEXT)")
        connection.executemany("INSERT INTO notes VALUES (?)", [("Ada@Example.com",), ("eve@example.com",)])
        connection.execute("DELETE FROM notes WHERE text LIKE 'Ada%'")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert ADA.occur_in_bytes(path.read_bytes())
    return path


def test_old_copy_is_overwritten(file: Path) -> None:
    assert sweep(file, ADA) == []
    assert not ADA.occur_in_bytes(file.read_bytes())
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT text FROM notes").fetchall() == [("eve@example.com",)]


def test_journal_is_emptied(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("INSERT INTO notes VALUES ('ada@example.com')")
        connection.execute("DELETE FROM notes WHERE text = 'ada@example.com'")
        assert ADA.occur_in_bytes(file.with_name("shop.db-wal").read_bytes())
        assert sweep(file, ADA) == []
        assert file.with_name("shop.db-wal").read_bytes() == b""


def test_sweep_reports_a_journal_that_is_still_read(file: Path) -> None:
    with (
        closing(sqlite3.connect(file, isolation_level=None)) as reader,
        closing(sqlite3.connect(file, isolation_level=None)) as writer,
    ):
        writer.execute("INSERT INTO notes VALUES ('ada@example.com')")
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM notes").fetchall()
        writer.execute("DELETE FROM notes WHERE text = 'ada@example.com'")
        (finding,) = sweep(file, ADA, seconds=0.1)
        assert finding.startswith(f"{file}-wal: another connection is still reading")
        reader.execute("COMMIT")
        assert sweep(file, ADA) == []
