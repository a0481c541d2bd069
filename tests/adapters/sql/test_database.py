"""Transactions: their effects, waiting, and an unavailable database."""

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import sqlalchemy as sa

from repaircore.adapters.fast_path.driver import Driver, driver_of
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.errors import Unavailable

SQLITE_SETTINGS = {
    "busy_timeout": 10_000,
    "journal_mode": "wal",
    "synchronous": 2,  # FULL
    "foreign_keys": 1,
    "trusted_schema": 0,
    "temp_store": 2,  # MEMORY
    "journal_size_limit": 67_108_864,
}
NOWHERE = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"
INSERT = "INSERT INTO settings (name, value) VALUES (?, ?)"
READ = "SELECT value FROM settings WHERE name = ?"


@pytest.fixture
def driver(database_url: str) -> Iterator[Driver]:
    made = driver_of(database_url)
    yield made
    made.close()


def store(database: Database, name: str, value: str) -> None:
    with work.open_work(database, write=True) as unit:
        unit.settings.set(name, value)


def read(database: Database, name: str) -> str | None:
    with work.open_work(database, write=False) as unit:
        return unit.settings.get(name)


def test_block_that_succeeds_commits(database: Database, driver: Driver) -> None:
    store(database, "a", "1")
    assert read(database, "a") == "1"
    assert driver.fetch_one(READ, ("a",)) == ("1",)


def test_block_that_raises_rolls_back(database: Database, driver: Driver) -> None:
    with suppress(RuntimeError), work.open_work(database, write=True) as unit:
        unit.settings.set("a", "1")
        raise RuntimeError("stop")
    assert driver.fetch_one(READ, ("a",)) is None


def test_driver_sees_nothing_before_the_commit(database: Database, driver: Driver) -> None:
    with work.open_work(database, write=True) as unit:
        unit.settings.set("a", "1")
        assert driver.fetch_one(READ, ("a",)) is None
    assert driver.fetch_one(READ, ("a",)) == ("1",)


def test_driver_commits_at_once(database: Database, driver: Driver) -> None:
    assert driver.execute(INSERT, ("a", "1")) == 1
    assert read(database, "a") == "1"
    assert driver.execute("DELETE FROM settings WHERE name = ?", ("b",)) == 0


def test_read_never_waits_for_a_writer(database: Database) -> None:
    store(database, "a", "1")
    with work.open_work(database, write=True) as unit:
        unit.settings.set("a", "2")
        assert read(database, "a") == "1"
    assert read(database, "a") == "2"


def test_read_sees_one_snapshot_on_sqlite(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with work.open_work(database, write=False) as unit:
        assert unit.settings.get("a") is None
        store(database, "a", "1")
        assert unit.settings.get("a") is None
    assert read(database, "a") == "1"
    database.close()


def test_concurrent_writers_all_succeed(database: Database) -> None:
    store(database, "count", "0")
    failures: list[BaseException] = []

    def add() -> None:
        try:
            for _ in range(10):
                with database.transaction() as connection:
                    connection.execute(
                        sa.text(
                            "UPDATE settings SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)"
                            " WHERE name = 'count'"
                        )
                    )
        except BaseException as error:  # noqa: BLE001 - reported by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=add) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert read(database, "count") == "60"


@pytest.mark.usefixtures("durable")
def test_sqlite_settings_apply_to_every_connection(sqlite_url: str) -> None:
    database, driver = Database(sqlite_url), driver_of(sqlite_url)
    with database.transaction(write=False) as connection:
        engine = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in SQLITE_SETTINGS}
    direct = {name: (driver.fetch_one(f"PRAGMA {name}", ()) or [None])[0] for name in SQLITE_SETTINGS}
    driver.close()
    database.close()
    assert engine == direct == SQLITE_SETTINGS


@pytest.mark.postgres
def test_postgresql_settings_apply_to_every_connection(postgres_url: str) -> None:
    in_force = {
        "statement_timeout": "5s",
        "lock_timeout": "2s",
        "idle_in_transaction_session_timeout": "10s",
        "transaction_isolation": "read committed",
    }
    database, driver = Database(postgres_url), driver_of(postgres_url)
    with database.transaction(write=False) as connection:
        engine = {name: connection.exec_driver_sql(f"SHOW {name}").scalar() for name in in_force}
    direct = {name: (driver.fetch_one(f"SHOW {name}", ()) or [None])[0] for name in in_force}
    driver.close()
    database.close()
    assert engine == direct == in_force


def test_locked_sqlite_is_unavailable(sqlite_url: str) -> None:
    holder, database, driver = Database(sqlite_url), Database(sqlite_url), driver_of(sqlite_url)
    driver.fetch_one("PRAGMA busy_timeout = 1", ())
    with database.transaction(write=False) as connection:  # the pool gives the same connection again
        connection.exec_driver_sql("PRAGMA busy_timeout = 1")
    with holder.transaction():
        with pytest.raises(Unavailable):
            store(database, "a", "1")
        with pytest.raises(Unavailable):
            driver.execute(INSERT, ("a", "1"))
    store(database, "a", "1")
    driver.execute(INSERT, ("b", "1"))
    driver.close()
    database.close()
    holder.close()


@pytest.mark.postgres
def test_row_that_stays_locked_on_postgresql_is_unavailable(postgres_url: str) -> None:
    holder, database, driver = Database(postgres_url), Database(postgres_url), driver_of(postgres_url)
    store(holder, "a", "1")
    driver.fetch_one("SELECT set_config('lock_timeout', '20ms', false)", ())
    with holder.transaction() as connection:
        connection.exec_driver_sql("UPDATE settings SET value = '2' WHERE name = 'a'")
        with pytest.raises(Unavailable), database.transaction() as other:  # noqa: PT012 - the whole unit fails
            other.exec_driver_sql("SET LOCAL lock_timeout = '20ms'")
            other.exec_driver_sql("UPDATE settings SET value = '3' WHERE name = 'a'")
        with pytest.raises(Unavailable):
            driver.execute("UPDATE settings SET value = '4' WHERE name = ?", ("a",))
    assert read(database, "a") == "2"
    driver.close()
    database.close()
    holder.close()


@pytest.mark.parametrize("url", [NOWHERE, "sqlite:////dev/null/nothing/repaircore.db"])
def test_missing_database_is_unavailable(url: str) -> None:
    database, driver = Database(url), driver_of(url)
    for write in (True, False):
        with pytest.raises(Unavailable), database.transaction(write=write):
            pass
    with pytest.raises(Unavailable):
        driver.fetch_one("SELECT 1", ())
    with pytest.raises(Unavailable):
        driver.execute("SELECT 1", ())
    driver.close()
    database.close()


def test_file_in_place_of_a_folder_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    database = Database(f"sqlite:///{tmp_path / 'file' / 'repaircore.db'}")
    with pytest.raises(Unavailable), database.transaction():
        pass


def test_engine_and_the_driver_open_the_same_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new' / 'a #1 shop.db'}"
    database, driver = Database(url), driver_of(url)
    with database.transaction() as connection:
        connection.exec_driver_sql("CREATE TABLE words (word TEXT)")
        connection.exec_driver_sql("INSERT INTO words VALUES ('once')")
    assert driver.fetch_one("SELECT word FROM words", ()) == ("once",)
    driver.close()
    database.close()


def terminate(url: str, backend: int) -> None:
    admin = driver_of(url)
    assert admin.fetch_one("SELECT pg_terminate_backend(?, 5000)", (backend,)) == (True,)
    admin.close()


@pytest.mark.postgres
def test_transaction_that_the_server_ended_for_being_idle_is_an_outage(postgres_url: str) -> None:
    database, admin = Database(postgres_url), driver_of(postgres_url)
    with pytest.raises(Unavailable), database.transaction() as connection:  # noqa: PT012 - the whole unit fails
        backend = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = '1ms'")
        while admin.fetch_one("SELECT 1 FROM pg_stat_activity WHERE pid = ?", (backend,)) is not None:
            pass
        connection.exec_driver_sql("SELECT 1")
    with database.transaction() as connection:
        assert connection.exec_driver_sql("SELECT 1").scalar_one() == 1
    admin.close()
    database.close()


@pytest.mark.postgres
def test_driver_reconnects_when_the_server_ended_its_connection(postgres_url: str) -> None:
    driver = driver_of(postgres_url)
    for _ in range(2):
        ended = (driver.fetch_one("SELECT pg_backend_pid()", ()) or [0])[0]
        terminate(postgres_url, ended)
        assert driver.execute(INSERT, (str(ended), "1")) == 1
        assert driver.fetch_one("SELECT pg_backend_pid()", ()) != (ended,)
    driver.close()


@pytest.mark.postgres
def test_engine_reconnects_when_the_server_ended_its_connection(postgres_url: str) -> None:
    database = Database(postgres_url)
    with database.transaction(write=False) as connection:
        ended = int(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())
    terminate(postgres_url, ended)
    store(database, "a", "1")
    assert read(database, "a") == "1"
    database.close()


@pytest.mark.postgres
def test_connection_lost_within_a_unit_rolls_back_and_is_unavailable(postgres_url: str) -> None:
    database = Database(postgres_url)
    with pytest.raises(Unavailable), database.transaction() as connection:  # noqa: PT012 - the whole unit fails
        connection.exec_driver_sql("INSERT INTO settings VALUES ('a', '1')")
        terminate(postgres_url, int(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()))
        connection.exec_driver_sql("INSERT INTO settings VALUES ('b', '1')")
    assert read(database, "a") is None
    database.close()


def test_each_thread_has_its_own_connection_that_closes_with_it(driver: Driver, database: Database) -> None:
    answers: list[object] = []

    def ask() -> None:
        driver.execute(INSERT, (threading.current_thread().name, "1"))
        answers.append(driver.fetch_one(READ, (threading.current_thread().name,)))

    threads = [threading.Thread(target=ask, name=name) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [("1",)] * 4
    if not database.is_sqlite:
        mine = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        assert driver.fetch_one(mine, ()) == (1,)


def test_closed_driver_reopens_when_used(driver: Driver) -> None:
    driver.close()
    driver.close()
    assert driver.fetch_one("SELECT 1", ()) == (1,)


def test_forked_process_opens_its_own_connections(database: Database, driver: Driver) -> None:
    driver.execute(INSERT, ("parent", "1"))
    with database.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO settings (name, value) VALUES ('open', '1')")
        child = os.fork()
        if child == 0:
            seen = (
                driver.fetch_one(READ, ("parent",)),
                driver.fetch_one(READ, ("open",)),
                read(database, "parent"),
            )
            driver.close()
            database.close()
            os._exit(0 if seen == (("1",), None, "1") else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        connection.exec_driver_sql("INSERT INTO settings (name, value) VALUES ('more', '1')")
    assert (read(database, "open"), driver.fetch_one(READ, ("more",))) == ("1", ("1",))


def test_invalid_statement_is_not_an_outage(database: Database) -> None:
    with pytest.raises(sa.exc.DBAPIError, match="nonsense"), database.transaction() as connection:
        connection.exec_driver_sql("SELECT * FROM nonsense")


def test_units_beyond_the_connections_wait_and_are_then_refused(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    pool = database.engine.pool
    assert isinstance(pool, sa.QueuePool)
    pool._timeout = 0.01
    with ExitStack() as stack:
        for _ in range(pool.size() + pool._max_overflow):
            stack.enter_context(database.transaction(write=False))
        with pytest.raises(Unavailable), database.transaction(write=False):
            pass
    assert read(database, "a") is None
    database.close()


def test_new_sqlite_file_and_its_journals_are_private_to_the_owner(tmp_path: Path) -> None:
    made = Database(f"sqlite:///{tmp_path / 'shop.db'}")
    with made.transaction() as connection:
        connection.exec_driver_sql("CREATE TABLE t (x INTEGER)")
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    made.close()
    assert modes == dict.fromkeys(("shop.db", "shop.db-wal", "shop.db-shm", "shop.db-queue"), 0o600)
