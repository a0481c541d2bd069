"""What a place in a rate window costs: the ring files against a table (docs/decisions/rate-windows.md)."""

import os
import sqlite3
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

from bench.table import Row, exactly, interleaved, print_table, ratio_of
from repaircore.adapters.sql.driver import SQLITE_SETTINGS
from repaircore.adapters.windows.shared_files import SharedFileWindows
from repaircore.limits.model import Limit

_LIMIT = Limit(600)
_NARROW = Limit(50)
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


def _admitted(folder: str) -> int:
    windows = SharedFileWindows(Path(folder))
    return sum(windows.take("key 1", _NARROW).admitted for _ in range(500))


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        windows = SharedFileWindows(folder / "windows")
        durable = _Table(folder / "durable.db", durable=True)
        lossy = _Table(folder / "lossy.db", durable=False)
        ring, full, off, disk = interleaved(
            lambda: windows.take("key 1", _LIMIT),
            lambda: durable.take("key 1", _LIMIT),
            lambda: lossy.take("key 1", _LIMIT),
            _fsync(folder / "yardstick"),
            rounds=30,
            times=20,
        )
        with get_context("spawn").Pool(4) as pool:
            admitted = sum(pool.map(_admitted, [str(folder / "exact")] * 4, chunksize=1))
    ratio = exactly(admitted / _NARROW.count)
    return [
        Row("P7 admitted by 4 processes at once", f"{_NARROW.count} allowed, exactly", ratio, 1),
        Row("P7 a place in a table, synchronous=FULL", "a place in a ring file", ratio_of(full, ring)),
        Row("P7 a place in a table, synchronous=OFF", "a place in a ring file", ratio_of(off, ring)),
        Row("P7 a place in a ring file", "one fdatasync", ratio_of(ring, disk), 0.1),
    ]


if __name__ == "__main__":
    print_table(rows())
