"""The database, asked about itself."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from typing_extensions import override

from repaircore.adapters.sql.deliveries import SqlDeliveries
from repaircore.adapters.sql.engine import consistency
from repaircore.adapters.sql.engine.codec import micros, moment, moment_or_none
from repaircore.adapters.sql.engine.snapshot import consistent
from repaircore.adapters.sql.engine.storage import Storage
from repaircore.adapters.sql.imports import SqlImports
from repaircore.adapters.sql.job_turns import SqlJobTurns
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.adapters.sql.schema.rides import rides
from repaircore.checkup.model import DurabilitySetting, QueueLength
from repaircore.checkup.ports import DatabaseCondition
from repaircore.kernel.callers import Environment
from repaircore.kernel.imports import ImportRecord
from repaircore.rides.model import UNDER_WAY
from repaircore.webhooks.model import Backlog

_SQLITE: Final = (
    ("journal_mode", ("wal",)),
    ("synchronous", ("2", "3")),
    ("foreign_keys", ("1",)),
    ("secure_delete", ("1",)),
)
_FAULTS: Final = 3
"""So many faults of a damaged file are told; a hundred say no more."""
_POSTGRES: Final = (
    ("server_version", ()),
    ("server_encoding", ("UTF8",)),
    ("fsync", ("on",)),
    ("full_page_writes", ("on",)),
    ("synchronous_commit", ("on", "remote_apply", "remote_write", "local")),
    ("default_transaction_read_only", ("off",)),
)
_UNSOUND: Final = (
    "SELECT (SELECT count(*) FROM pg_index WHERE NOT indisvalid)"
    " + (SELECT count(*) FROM pg_constraint WHERE NOT convalidated)"
)
_NEWEST: Final = (
    "SELECT max(computed_at) FROM remembered",
    "SELECT created_at FROM predictions ORDER BY id DESC LIMIT 1",
    "SELECT created_at FROM transactions ORDER BY id DESC LIMIT 1",
    "SELECT created_at FROM feedback ORDER BY id DESC LIMIT 1",
    "SELECT created_at FROM users ORDER BY id DESC LIMIT 1",
    "SELECT at FROM audit ORDER BY id DESC LIMIT 1",
)
_CLOCK: Final = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)"


class SqlCondition(DatabaseCondition):
    """A database by its storage."""

    head: Final = Storage.head

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    @property
    @override
    def file(self) -> Path | None:
        return self._storage.path

    @override
    def standing(self) -> str | None:
        return self._storage.standing()

    @override
    def obstacle(self) -> str | None:
        return self._storage.obstacle()

    @override
    def edition(self) -> str | None:
        return self._storage.edition()

    @override
    def questionnaire_edition(self) -> str | None:
        return self._storage.questionnaire_edition()

    @override
    def durability(self, *, deep: bool) -> Sequence[DurabilitySetting]:
        if self.file is None:
            told = [self._told(name, f"SELECT current_setting('{name}')", fine) for name, fine in _POSTGRES]
            return [*told, self._told("unsound indexes and references", _UNSOUND, ("0",))]
        told = [self._told(name, f"PRAGMA {name}", fine) for name, fine in _SQLITE]
        check = "integrity_check" if deep else "quick_check"
        return [*told, self._told(check, f"PRAGMA {check}({_FAULTS})", ("ok",))]

    def _told(self, name: str, sql: str, fine: tuple[str, ...]) -> DurabilitySetting:
        row = self._storage.driver.one(sql, ())
        return DurabilitySetting(name, "" if row is None else str(row[0]), fine)

    @override
    def clock(self) -> datetime | None:
        if self.file is not None:
            return None
        row = self._storage.driver.one(_CLOCK, ())
        return None if row is None else moment(int(row[0])).astimezone(UTC)

    @override
    def newest(self) -> datetime | None:
        if self.file is not None and not self.file.exists():
            return None
        rows = [self._storage.driver.one_if_there(sql) for sql in _NEWEST]
        times = [row[0] for row in rows if row is not None and row[0] is not None]
        return moment(max(times)) if times else None

    @override
    def unfinished_imports(self) -> Sequence[ImportRecord]:
        with self._storage.database.transaction(write=False) as connection:
            return SqlImports(connection).list_unfinished()

    @override
    def missing(self) -> Sequence[str]:
        with self._storage.database.transaction(write=False) as connection:
            there = set(sa.inspect(connection).get_table_names())
        return [table.name for table in METADATA.sorted_tables if table.name not in there]

    @override
    def discrepancies(self, *, deep: bool) -> Sequence[str]:
        with consistent(self._storage.database) as connection:
            return [*consistency.counted(connection), *(consistency.added_up(connection) if deep else ())]

    @override
    def backlog(self, *, now: datetime) -> Backlog:
        with self._storage.database.transaction(write=False) as connection:
            return SqlDeliveries(connection).get_backlog(now=now)

    @override
    def standing_rides(self, *, since: datetime) -> QueueLength:
        found = sa.select(sa.func.count(), sa.func.min(rides.c.updated_at)).where(
            rides.c.environment == Environment.LIVE,
            rides.c.status.in_(UNDER_WAY),
            rides.c.updated_at <= micros(since),
        )
        with self._storage.database.transaction(write=False) as connection:
            number, oldest = connection.execute(found).one()
        return QueueLength(number=number, oldest=moment_or_none(oldest))

    @override
    def failed_jobs(self) -> Mapping[str, str]:
        with self._storage.database.transaction(write=False) as connection:
            turns = SqlJobTurns(connection).all()
        return {turn.name: turn.failure for turn in turns if turn.failure is not None}

    @override
    def left_over(self) -> Sequence[Path]:
        if self.file is None:
            return []
        return [path for path in (self.file.with_name(self.file.name + ".restoring"),) if path.exists()]
