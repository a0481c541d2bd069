"""Single statements on a SQLite file, in threads that must not block."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread, Timer

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


def in_another_thread(read: Callable[[], object]) -> list[object]:
    """Call ``read`` in a thread that must not block, until it would not block any longer; return all outcomes."""
    found: list[object] = []

    def loop() -> None:
        while not found or found[-1] is WouldBlock:
            try:
                with blocking_forbidden():
                    found.append(read())
            except WouldBlock:
                found.append(WouldBlock)
                time.sleep(0.01)

    thread = Thread(target=loop)
    thread.start()
    thread.join()
    return found


def test_reads_wait_neither_for_a_connection_nor_for_a_lock(driver: SqliteDriver) -> None:
    first, *_, last = in_another_thread(lambda: driver.fetch_one("PRAGMA busy_timeout", ()))
    assert (first, last) == (WouldBlock, (0,))


def test_read_continues_once_a_connection_could_be_opened(driver: SqliteDriver, tmp_path: Path) -> None:
    driver.close()
    exclusive = sqlite3.connect(tmp_path / "one.db", isolation_level=None, check_same_thread=False)
    exclusive.execute("PRAGMA locking_mode=EXCLUSIVE")
    exclusive.execute("BEGIN EXCLUSIVE")
    release = Timer(0.2, exclusive.close)
    release.start()
    first, *_, last = in_another_thread(lambda: driver.fetch_one("SELECT count(*) FROM things", ()))
    release.join()
    assert (first, last) == (WouldBlock, (0,))


def test_transactions_are_not_begun(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'one.db'}")
    with pytest.raises(WouldBlock), blocking_forbidden(), database.transaction(write=False):
        pass
    assert not (tmp_path / "one.db").exists()
    database.close()
