"""What a read by key costs: the driver against SQLAlchemy Core (docs/decisions/hot-reads.md)."""

import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from bench.table import Row, interleaved, print_table

from repaircore.accounts import tokens
from repaircore.adapters.sql.credentials import SqlCredentials
from repaircore.adapters.sql.database import Database
from repaircore.adapters.sql.driver import SqliteDriver
from repaircore.adapters.sql.tables import api_keys, users
from repaircore.bootstrap import build
from repaircore.estimates.prediction import Ask
from repaircore.settings import Settings

_READ = (
    sa.select(
        api_keys.c.id,
        api_keys.c.name,
        api_keys.c.environment,
        api_keys.c.last_used_at,
        users.c.id,
        users.c.role,
    )
    .join_from(api_keys, users)
    .where(api_keys.c.secret_hash == sa.bindparam("digest"))
)


def _seconds(*code: str) -> float:
    """Give the least time of a few runs of a new interpreter."""
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "\n".join(code)], check=True)
        best = min(best, time.perf_counter() - start)
    return best


def _raw(path: Path) -> Callable[[bytes], object]:
    connection = sqlite3.connect(path, isolation_level=None)
    sql = "SELECT id, name FROM api_keys WHERE secret_hash = ?"
    return lambda digest: connection.execute(sql, (digest,)).fetchone()


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "shop.db"
        core = build(Settings(database_url=f"sqlite:///{path}"))
        owner = core.accounts.create_user(name="Ann", email="ann@example.com", password="long enough")
        made = core.accounts.create_key(
            name="bench", environment="test", caller=core.accounts.caller_of(owner.email)
        )
        driver, database = SqliteDriver(path), Database(f"sqlite:///{path}")
        found = tokens.read(made.secret_key)
        assert found is not None
        digest, now = found.digest, datetime.now(UTC)
        ours = SqlCredentials(driver)
        raw = _raw(path)

        def core_read() -> object:
            with database.begin(write=False) as connection:
                return connection.execute(_READ, {"digest": digest}).one()

        ask = Ask(vin="1HGCM82633A004352", zip_code="90210", problem_identifier="brake-pads-front")
        core.estimates.predict(ask)
        yard, by_driver, by_core, whole = interleaved(
            lambda: raw(digest),
            lambda: ours.find(found, now=now),
            core_read,
            lambda: core.estimates.predict(ask),
            rounds=30,
            times=50,
        )
        core.close()
        driver.close()
        database.close()
    nothing = _seconds("pass")
    return [
        Row("a credential, through the driver", "one sqlite3 read by key", by_driver / yard, "≤ 2"),
        Row("the same row, through SQLAlchemy Core", "one sqlite3 read by key", by_core / yard, "–"),
        Row("P3 a remembered prediction, as a library", "one sqlite3 read by key", whole / yard, "≤ 4"),
        Row("import sqlalchemy", "python -c pass", _seconds("import sqlalchemy") / nothing, "–"),
        Row("import sqlite3", "python -c pass", _seconds("import sqlite3") / nothing, "–"),
    ]


if __name__ == "__main__":
    print_table(rows())
