"""What the turns of jobs promise, on each database."""

from datetime import timedelta
from itertools import count

from tests.contracts.conftest import NOW
from tests.threads import at_once

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.jobs.model import JobLease

UNTIL = NOW + timedelta(minutes=1)


def test_what_was_never_done_stands_so(database: Database) -> None:
    with work.open_work(database, write=False) as unit:
        assert unit.job_leases.find("sweep") == JobLease(name="sweep")
        assert unit.job_leases.list_all() == []


def test_a_turn_is_taken_held_and_ended(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        leases = unit.job_leases
        assert leases.acquire(JobLease(name="sweep"), holder="me", until=UNTIL)
        assert leases.find("sweep") == JobLease(name="sweep", holder="me", held_until=UNTIL)
        assert leases.renew("sweep", holder="me", until=UNTIL + timedelta(minutes=1))
        assert not leases.renew("sweep", holder="you", until=UNTIL)
        assert not leases.release("sweep", holder="you", at=NOW, failure=None)
        assert leases.release("sweep", holder="me", at=NOW, failure="it rained")
        assert leases.list_all() == [JobLease(name="sweep", done_at=NOW, failure="it rained")]


def test_a_turn_is_not_taken_by_who_knows_it_no_longer(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        leases = unit.job_leases
        assert leases.acquire(JobLease(name="sweep"), holder="me", until=UNTIL)
        assert not leases.acquire(JobLease(name="sweep"), holder="you", until=UNTIL)
        assert leases.acquire(leases.find("sweep"), holder="you", until=UNTIL)
        assert leases.find("sweep").holder == "you"


def test_a_job_counts_from_when_it_was_first_known(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.job_leases.initialize("nightly", at=NOW)
        unit.job_leases.initialize("nightly", at=UNTIL)
        assert unit.job_leases.find("nightly") == JobLease(name="nightly", done_at=NOW)


def test_of_many_who_take_a_turn_at_once_one_gets_it(database: Database) -> None:
    numbers = count()

    def take() -> bool:
        with work.open_work(database, write=True) as unit:
            return unit.job_leases.acquire(JobLease(name="sweep"), holder=f"{next(numbers)}", until=UNTIL)

    assert sum(at_once(6, take)) == 1
