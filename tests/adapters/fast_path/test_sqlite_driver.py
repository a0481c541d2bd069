"""Single statements on a SQLite file, in threads that must not block."""

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from repaircore.adapters.fast_path.driver import SqliteDriver
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.blocking import WouldBlock, blocking_forbidden


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[SqliteDriver]:
    made = SqliteDriver(tmp_path / "one.db")
    made.execute("CREATE TABLE things (id INTEGER)", ())
    yield made
    made.close()


def test_writes_are_not_begun(driver: SqliteDriver) -> None:
    for execute in (driver.execute, driver.execute_low_priority):
        with pytest.raises(WouldBlock), blocking_forbidden():
            execute("INSERT INTO things VALUES (1)", ())
    assert driver.fetch_one("SELECT count(*) FROM things", ()) == (0,)
    assert driver.fetch_one("PRAGMA busy_timeout", ()) == (10_000,)


def test_reads_do_not_wait_for_a_lock(driver: SqliteDriver) -> None:
    timeouts = []

    def read() -> None:
        with blocking_forbidden():
            timeouts.append(driver.fetch_one("PRAGMA busy_timeout", ()))
            driver.close()

    loop = Thread(target=read)
    loop.start()
    loop.join()
    assert timeouts == [(0,)]


def test_transactions_are_not_begun(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'one.db'}")
    with pytest.raises(WouldBlock), blocking_forbidden(), database.transaction(write=False):
        pass
    assert not (tmp_path / "one.db").exists()
    database.close()
