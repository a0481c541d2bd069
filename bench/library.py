"""P3: a cached prediction in process, against the least that any answer from SQLite costs."""

import sqlite3
from pathlib import Path

from bench.installation import ASK, installation
from bench.table import Row, interleaved, ratio_of, tell
from repaircore.core import build
from repaircore.settings import Settings

_READ = "SELECT value FROM kept WHERE key = ?"


def rows(*, rounds: int = 60, times: int = 200) -> list[Row]:
    tell("library: cached predictions")
    with installation() as made:
        core = build(Settings.from_env(made.environ))
        core.predictions.predict(ASK)
        kept = _kept(made.folder / "kept.db")
        try:
            predict, read = interleaved(
                lambda: core.predictions.predict(ASK),
                lambda: kept.execute(_READ, ("5000",)).fetchone(),
                rounds=rounds,
                times=times,
            )
        finally:
            kept.close()
            core.close()
    tell(f"library: {min(predict) * 1e6:.1f} µs against {min(read) * 1e6:.1f}")
    return [Row("P3 cached predict as a library", "one sqlite3 read by key", ratio_of(predict, read), 4)]


def _kept(path: Path) -> sqlite3.Connection:
    """Fill a table with rows of about the size that an answer has."""
    kept = sqlite3.connect(path, isolation_level=None)
    kept.execute("PRAGMA journal_mode=WAL")
    kept.execute("CREATE TABLE kept (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT")
    kept.executemany("INSERT INTO kept VALUES (?, ?)", ((str(key), "x" * 2_900) for key in range(10_000)))
    return kept
