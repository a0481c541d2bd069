"""Snapshot and replace the whole database."""

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

from repaircore.adapters.fast_path.write_queue import SUFFIX, WriteQueue
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.restore import PostgresTarget, SqliteTarget
from repaircore.adapters.sql.engine.snapshot import EPHEMERAL_TABLES, snapshot
from repaircore.adapters.sql.schema import migrate
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.backups.errors import DatabaseInUse
from repaircore.backups.ports import Snapshot, Target, Vault
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.types import Lazy
from repaircore.questionnaire.editions import OPERATORS

_SHIPPED_TABLES: Final = EPHEMERAL_TABLES | {"problems", "questionnaire_categories", "questions", "settings"}
_EDITION: Final = "_edition"
"""The suffix of the settings that record which shipped data was imported."""
_JOURNALS: Final = ("-wal", "-shm")


class SqlVault(Vault):
    """A database to back up or replace. A replacement waits up to ``patience`` seconds for other users."""

    def __init__(self, database: Lazy[Database], *, patience: float = 5.0) -> None:
        self._lazy_database = database
        self._patience = patience

    @property
    def _database(self) -> Database:
        return self._lazy_database()

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
            blocker = migrate.upgrade_blocker_of(connection)
            if blocker:
                raise Unavailable(blocker)
            return _holds_data(connection)

    @override
    def replace(self, revision: str, *, room: int) -> AbstractContextManager[Target]:
        path = self._database.path
        return self._in_a_transaction(revision) if path is None else self._in_a_file(path, revision, room)

    @contextmanager
    def _in_a_transaction(self, revision: str) -> Iterator[Target]:
        with migrate.exclusive(self._database) as connection:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{int(self._patience * 1000)}ms'")
            try:
                METADATA.drop_all(connection)
            except sa.exc.OperationalError as error:  # another session has locked a table
                raise DatabaseInUse from error
            connection.exec_driver_sql("DROP TABLE IF EXISTS alembic_version")
            migrate.upgrade_to(connection, revision)
            yield PostgresTarget(connection)

    @contextmanager
    def _in_a_file(self, path: Path, revision: str, room: int) -> Iterator[Target]:
        restored = path.with_name(path.name + ".restoring")
        _delete(restored)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _require_room(path, room)
            database = Database(f"sqlite:///{restored}")
            try:
                with migrate.exclusive(database) as connection:
                    migrate.upgrade_to(connection, revision)
                    yield SqliteTarget(connection)
            finally:
                database.close()
            self._database.close()
            _replace(restored, path, self._patience)
        finally:
            _delete(restored)


def _holds_data(connection: Connection) -> bool:
    existing = set(sa.inspect(connection).get_table_names())
    for table in METADATA.sorted_tables:
        if table.name in existing and table.name not in _SHIPPED_TABLES:
            query = sa.text(f"SELECT EXISTS (SELECT 1 FROM {table.name})")  # noqa: S608 - a table of the schema
            if connection.execute(query).scalar_one():
                return True
    if "settings" not in existing:
        return False
    rows = connection.execute(sa.text("SELECT name, value FROM settings"))
    return any(not row.name.endswith(_EDITION) or row.value == OPERATORS for row in rows)


def _is_damaged(path: Path) -> bool:
    """Return whether SQLite cannot read a file."""
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
            f"The restored database needs about {room / 1024**3:.1f} GB, but only {free / 1024**3:.1f} GB is free. Free up disk space and try again."
        )


def _replace(restored: Path, path: Path, patience: float) -> None:
    if path.exists() and _is_damaged(path):
        for suffix in (*_JOURNALS, ""):
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).replace(path.with_name(path.name + ".damaged" + suffix))
    if path.exists():
        _overwrite(restored, path, patience)
    else:
        restored.replace(path)
        _sync_folder(path)


def _sync_folder(path: Path) -> None:
    """Sync the folder of a renamed file, so that the new name survives a power failure."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _overwrite(restored: Path, path: Path, patience: float) -> None:
    """Copy one database over another in one transaction, so that open connections switch from the old data to the new.

    Renaming the file would leave them with a deleted file.
    """
    deadline = time.monotonic() + patience

    def check_deadline(_status: int, _remaining: int, _total: int) -> None:
        if time.monotonic() > deadline:
            raise DatabaseInUse

    with (
        closing(sqlite3.connect(restored)) as source,
        closing(sqlite3.connect(path, timeout=patience)) as target,
    ):
        target.execute("PRAGMA synchronous=FULL")
        with WriteQueue(path).turn(target):
            source.backup(target, progress=check_deadline, sleep=0.05)
            target.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _delete(database: Path) -> None:
    for suffix in ("", *_JOURNALS, SUFFIX):
        database.with_name(database.name + suffix).unlink(missing_ok=True)
