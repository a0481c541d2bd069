"""Health checks for the database."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from typing_extensions import override

from repaircore.adapters.sql.deliveries import SqlDeliveries
from repaircore.adapters.sql.engine import consistency
from repaircore.adapters.sql.engine.codec import micros, moment, moment_or_none
from repaircore.adapters.sql.engine.snapshot import consistent_read
from repaircore.adapters.sql.engine.storage import Storage
from repaircore.adapters.sql.imports import SqlImports
from repaircore.adapters.sql.job_leases import SqlJobLeases
from repaircore.adapters.sql.job_processes import running_jobs
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.adapters.sql.schema.operations import messages
from repaircore.adapters.sql.schema.payments import UNDER_WAY as UNDER_WAY_PAYMENTS
from repaircore.adapters.sql.schema.payments import payments
from repaircore.adapters.sql.schema.rides import businesses, drivers, rides
from repaircore.checkup.model import (
    DeadMessages,
    DurabilitySetting,
    QueueLength,
    RunningJobs,
    ServerConnections,
)
from repaircore.checkup.ports import DatabaseHealth
from repaircore.kernel.callers import Environment
from repaircore.kernel.imports import ImportRecord
from repaircore.messages.model import Channel
from repaircore.providers.model import OfferMode
from repaircore.rides.model import UNDER_WAY
from repaircore.webhooks.model import Backlog

_SQLITE: Final = (
    ("journal_mode", ("wal",)),
    ("synchronous", ("2", "3")),
    ("foreign_keys", ("1",)),
    ("secure_delete", ("1",)),
)
_MOST_FAULTS: Final = 3
"""How many faults of a damaged file are reported; more would add nothing."""
_POSTGRES: Final = (
    ("server_version", ()),
    ("server_encoding", ("UTF8",)),
    ("fsync", ("on",)),
    ("full_page_writes", ("on",)),
    ("synchronous_commit", ("on", "remote_apply", "remote_write", "local")),
    ("default_transaction_read_only", ("off",)),
)
_INVALID: Final = (
    "SELECT (SELECT count(*) FROM pg_index WHERE NOT indisvalid)"
    " + (SELECT count(*) FROM pg_constraint WHERE NOT convalidated)"
)
_NEWEST_WRITES: Final = (
    "SELECT max(computed_at) FROM remembered",
    "SELECT created_at FROM predictions ORDER BY id DESC LIMIT 1",
    "SELECT created_at FROM transactions ORDER BY id DESC LIMIT 1",
    "SELECT created_at FROM feedback ORDER BY id DESC LIMIT 1",
    "SELECT created_at FROM users ORDER BY id DESC LIMIT 1",
    "SELECT at FROM audit ORDER BY id DESC LIMIT 1",
)
_CONNECTIONS: Final = (
    "SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),"
    " current_setting('max_connections')::int, current_setting('superuser_reserved_connections')::int"
)
_CLOCK: Final = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)"


class SqlDatabaseHealth(DatabaseHealth):
    """Checks the health of a storage's database."""

    head: Final = Storage.head

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    @property
    @override
    def file(self) -> Path | None:
        return self._storage.path

    @override
    def revision(self) -> str | None:
        return self._storage.revision()

    @override
    def upgrade_blocker(self) -> str | None:
        return self._storage.upgrade_blocker()

    @override
    def book_edition(self) -> str | None:
        return self._storage.book_edition()

    @override
    def questionnaire_edition(self) -> str | None:
        return self._storage.questionnaire_edition()

    @override
    def durability(self, *, deep: bool) -> Sequence[DurabilitySetting]:
        if self.file is None:
            settings = [
                self._setting(name, f"SELECT current_setting('{name}')", fine) for name, fine in _POSTGRES
            ]
            return [*settings, self._setting("invalid indexes and constraints", _INVALID, ("0",))]
        settings = [self._setting(name, f"PRAGMA {name}", fine) for name, fine in _SQLITE]
        check = "integrity_check" if deep else "quick_check"
        return [*settings, self._setting(check, f"PRAGMA {check}({_MOST_FAULTS})", ("ok",))]

    def _setting(self, name: str, sql: str, accepted: tuple[str, ...]) -> DurabilitySetting:
        row = self._storage.driver.fetch_one(sql, ())
        return DurabilitySetting(name, "" if row is None else str(row[0]), accepted)

    @override
    def clock(self) -> datetime | None:
        if self.file is not None:
            return None
        row = self._storage.driver.fetch_one(_CLOCK, ())
        return None if row is None else moment(int(row[0])).astimezone(UTC)

    @override
    def newest_write(self) -> datetime | None:
        if self.file is not None and not self.file.exists():
            return None
        rows = [self._storage.driver.fetch_one_if_exists(sql) for sql in _NEWEST_WRITES]
        times = [row[0] for row in rows if row is not None and row[0] is not None]
        return moment(max(times)) if times else None

    @override
    def unfinished_imports(self) -> Sequence[ImportRecord]:
        with self._storage.database.transaction(write=False) as connection:
            return SqlImports(connection).list_unfinished()

    @override
    def missing_tables(self) -> Sequence[str]:
        with self._storage.database.transaction(write=False) as connection:
            existing = set(sa.inspect(connection).get_table_names())
        return [table.name for table in METADATA.sorted_tables if table.name not in existing]

    @override
    def discrepancies(self, *, deep: bool) -> Sequence[str]:
        with consistent_read(self._storage.database) as connection:
            return [
                *consistency.quick_discrepancies(connection),
                *(consistency.deep_discrepancies(connection) if deep else ()),
            ]

    @override
    def server_connections(self) -> ServerConnections | None:
        if self.file is not None:
            return None
        used, most, reserved = self._storage.driver.fetch_one(_CONNECTIONS, ()) or (0, 0, 0)
        return ServerConnections(used=used, most=most, reserved=reserved)

    @override
    def running_jobs(self, *, now: datetime) -> RunningJobs:
        with self._storage.database.transaction(write=False) as connection:
            return running_jobs(connection, now)

    @override
    def backlog(self, *, now: datetime) -> Backlog:
        with self._storage.database.transaction(write=False) as connection:
            return SqlDeliveries(connection).get_backlog(now=now)

    @override
    def stale_rides(self, *, since: datetime) -> QueueLength:
        found = sa.select(sa.func.count(), sa.func.min(rides.c.updated_at)).where(
            rides.c.environment == Environment.LIVE,
            rides.c.status.in_(UNDER_WAY),
            rides.c.updated_at <= micros(since),
        )
        with self._storage.database.transaction(write=False) as connection:
            number, oldest = connection.execute(found).one()
        return QueueLength(number=number, oldest=moment_or_none(oldest))

    @override
    def asked_providers(self, channels: AbstractSet[Channel]) -> tuple[int, int]:
        total = unreachable = 0
        with self._storage.database.transaction(write=False) as connection:
            for table in (drivers, businesses):
                contacts = {
                    Channel.EMAIL: table.c.email,
                    Channel.SMS: table.c.phone,
                    Channel.WEBHOOK: table.c.webhook_url,
                }
                known = sa.and_(*(contacts[channel].is_(None) for channel in sorted(channels)))
                counted = sa.select(
                    sa.func.count(), sa.func.coalesce(sa.func.sum(sa.case((known, 1), else_=0)), 0)
                ).where(
                    table.c.environment == Environment.LIVE,
                    table.c.active == 1,
                    table.c.offers == OfferMode.ASKED,
                )
                number, lost = connection.execute(counted).one()
                total, unreachable = total + number, unreachable + int(lost)
        return total, unreachable

    @override
    def dead_messages(self, *, since: datetime) -> Mapping[Channel, DeadMessages]:
        dead = (
            sa.select(messages.c.channel, messages.c.last_error)
            .where(sa.text("state = 'dead'"), messages.c.ended_at >= micros(since))
            .order_by(messages.c.ended_at)
        )
        with self._storage.database.transaction(write=False) as connection:
            reasons: dict[Channel, list[str]] = {}
            for row in connection.execute(dead):
                reasons.setdefault(Channel(row.channel), []).append(row.last_error or "")
        return {
            channel: DeadMessages(number=len(found), reason=found[-1]) for channel, found in reasons.items()
        }

    @override
    def stuck_payments(self, *, since: datetime) -> QueueLength:
        pending = sa.select(sa.func.count(), sa.func.min(payments.c.updated_at)).where(
            sa.text(UNDER_WAY_PAYMENTS), payments.c.updated_at <= micros(since)
        )
        with self._storage.database.transaction(write=False) as connection:
            number, oldest = connection.execute(pending).one()
        return QueueLength(number=number, oldest=moment_or_none(oldest))

    @override
    def failed_jobs(self) -> Mapping[str, str]:
        with self._storage.database.transaction(write=False) as connection:
            leases = SqlJobLeases(connection).list_all()
        return {lease.name: lease.failure for lease in leases if lease.failure is not None}

    @override
    def leftover_files(self) -> Sequence[Path]:
        if self.file is None:
            return []
        return [path for path in (self.file.with_name(self.file.name + ".restoring"),) if path.exists()]
