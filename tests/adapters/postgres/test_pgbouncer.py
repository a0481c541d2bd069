"""Connections through PgBouncer, where each transaction may use another session."""

from threading import Thread
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from tests.adapters.postgres.conftest import Pooled

from repaircore.adapters.fast_path.driver import driver_of
from repaircore.adapters.postgres.connections import TIMEOUTS, connect
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.addresses import database_address
from repaircore.core import Core, build
from repaircore.kernel.errors import Unavailable
from repaircore.settings import Settings

pytestmark = [pytest.mark.postgres, pytest.mark.pgbouncer]

INSERT = "INSERT INTO settings (name, value) VALUES (?, ?)"
READ = "SELECT value FROM settings WHERE name = ?"
NO_TIMEOUTS = dict.fromkeys(TIMEOUTS, "0")


def timeouts_of_sessions(url: str) -> list[dict[str, str]]:
    """Return the timeouts of sessions behind the pooler, as other clients see them."""
    server = database_address(url).server
    with psycopg.connect(autocommit=True, prepare_threshold=None, **_as_typed(server)) as connection:
        return [
            {name: (connection.execute(f"SHOW {name}").fetchone() or [""])[0] for name in TIMEOUTS}
            for _ in range(6)
        ]


def _as_typed(server: Any) -> Any:
    return server


def core_of(url: str) -> Core:
    return build(Settings(database_url=url, secret_key="0123456789abcdef" * 2))


def test_connect_detects_a_pooler(pooled: Pooled, postgres_url: str) -> None:
    for url, is_pooled in ((pooled(), True), (postgres_url, False)):
        connection = connect(database_address(url).server, autocommit=True)
        connection.close()

        assert connection.session.is_pooled is is_pooled
        assert connection.session.has_timeouts is not is_pooled


def test_single_statements_leave_no_session_state(pooled: Pooled) -> None:
    url = pooled()
    drivers = [driver_of(url, connections=2) for _ in range(2)]
    for number in range(8):
        for at, driver in enumerate(drivers):
            assert driver.execute(INSERT, (f"{at} {number}", f"value {number}")) == 1
            assert driver.fetch_one(READ, (f"{at} {number}",)) == (f"value {number}",)
            assert driver.fetch_one(READ, ("none",)) is None
    with pytest.raises(psycopg.errors.UniqueViolation):
        drivers[0].execute(INSERT, ("0 0", "again"))
    assert drivers[0].fetch_one(READ, ("0 0",)) == ("value 0",)
    for driver in drivers:
        driver.close()

    assert timeouts_of_sessions(url) == [NO_TIMEOUTS] * 6


def test_each_transaction_and_each_statement_has_timeouts(pooled: Pooled) -> None:
    url = pooled()
    database, driver = Database(url), driver_of(url)
    for _ in range(4):
        with database.transaction() as connection:
            engine = {name: connection.exec_driver_sql(f"SHOW {name}").scalar() for name in TIMEOUTS}
        direct = {name: (driver.fetch_one(f"SHOW {name}", ()) or [None])[0] for name in TIMEOUTS}

        assert engine == direct == TIMEOUTS
    database.close()
    driver.close()

    assert timeouts_of_sessions(url) == [NO_TIMEOUTS] * 6


def test_timeouts_of_the_role_are_unchanged(pooled: Pooled) -> None:
    theirs = {
        "statement_timeout": "3s",
        "lock_timeout": "1s",
        "idle_in_transaction_session_timeout": "20s",
    }
    sets = "; ".join(f"SET {name} = {value!r}" for name, value in theirs.items())
    url = pooled(f"connect_query='{sets.replace(chr(39), chr(39) * 2)}'")
    database, driver = Database(url), driver_of(url)
    with database.transaction() as connection:
        engine = {name: connection.exec_driver_sql(f"SHOW {name}").scalar() for name in TIMEOUTS}
    direct = {name: (driver.fetch_one(f"SHOW {name}", ()) or [None])[0] for name in TIMEOUTS}
    database.close()
    driver.close()

    assert engine == direct == theirs


def test_repeated_statements_are_not_prepared(pooled: Pooled) -> None:
    database = Database(pooled())
    failures: list[BaseException] = []

    def write(name: str) -> None:
        try:
            for number in range(12):
                with work.open_work(database, write=True) as unit:
                    unit.settings.set(name, str(number))
                with database.transaction(write=False) as connection:
                    found = connection.execute(
                        sa.text("SELECT value FROM settings WHERE name = :n"), {"n": name}
                    )
                    assert found.scalar_one() == str(number)
        except BaseException as failure:  # noqa: BLE001 - reported by the assertion below
            failures.append(failure)

    threads = [Thread(target=write, args=(f"thread {at}",)) for at in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    database.close()

    assert failures == []


def test_installation_works_through_pgbouncer(pooled: Pooled) -> None:
    core = core_of(pooled())
    core.upgrade()
    partner = core.partners.create("Roadside Inc", "test")
    core.accounts.create_user(name="Ada", email="ada@example.org", password="correct horse battery")
    for _ in range(7):  # more often than psycopg executes before it prepares
        assert core.partners.list_page().items == (partner.partner,)
        assert core.jobs.list_statuses()
    assert core.ready() == []
    assert core.checkup.examine().wrong == ()
    core.close()


def test_full_pooler_is_reported(pooled: Pooled) -> None:
    url = pooled(clients=1)
    taken = driver_of(url)
    taken.fetch_one("SELECT 1", ())
    database, driver = Database(url), driver_of(url)
    with pytest.raises(Unavailable, match="connections are all in use"):
        driver.fetch_one("SELECT 1", ())
    with pytest.raises(Unavailable, match="connections are all in use"), database.transaction():
        pass
    taken.close()
    database.close()
    driver.close()
