"""Rate windows in the database, which all machines share (docs/decisions/rate-windows.md)."""

import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import count
from struct import pack, unpack
from typing import Final

import sqlalchemy as sa
from attrs import frozen
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.fast_path.driver import Driver
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
"""How many requests pass between deletions of expired windows, which would otherwise pile up in a flood of clients."""
_BATCH: Final = 256
_TRIES: Final = 2
"""How many times to try to change a window without a lock while other requests are faster."""

_READ: Final = {
    True: "SELECT log, 0 FROM rate_windows WHERE name = ?",
    False: (
        "SELECT log, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint)"
        " FROM rate_windows WHERE name = ?"
    ),
}
"""The query for a window and the server's time, by ``is_sqlite``: SQLite has no server, so its 0 is a placeholder."""
_SERVER_NANOSECONDS: Final = "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) * 1000"
_GIVEN_NANOSECONDS: Final = "CAST(? AS bigint)"
_LAST: Final = 7
"""An admission has eight bytes, so the last one begins this many bytes before the last byte of the log."""
_REPLACE: Final = "UPDATE rate_windows SET log = ?, over_at = ? WHERE name = ? AND log = ?"


@frozen
class _Hit:
    """The time of a request, and the admissions that count before it and after it (including itself, if admitted)."""

    now: int
    before: Sequence[int]
    after: Sequence[int]


class SqlWindows(Windows):
    """Windows as rows, each changed by compare-and-set, or locked while a place is acquired.

    With a ``driver``, PostgreSQL admits a request in one statement, and SQLite in two, instead of in a transaction.
    ``now`` returns nanoseconds since 1970 on a clock that all machines share; by default, the server's time counts, or
    this machine's with SQLite.
    """

    def __init__(
        self,
        database: Callable[[], Database],
        *,
        driver: Driver | None = None,
        now: Callable[[], int] | None = None,
    ) -> None:
        self._database = database
        self._driver = driver
        self._now = now
        self._requests = count(1)

    @override
    def acquire(self, subject: str, limit: Limit) -> Verdict:
        return self.hit(subject, limit).verdict

    @override
    def hit(self, subject: str, limit: Limit) -> WindowStatus:
        name = _name(subject, limit)
        hit = self._hit_unlocked(name, limit) or self._hit_locked(name, limit)
        if next(self._requests) % _TIDY_EVERY == 0:
            self._tidy(hit.now)
        return window_status(
            admitted=len(hit.after) > len(hit.before),
            count=len(hit.after),
            oldest=hit.after[0],
            now=hit.now,
            wall=hit.now,
            limit=limit,
        )

    @override
    def peek(self, subject: str, limit: Limit) -> Verdict:
        query = sa.select(rate_windows.c.log, self._time()).where(
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

    def _hit_unlocked(self, name: bytes, limit: Limit) -> _Hit | None:
        """Try to acquire a place without a lock; return None without a driver, or if the window is new or contended.

        If this takes a read and an update, the time is that of the read: nothing was admitted in between.
        """
        if self._driver is None:
            return None
        if not self._database().is_sqlite and (hit := self._admitted(self._driver, name, limit)) is not None:
            return hit
        for _ in range(_TRIES):
            row = self._driver.fetch_one(_READ[self._database().is_sqlite], (name,))
            if row is None:
                return None
            now = (self._local_time() if self._has_own_time else row[1]) * _MICRO
            before = recent(_unpacked(row[0]), now, limit)
            after = appended(before, now, limit)
            if len(after) == len(before):
                return _Hit(now, before, after)
            values = (_packed(after), _over_at(after, limit), name, row[0])
            if self._driver.execute(_REPLACE, values):
                return _Hit(now, before, after)
        return None

    def _admitted(self, driver: Driver, name: bytes, limit: Limit) -> _Hit | None:
        """Acquire a place in one PostgreSQL statement; return None if the window is new or full, or a clock was ahead.

        The time is that of the statement's arrival, even if it then waits for another one to end. If the connection
        breaks before the result is known, the driver repeats the statement: the request may be counted twice, but the
        limit is never exceeded.
        """
        if self._now is None:
            row = driver.fetch_one(_append(limit, _SERVER_NANOSECONDS), (name,))
        else:
            row = driver.fetch_one(_append(limit, _GIVEN_NANOSECONDS), (self._local_time() * _MICRO, name))
        if row is None:
            return None
        now = int(row[1])
        after = recent(_unpacked(row[0]), now, limit)
        return _Hit(now, after[:-1], after)

    def _hit_locked(self, name: bytes, limit: Limit) -> _Hit:
        with self._database().transaction() as connection:
            now, before = self._locked(connection, name, limit)
            after = appended(before, now, limit)
            if len(after) > len(before):
                connection.execute(
                    sa.update(rate_windows)
                    .where(rate_windows.c.name == name)
                    .values(log=_packed(after), over_at=_over_at(after, limit))
                )
        return _Hit(now, before, after)

    def _locked(self, connection: Connection, name: bytes, limit: Limit) -> tuple[int, Sequence[int]]:
        """Lock the window, creating it if necessary; return the time and the admissions that still count."""
        # Only an update is sure to see the row as the last writer left it, and the time after the wait.
        insert = upsert(connection, rate_windows).values(name=name, log=b"", over_at=0)
        upserted = insert.on_conflict_do_update(
            index_elements=[rate_windows.c.name], set_={"over_at": rate_windows.c.over_at}
        ).returning(rate_windows.c.log, self._time())
        stored, micros = connection.execute(upserted).one()
        now = micros * _MICRO
        return now, recent(_unpacked(stored), now, limit)

    @property
    def _has_own_time(self) -> bool:
        """Whether the time comes from a clock other than the server's."""
        return self._now is not None or self._database().is_sqlite

    def _time(self) -> sa.ColumnElement[int]:
        return sa.literal(self._local_time(), sa.BigInteger) if self._has_own_time else _SERVERS_TIME

    def _local_time(self) -> int:
        """Return the microseconds since 1970 on the clock that all machines share, if given, or on this machine's."""
        return (self._now or time.time_ns)() // _MICRO

    def _tidy(self, now: int) -> None:
        over = sa.select(rate_windows.c.name).where(rate_windows.c.over_at <= now // _MICRO)
        chosen = over.limit(_BATCH).with_for_update(skip_locked=True)
        try:
            with self._database().transaction() as connection:
                connection.execute(sa.delete(rate_windows).where(rate_windows.c.name.in_(chosen)))
        except Unavailable:
            pass  # the next request retries


def _name(subject: str, limit: Limit) -> bytes:
    # The byte order is part of the name: logs in another order, which earlier versions wrote, are other windows.
    return sha256(f"{subject}\n{limit.count}\n{limit.seconds}\n>".encode()).digest()


def _packed(log: Sequence[int]) -> bytes:
    return pack(f">{len(log)}q", *log)


def _unpacked(log: bytes) -> Sequence[int]:
    return unpack(f">{len(log) // 8}q", log)


@lru_cache(maxsize=64)
def _append(limit: Limit, now: str) -> str:
    """Return the statement that admits a request if its window has a place left, as ``recent`` and ``appended`` do.

    The oldest admission decides. At most two expired ones are dropped each time, one more than is added, so that the
    log does not grow and need not be searched. The statement returns the log and the time, which determine what counts.
    """
    window = limit.seconds * _SECOND
    last = f"GREATEST(t.now, {_admission(f'length(w.log) - {_LAST}')})"
    oldest_is_over = f"{_admission('1')} <= t.now - {window}"
    next_is_over = f"length(w.log) >= 16 AND {_admission('9')} <= t.now - {window}"
    dropped = (
        f"CASE WHEN {next_is_over} THEN 16 WHEN length(w.log) >= 8 AND {oldest_is_over} THEN 8 ELSE 0 END"
    )
    return (
        f"UPDATE rate_windows w SET log = substring(w.log FROM 1 + {dropped}) || int8send({last}),"  # noqa: S608 - of numbers
        f" over_at = ({last} + {window}) / {_MICRO} + 1 FROM (SELECT {now} AS now) t"
        f" WHERE w.name = ? AND (length(w.log) < {8 * limit.count} OR {oldest_is_over})"
        f" AND {_admission(f'length(w.log) - {_LAST}')} <= t.now + {window}"
        " RETURNING w.log, t.now"
    )


def _admission(position: str) -> str:
    """Return an SQL expression for the time at a position of the log, which is 0 if the log is empty."""
    return f"('x' || encode(substring(w.log FROM greatest(1, {position}) FOR 8), 'hex'))::bit(64)::bigint"


def _over_at(log: Sequence[int], limit: Limit) -> int:
    return (log[-1] + limit.seconds * _SECOND) // _MICRO + 1
