"""Messages for failures of the server, and the connection limit of a process."""

import re
from collections.abc import Iterator
from threading import Event, Thread

import psycopg
import pytest

from repaircore.adapters.fast_path.driver import driver_of
from repaircore.adapters.postgres.outages import outage, remember_slots
from repaircore.adapters.postgres.pool import ConnectionPool
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.storage import Storage
from repaircore.kernel.errors import Unavailable

WITHIN = 30.0
SERVER = {"host": "db.example.org", "port": "5433"}
COUNT_CONNECTIONS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        ("FATAL:  sorry, too many clients already", "all in use (100 of 100)."),
        (
            "FATAL:  remaining connection slots are reserved for roles with the SUPERUSER",
            "all in use (97 of 100).",
        ),
        ('FATAL:  too many connections for role "shop"', "all in use."),
        ("FATAL:  no more connections allowed (max_client_conn)", "all in use."),
        ("connection refused", "The database is not responding."),
    ],
)
def test_refused_connection_is_reported_as_all_in_use(refusal: str, sentence: str) -> None:
    remember_slots(SERVER, most=100, reserved=3)

    message = outage(psycopg.OperationalError(f"connection failed: {refusal}"), SERVER).message

    assert message.endswith(sentence)
    assert "db.example.org" not in message


def test_server_never_reached_is_reported_without_figures() -> None:
    error = psycopg.OperationalError("FATAL:  sorry, too many clients already")

    assert outage(error, {"host": "new"}).message == "The database server's connections are all in use."


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (psycopg.errors.LockNotAvailable(), "The database is busy: another operation holds a lock."),
        (psycopg.errors.QueryCanceled(), "The database is busy: the operation took too long."),
        (psycopg.errors.AdminShutdown(), "The database is not responding."),
    ],
)
def test_locks_and_slow_statements_are_not_reported_as_silence(error: psycopg.Error, message: str) -> None:
    assert outage(error, SERVER).message == message


@pytest.fixture
def role_with_one_connection(postgres_url: str) -> Iterator[str]:
    admin = driver_of(postgres_url)
    name = "repaircore_one_" + re.sub(r"\W", "_", postgres_url.rsplit("/", 1)[1])
    admin.execute(f"CREATE ROLE {name} LOGIN CONNECTION LIMIT 1", ())
    yield re.sub(r"//[^@]*@", f"//{name}@", postgres_url)
    admin.execute(f"DROP ROLE {name}", ())
    admin.close()


@pytest.mark.postgres
def test_connection_limit_of_a_role_is_reported_as_all_in_use(role_with_one_connection: str) -> None:
    first, second = driver_of(role_with_one_connection), Database(role_with_one_connection)
    try:
        first.fetch_one("SELECT 1", ())
    except Unavailable:
        pytest.skip("the server lets only known roles in")
    with (
        pytest.raises(Unavailable, match="The database server's connections are all in use"),
        second.transaction(),
    ):
        pass
    first.close()
    second.close()


@pytest.mark.postgres
def test_threads_of_a_process_share_its_connections(postgres_url: str) -> None:
    storage, watcher = Storage(postgres_url, connections=4), driver_of(postgres_url)
    before = (watcher.fetch_one(COUNT_CONNECTIONS, ()) or [0])[0]
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(5):
                with storage.read() as unit:
                    unit.settings.get("a")
                    storage.driver.fetch_one("SELECT 1", ())
        except BaseException as failure:  # noqa: BLE001 - reported by the assertion below
            failures.append(failure)

    threads = [Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WITHIN)
    most = (watcher.fetch_one(COUNT_CONNECTIONS, ()) or [0])[0] - before
    storage.close()
    watcher.close()

    assert failures == []
    assert 2 <= most <= 4


@pytest.mark.postgres
def test_nested_transactions_never_deadlock(postgres_url: str) -> None:
    database = Database(postgres_url, connections=1)
    with database.transaction() as outer, database.transaction(write=False) as inner:
        pids = {each.exec_driver_sql("SELECT pg_backend_pid()").scalar() for each in (outer, inner)}
    database.close()

    assert len(pids) == 2


class Line:
    """A connection that a test can close."""

    closed = False

    def close(self) -> None:
        self.closed = True


def test_pool_lends_a_connection_to_one_thread_at_a_time() -> None:
    opened: list[Line] = []

    def connect() -> Line:
        opened.append(Line())
        return opened[-1]

    pool, taken = ConnectionPool(connect, size=1), Event()
    line = pool.acquire()

    def take() -> None:
        pool.release(pool.acquire())
        taken.set()

    thread = Thread(target=take)
    thread.start()
    assert not taken.is_set()
    pool.release(line)
    thread.join(WITHIN)
    pool.discard(pool.acquire())
    assert opened[0].closed
    pool.release(pool.acquire())
    pool.close()

    assert taken.is_set()
    assert [each.closed for each in opened] == [True, True]


def test_pool_keeps_the_slot_of_a_connection_that_fails_to_open() -> None:
    failures = [Unavailable("It is away.")]

    def connect() -> Line:
        for failure in failures:
            failures.clear()
            raise failure
        return Line()

    pool = ConnectionPool(connect, size=1)
    with pytest.raises(Unavailable):
        pool.acquire()

    assert not pool.acquire().closed
