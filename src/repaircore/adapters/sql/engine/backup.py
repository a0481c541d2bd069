"""The database as a whole: looked at, and replaced all at once."""

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.restore import PostgresTarget, SqliteTarget
from repaircore.adapters.sql.engine.snapshot import OF_THE_MOMENT, snapshot
from repaircore.adapters.sql.engine.write_queue import SUFFIX, WriteQueue
from repaircore.adapters.sql.schema import migrate
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.backups.errors import DatabaseInUse
from repaircore.backups.ports import Snapshot, Target, Vault
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.types import Lazy
from repaircore.questionnaire.editions import OPERATORS

_BROUGHT_ALONG: Final = OF_THE_MOMENT | {"problems", "questionnaire_categories", "questions", "settings"}
_EDITION: Final = "_edition"
"""How the settings end that tell what was brought along."""
_BESIDE: Final = ("-wal", "-shm")


class SqlVault(Vault):
    """A database; others may keep it from being replaced for ``patience`` seconds."""

    def __init__(self, database: Lazy[Database], *, patience: float = 5.0) -> None:
        self._later = database
        self._patience = patience

    @property
    def _database(self) -> Database:
        return self._later()

    @override
    def snapshot(self) -> AbstractContextManager[Snapshot]:
        return snapshot(self._database)

    @override
    def holds_data(self) -> bool:
        path = self._database.path
        if path is not None and not path.exists():
            return False
        if path is not None and _is_damaged(path):
            return True
        with self._database.transaction(write=False) as connection:
            obstacle = migrate.obstacle_of(connection)
            if obstacle:
                raise Unavailable(obstacle)
            return _holds_data(connection)

    @override
    def replacing(self, revision: str, *, room: int) -> AbstractContextManager[Target]:
        path = self._database.path
        return self._in_a_transaction(revision) if path is None else self._in_a_file(path, revision, room)

    @contextmanager
    def _in_a_transaction(self, revision: str) -> Iterator[Target]:
        with migrate.alone(self._database) as connection:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{int(self._patience * 1000)}ms'")
            try:
                METADATA.drop_all(connection)
            except sa.exc.OperationalError as error:  # somebody holds a table
                raise DatabaseInUse from error
            connection.exec_driver_sql("DROP TABLE IF EXISTS alembic_version")
            migrate.bring(connection, revision)
            yield PostgresTarget(connection)

    @contextmanager
    def _in_a_file(self, path: Path, revision: str, room: int) -> Iterator[Target]:
        made = path.with_name(path.name + ".restoring")
        _forget(made)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _require_room(path, room)
            database = Database(f"sqlite:///{made}")
            try:
                with migrate.alone(database) as connection:
                    migrate.bring(connection, revision)
                    yield SqliteTarget(connection)
            finally:
                database.close()
            self._database.close()
            _put_in_place(made, path, self._patience)
        finally:
            _forget(made)


def _holds_data(connection: Connection) -> bool:
    there = set(sa.inspect(connection).get_table_names())
    for table in METADATA.sorted_tables:
        if table.name in there and table.name not in _BROUGHT_ALONG:
            query = sa.text(f"SELECT EXISTS (SELECT 1 FROM {table.name})")  # noqa: S608 - our own name
            if connection.execute(query).scalar_one():
                return True
    if "settings" not in there:
        return False
    kept = connection.execute(sa.text("SELECT name, value FROM settings"))
    return any(not row.name.endswith(_EDITION) or row.value == OPERATORS for row in kept)


def _is_damaged(path: Path) -> bool:
    """Return whether SQLite can make nothing of a file."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("SELECT name FROM sqlite_master").fetchall()
    except sqlite3.DatabaseError as error:
        return error.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}
    return False


def _require_room(path: Path, room: int) -> None:
    free = shutil.disk_usage(path.parent).free
    if free < room:
        raise Unavailable(
            f"The restored database needs about {room / 1024**3:.1f} GB, and {free / 1024**3:.1f} GB are free."
        )


def _put_in_place(made: Path, path: Path, patience: float) -> None:
    if path.exists() and _is_damaged(path):
        for end in (*_BESIDE, ""):
            with suppress(FileNotFoundError):
                path.with_name(path.name + end).replace(path.with_name(path.name + ".damaged" + end))
    if path.exists():
        _written_over(made, path, patience)
    else:
        made.replace(path)
        _keep_name(path)


def _keep_name(path: Path) -> None:
    """Make sure that a power cut does not take the new name away."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _written_over(made: Path, path: Path, patience: float) -> None:
    """Copy a database into another in one transaction: those who have it open see the one, then the other.

    Putting the file in the place of the old one would leave them with a file that has no name any more.
    """
    until = time.monotonic() + patience

    def patient(_status: int, _remaining: int, _total: int) -> None:
        if time.monotonic() > until:
            raise DatabaseInUse

    with closing(sqlite3.connect(made)) as source, closing(sqlite3.connect(path, timeout=patience)) as place:
        place.execute("PRAGMA synchronous=FULL")
        with WriteQueue(path).turn(place):
            source.backup(place, progress=patient, sleep=0.05)
            place.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _forget(made: Path) -> None:
    for end in ("", *_BESIDE, SUFFIX):
        made.with_name(made.name + end).unlink(missing_ok=True)
