"""Remove copies of erased data from the files of a SQLite database."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from repaircore.adapters.fast_path.write_queue import WriteQueue
from repaircore.persons.exported_marks import PersonalMarks

_CHUNK: Final = 4 * 1024 * 1024
_LONGEST_MARK: Final = 1024


def sweep(path: Path, marks: PersonalMarks, *, seconds: float = 10.0) -> Sequence[str]:
    """Empty the journal, and rewrite the file if it still contains a mark; return a sentence per file left uncleaned.

    Others may use the database meanwhile; waiting for a lock takes at most ``seconds`` each time. Deleted rows are
    overwritten (``secure_delete``), but SQLite may have left a copy behind when it split a page.
    """
    journal = path.with_name(path.name + "-wal")
    queue = WriteQueue(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA busy_timeout={int(seconds * 1000)}")
        connection.execute("PRAGMA secure_delete=ON")
        is_emptied = _empty_journal(connection, queue)
        if is_emptied and _contains(path, marks):
            with queue.turn(connection):
                connection.execute("VACUUM")
            is_emptied = _empty_journal(connection, queue)
    if not is_emptied and journal.exists() and _contains(journal, marks):
        return [
            f"{journal}: another connection is still reading the old data, which is removed once it closes"
        ]
    return []


def _empty_journal(connection: sqlite3.Connection, queue: WriteQueue) -> bool:
    with queue.turn(connection):
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _contains(path: Path, marks: PersonalMarks) -> bool:
    with path.open("rb") as file:
        tail = b""
        while chunk := file.read(_CHUNK):
            if marks.occur_in_bytes(tail + chunk):
                return True
            tail = chunk[-_LONGEST_MARK:]
    return False
