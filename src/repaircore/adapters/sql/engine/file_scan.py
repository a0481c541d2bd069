"""Seeing to it that what was erased does not lie on in the files of a SQLite database."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from repaircore.adapters.sql.engine.write_queue import WriteQueue
from repaircore.persons.exported_marks import PersonalMarks

_CHUNK: Final = 4 * 1024 * 1024
_LONGEST_MARK: Final = 1024


def sweep(path: Path, marks: PersonalMarks, *, seconds: float = 10.0) -> Sequence[str]:
    """Empty the journal, and write the file anew when an old copy of a mark lies in it; name what could not be done.

    Others may use the database meanwhile; they are waited for at most so many seconds. What is deleted is overwritten (``secure_delete``), but SQLite may have left a copy behind when it divided a page.
    """
    journal = path.with_name(path.name + "-wal")
    queue = WriteQueue(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA busy_timeout={int(seconds * 1000)}")
        connection.execute("PRAGMA secure_delete=ON")
        emptied = _emptied(connection, queue)
        if emptied and _lie_in(path, marks):
            with queue.turn(connection):
                connection.execute("VACUUM")
            emptied = _emptied(connection, queue)
    if not emptied and journal.exists() and _lie_in(journal, marks):
        return [f"{journal}: somebody still reads what was there before; it goes when they are done"]
    return []


def _emptied(connection: sqlite3.Connection, queue: WriteQueue) -> bool:
    with queue.turn(connection):
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _lie_in(path: Path, marks: PersonalMarks) -> bool:
    with path.open("rb") as file:
        kept = b""
        while chunk := file.read(_CHUNK):
            if marks.lie_in(kept + chunk):
                return True
            kept = chunk[-_LONGEST_MARK:]
    return False
