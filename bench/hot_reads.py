"""What a read by key costs: the driver against SQLAlchemy Core (docs/decisions/hot-reads.md)."""

import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from bench.table import Ratio, Row, interleaved, print_table, ratio_of
from repaircore.accounts import tokens
from repaircore.adapters.fast_path.driver import SqliteDriver
from repaircore.adapters.sql.credentials import SqlCredentials
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.accounts import api_keys, users
from repaircore.core import build
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


def _importing(name: str) -> Ratio:
    """Compare a new interpreter that imports something with one that does nothing."""
    importing, nothing = interleaved(
        lambda: subprocess.run([sys.executable, "-c", f"import {name}"], check=True),
        lambda: subprocess.run([sys.executable, "-c", "pass"], check=True),
        rounds=5,
        times=1,
    )
    return ratio_of(importing, nothing)


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
            name="bench", environment="test", caller=core.accounts.caller_for(owner.email)
        )
        driver, database = SqliteDriver(path), Database(f"sqlite:///{path}")
        found = tokens.parse_token(made.secret_key)
        assert found is not None
        digest, now = found.digest, datetime.now(UTC)
        ours = SqlCredentials(driver)
        raw = _raw(path)

        def core_read() -> object:
            with database.transaction(write=False) as connection:
                return connection.execute(_READ, {"digest": digest}).one()

        yard, by_driver, by_core = interleaved(
            lambda: raw(digest),
            lambda: ours.find(found, now=now),
            core_read,
            rounds=30,
            times=50,
        )
        core.close()
        driver.close()
        database.close()
    yardstick = "one sqlite3 read by key"
    return [
        Row("a credential, through the driver", yardstick, ratio_of(by_driver, yard), 2),
        Row("the same row, through SQLAlchemy Core", yardstick, ratio_of(by_core, yard)),
        Row("import sqlalchemy", "python -c pass", _importing("sqlalchemy")),
        Row("import sqlite3", "python -c pass", _importing("sqlite3")),
    ]


if __name__ == "__main__":
    print_table(rows())
