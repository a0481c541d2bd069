"""P7: what a place in a rate window costs, wherever windows are kept (docs/decisions/rate-windows.md)."""

import os
import secrets
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import psycopg
import redis
import sqlalchemy as sa

from bench.installation import postgres_database
from bench.table import Row, exactly, interleaved, print_table, ratio_of, tell
from repaircore.adapters.fast_path.driver import SQLITE_SETTINGS
from repaircore.adapters.fast_path.shared_files import SharedFileWindows
from repaircore.adapters.redis.windows import RedisWindows
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.rate_windows import SqlWindows
from repaircore.adapters.sql.schema import migrate
from repaircore.limits.model import Limit
from repaircore.limits.ports import Windows

_LIMIT = Limit(600)
_PARTNER = Limit(1000)
_NARROW = Limit(100)
_PROCESSES = 4
_EACH = 500
_ADMIT = (
    "INSERT INTO admissions (subject, at) SELECT :subject, :now"
    " WHERE (SELECT count(*) FROM admissions WHERE subject = :subject AND at > :since) < :most"
)


class _Table:
    """The same promise kept by a table: a row for each admission, counted and added in one transaction."""

    def __init__(self, path: Path, *, durable: bool) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        for setting in SQLITE_SETTINGS:
            self._connection.execute(setting)
        if not durable:
            self._connection.execute("PRAGMA synchronous=OFF")
        self._connection.execute("CREATE TABLE IF NOT EXISTS admissions (subject TEXT, at INTEGER)")
        self._connection.execute("CREATE INDEX IF NOT EXISTS by_subject ON admissions (subject, at)")

    def take(self, subject: str, limit: Limit) -> None:
        now = time.monotonic_ns()
        since = now - limit.seconds * 1_000_000_000
        run = self._connection.execute
        run("BEGIN IMMEDIATE")
        run("DELETE FROM admissions WHERE subject = ? AND at <= ?", (subject, since))
        run(_ADMIT, {"subject": subject, "now": now, "since": since, "most": limit.count})
        run("COMMIT")


def _fsync(path: Path) -> Callable[[], None]:
    file = path.open("wb")

    def write() -> None:
        os.pwrite(file.fileno(), b"12345678", 0)
        os.fdatasync(file.fileno())

    return write


@contextmanager
def _opened(kind: str, place: str) -> Iterator[Windows]:
    if kind == "files":
        windows: Windows = SharedFileWindows(Path(place))
        yield windows
    elif kind == "redis":
        windows = RedisWindows(place, _secret)
        yield windows
    else:
        database = Database(place)
        windows = SqlWindows(lambda: database)
        yield windows
        database.close()
    windows.close()


def _secret() -> bytes:
    return os.environ["BENCH_WINDOWS"].encode()


def _admitted(kind: str, place: str) -> int:
    with _opened(kind, place) as windows:
        return sum(windows.acquire("key 1", _NARROW).admitted for _ in range(_EACH))


def _exact(kind: str, place: str) -> Row:
    os.environ["BENCH_WINDOWS"] = secrets.token_hex(16)  # other processes take in the same windows
    with get_context("spawn").Pool(_PROCESSES) as pool:
        admitted = sum(pool.starmap(_admitted, [(kind, place)] * _PROCESSES, chunksize=1))
    return Row(
        f"P7 admitted by {_PROCESSES} processes at once, {kind}",
        f"{_NARROW.count} allowed, exactly",
        exactly(admitted / _NARROW.count),
        1,
    )


def _files(folder: Path) -> list[Row]:
    windows = SharedFileWindows(folder / "windows")
    durable = _Table(folder / "durable.db", durable=True)
    lossy = _Table(folder / "lossy.db", durable=False)
    ring, status, full, off, disk = interleaved(
        lambda: windows.acquire("key 1", _LIMIT),
        lambda: windows.hit("key 2", _LIMIT),
        lambda: durable.take("key 1", _LIMIT),
        lambda: lossy.take("key 1", _LIMIT),
        _fsync(folder / "yardstick"),
        rounds=30,
        times=20,
    )
    return [
        _exact("files", str(folder / "exact")),
        Row("P7 a place in a table, synchronous=FULL", "a place in a ring file", ratio_of(full, ring)),
        Row("P7 a place in a table, synchronous=OFF", "a place in a ring file", ratio_of(off, ring)),
        Row("P7 a place in a ring file, and how it stands", "a place in a ring file", ratio_of(status, ring)),
        Row("P7 a place in a ring file", "one fdatasync", ratio_of(ring, disk), 0.1),
    ]


def _redis(url: str) -> list[Row]:
    os.environ["BENCH_WINDOWS"] = secrets.token_hex(16)
    with ExitStack() as stack:
        windows = stack.enter_context(_opened("redis", url))
        client = redis.Redis.from_url(url, protocol=2)
        stack.callback(client.close)
        take = partial(windows.hit, "partner 1", _PARTNER)
        taken, ping = interleaved(take, client.ping, rounds=30, times=100)
    return [
        _exact("redis", url),
        Row("P7 a place in Redis, and how it stands", "PING", ratio_of(taken, ping), 1.5),
    ]


def _postgres(url: str) -> list[Row]:
    database = Database(url)
    migrate.upgrade(database)
    server = sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with _opened("postgres", url) as windows, psycopg.connect(server, autocommit=True) as connection:
        take = partial(windows.hit, "partner 1", _PARTNER)
        taken, nothing = interleaved(take, lambda: connection.execute("SELECT 1"), rounds=30, times=30)
    database.close()
    return [
        _exact("postgres", url),
        Row("P7 a place in PostgreSQL, and how it stands", "SELECT 1", ratio_of(taken, nothing)),
    ]


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        found = _files(Path(name))
    with postgres_database("windows") as url:
        if url is None:
            tell("rate windows: PostgreSQL is left out, for REPAIRCORE_TEST_POSTGRES_URL names no server")
        else:
            found += _postgres(url)
    server = os.environ.get("REPAIRCORE_TEST_REDIS_URL")
    if server is None:
        tell("rate windows: Redis is left out, for REPAIRCORE_TEST_REDIS_URL names no server")
    else:
        found += _redis(server)
    return found


if __name__ == "__main__":
    print_table(rows())
