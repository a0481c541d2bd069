"""Processes that run jobs, the work queued for them, and how they notice writes."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.partners import add_partner
from tests.unit.payments.payments import make_payment

from repaircore.adapters.sql.claims import this_process
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.health import SqlDatabaseHealth
from repaircore.adapters.sql.engine.storage import Storage
from repaircore.adapters.sql.job_processes import SqlQueuedWork, WriteStamp
from repaircore.adapters.sql.schema.accounts import reset_requests
from repaircore.core import Core
from repaircore.jobs.model import JobProcess, Queue
from repaircore.payments.model import PaymentState

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ELSEWHERE = "elsewhere 1 1"
KILLED = f"{socket.gethostname()} 1 never"


def record(database: Database, holder: str, *, at: datetime = NOW) -> None:
    with work.open_work(database, write=True) as unit:
        unit.job_processes.see(holder, started_at=NOW - MINUTE, at=at)


@pytest.fixture
def health(database_url: str) -> Iterator[SqlDatabaseHealth]:
    storage = Storage(database_url)
    yield SqlDatabaseHealth(storage)
    storage.close()


def test_processes_are_stored_once_and_deleted(database: Database) -> None:
    record(database, "one")
    record(database, "one", at=NOW + MINUTE)
    with work.open_work(database, write=True) as unit:
        unit.job_processes.see("two", started_at=NOW, at=NOW)

        assert unit.job_processes.list_all() == [
            JobProcess(holder="one", started_at=NOW - MINUTE, seen_at=NOW + MINUTE),
            JobProcess(holder="two", started_at=NOW, seen_at=NOW),
        ]

        unit.job_processes.delete("one")
        assert [each.holder for each in unit.job_processes.list_all()] == ["two"]


def test_health_counts_running_and_missing_processes(database: Database, health: SqlDatabaseHealth) -> None:
    assert (health.running_jobs(now=NOW).processes, health.running_jobs(now=NOW).have_stopped) == (0, False)
    record(database, KILLED, at=NOW - MINUTE)
    assert health.running_jobs(now=NOW).have_stopped
    assert health.running_jobs(now=NOW).missing == [NOW - MINUTE]
    record(database, ELSEWHERE)
    record(database, this_process())

    assert health.running_jobs(now=NOW).processes == 2
    assert not health.running_jobs(now=NOW).have_stopped
    assert health.running_jobs(now=NOW + 4 * MINUTE).have_stopped  # no process has reported since


def test_checkup_counts_job_processes_and_reports_a_killed_one(core: Core) -> None:
    def found() -> tuple[str, bool]:
        checkup = evolve(core.checkup, clock=lambda: NOW)
        (jobs,) = [each for each in checkup.examine().findings if each.name == "background jobs"]
        return jobs.value, jobs.wrong is not None

    assert found() == ("no process running", False)
    record(core.storage.database, KILLED)
    assert found() == ("no process running", True)
    record(core.storage.database, ELSEWHERE)
    assert found() == ("1 process running", False)
    record(core.storage.database, this_process())
    assert found() == ("2 processes running", False)


def test_queues_with_waiting_work_are_found(database: Database, database_url: str) -> None:
    storage = Storage(database_url)
    waiting = SqlQueuedWork(storage.driver)
    assert waiting() == []
    add_partner(database, "Towify")
    with work.open_work(database, write=True) as unit:
        unit.payments.add(make_payment(state=PaymentState.CAPTURING, updated_at=NOW))
        unit.connection.execute(sa.insert(reset_requests).values(email="ada@example.org", requested_at=1))

    assert set(waiting()) == {Queue.PAYMENTS, Queue.RESET_REQUESTS}
    storage.close()


def test_stamp_changes_on_writes_and_not_on_reads(database: Database, database_url: str) -> None:
    storage = Storage(database_url)
    stamp = WriteStamp(storage)
    with work.open_work(database, write=True) as unit:
        unit.job_leases.request("refit", at=NOW)
    before = stamp()
    with work.open_work(database, write=False) as unit:
        unit.job_leases.list_all()
    assert stamp() == before
    with work.open_work(database, write=True) as unit:
        unit.job_leases.request("refit", at=NOW + MINUTE)

    assert stamp() != before
    storage.close()


def test_server_counts_its_connections(database: Database, health: SqlDatabaseHealth) -> None:
    connections = health.server_connections()
    if database.is_sqlite:
        assert connections is None
        return
    assert connections is not None
    assert 1 <= connections.used <= connections.most
    assert 0 < connections.reserved < connections.most
