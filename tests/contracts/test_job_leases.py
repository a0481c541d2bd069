"""The contract of job leases, on both databases."""

from datetime import timedelta
from itertools import count

from tests.contracts.conftest import NOW
from tests.threads import at_once

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.jobs.model import JobLease

UNTIL = NOW + timedelta(minutes=1)


def test_find_returns_an_empty_lease_for_an_unknown_job(database: Database) -> None:
    with work.open_work(database, write=False) as unit:
        assert unit.job_leases.find("sweep") == JobLease(name="sweep")
        assert unit.job_leases.list_all() == []


def test_lease_is_acquired_renewed_and_released(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        leases = unit.job_leases
        assert leases.acquire(JobLease(name="sweep"), holder="me", until=UNTIL)
        assert leases.find("sweep") == JobLease(name="sweep", holder="me", held_until=UNTIL)
        assert leases.renew("sweep", holder="me", until=UNTIL + timedelta(minutes=1))
        assert not leases.renew("sweep", holder="you", until=UNTIL)
        assert not leases.release("sweep", holder="you", began_at=NOW, at=NOW, failure=None)
        assert leases.release("sweep", holder="me", began_at=NOW, at=NOW, failure="it rained")
        assert leases.list_all() == [JobLease(name="sweep", done_at=NOW, failure="it rained")]


def test_acquire_rejects_an_outdated_lease(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        leases = unit.job_leases
        assert leases.acquire(JobLease(name="sweep"), holder="me", until=UNTIL)
        assert not leases.acquire(JobLease(name="sweep"), holder="you", until=UNTIL)
        assert leases.acquire(leases.find("sweep"), holder="you", until=UNTIL)
        assert leases.find("sweep").holder == "you"


def test_request_stays_until_a_later_run_has_ended(database: Database) -> None:
    began, requested = NOW - timedelta(seconds=1), NOW
    with work.open_work(database, write=True) as unit:
        leases = unit.job_leases
        leases.request("sweep", at=requested)
        assert leases.find("sweep") == JobLease(name="sweep", requested_at=requested)
        assert leases.acquire(leases.find("sweep"), holder="me", until=UNTIL)
        leases.release("sweep", holder="me", began_at=began, at=NOW, failure=None, counts={"rows": 3})
        assert leases.find("sweep") == JobLease(
            name="sweep", done_at=NOW, requested_at=requested, counts={"rows": 3}
        )
        assert leases.acquire(leases.find("sweep"), holder="me", until=UNTIL)
        leases.release("sweep", holder="me", began_at=requested, at=UNTIL, failure="it rained")
        assert leases.find("sweep") == JobLease(name="sweep", done_at=UNTIL, failure="it rained")


def test_initialize_records_the_first_run_only(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.job_leases.initialize("nightly", at=NOW)
        unit.job_leases.initialize("nightly", at=UNTIL)
        assert unit.job_leases.find("nightly") == JobLease(name="nightly", done_at=NOW)


def test_acquire_succeeds_for_one_of_many_concurrent_processes(database: Database) -> None:
    numbers = count()

    def acquire() -> bool:
        with work.open_work(database, write=True) as unit:
            return unit.job_leases.acquire(JobLease(name="sweep"), holder=f"{next(numbers)}", until=UNTIL)

    assert sum(at_once(6, acquire)) == 1
