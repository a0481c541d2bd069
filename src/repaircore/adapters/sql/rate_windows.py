"""Rate windows in the database, which all machines share (docs/decisions/rate-windows.md)."""

import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import count
from struct import pack, unpack
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.operations import rate_windows
from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.ports import Windows
from repaircore.limits.window import appended, recent, window_status

_MICRO: Final = 1_000
"""Nanoseconds in a microsecond, the unit of ``over_at``."""
_SECOND: Final = 1_000_000_000
_SERVERS_TIME: Final[sa.ColumnElement[int]] = sa.literal_column(
    "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint)"
)
_TIDY_EVERY: Final = 64
"""How many requests pass between two deletions of expired windows, with which a flood of clients would fill the table."""
_BATCH: Final = 256


class SqlWindows(Windows):
    """A row for each window, locked while a place is acquired.

    ``now`` returns nanoseconds since 1970 on a clock that all share; without it, the server's time counts, or this
    machine's with SQLite.
    """

    def __init__(self, database: Callable[[], Database], *, now: Callable[[], int] | None = None) -> None:
        self._database = database
        self._now = now
        self._requests = count(1)

    @override
    def acquire(self, subject: str, limit: Limit) -> Verdict:
        return self.hit(subject, limit).verdict

    @override
    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        name = _name(subject, limit)
        with self._database().transaction() as connection:
            now, log = self._locked(connection, name, limit)
            after = appended(log, now, limit)
            if admitted := len(after) > len(log):
                connection.execute(
                    sa.update(rate_windows)
                    .where(rate_windows.c.name == name)
                    .values(log=_packed(after), over_at=_over_at(after, limit))
                )
        if next(self._requests) % _TIDY_EVERY == 0:
            self._tidy(now)
        return window_status(
            admitted=admitted, count=len(after), oldest=after[0], now=now, wall=now, limit=limit
        )

    @override
    def peek(self, subject: str, limit: Limit) -> Verdict:
        query = sa.select(rate_windows.c.log, self._time(self._database())).where(
            rate_windows.c.name == _name(subject, limit)
        )
        with self._database().transaction(write=False) as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return Verdict(admitted=True)
        now = row[1] * _MICRO
        log = recent(_unpacked(row[0]), now, limit)
        if len(log) < limit.count:
            return Verdict(admitted=True)
        return window_status(
            admitted=False, count=len(log), oldest=log[0], now=now, wall=now, limit=limit
        ).verdict

    @override
    def close(self) -> None:
        """Do nothing: the database is closed by its owner."""

    def _locked(self, connection: Connection, name: bytes, limit: Limit) -> tuple[int, Sequence[int]]:
        """Lock the window, created if need be, and return the time and the admissions that count."""
        # Only an update is sure to see the row as the last writer left it, and the time after the wait.
        insert = upsert(connection, rate_windows).values(name=name, log=b"", over_at=0)
        upserted = insert.on_conflict_do_update(
            index_elements=[rate_windows.c.name], set_={"over_at": rate_windows.c.over_at}
        ).returning(rate_windows.c.log, self._time(self._database()))
        stored, micros = connection.execute(upserted).one()
        now = micros * _MICRO
        return now, recent(_unpacked(stored), now, limit)

    def _time(self, database: Database) -> sa.ColumnElement[int]:
        if self._now is not None or database.is_sqlite:
            return sa.literal((self._now or time.time_ns)() // _MICRO, sa.BigInteger)
        return _SERVERS_TIME

    def _tidy(self, now: int) -> None:
        over = sa.select(rate_windows.c.name).where(rate_windows.c.over_at <= now // _MICRO)
        chosen = over.limit(_BATCH).with_for_update(skip_locked=True)
        try:
            with self._database().transaction() as connection:
                connection.execute(sa.delete(rate_windows).where(rate_windows.c.name.in_(chosen)))
        except Unavailable:
            pass  # the next request retries


def _name(subject: str, limit: Limit) -> bytes:
    return sha256(f"{subject}\n{limit.count}\n{limit.seconds}".encode()).digest()


def _packed(log: Sequence[int]) -> bytes:
    return pack(f"<{len(log)}q", *log)


def _unpacked(log: bytes) -> Sequence[int]:
    return unpack(f"<{len(log) // 8}q", log)


def _over_at(log: Sequence[int], limit: Limit) -> int:
    return (log[-1] + limit.seconds * _SECOND) // _MICRO + 1
