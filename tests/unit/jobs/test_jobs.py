"""Jobs, done by one at a time."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread

import pytest
from attrs import evolve

from repaircore.core import Core
from repaircore.jobs.errors import JobNotFound
from repaircore.jobs.model import Job, JobLease, JobRun
from repaircore.jobs.ports import JobsWork
from repaircore.jobs.service import Jobs
from repaircore.kernel.callers import LOCAL, Environment, Role
from repaircore.kernel.errors import Forbidden, Unavailable
from repaircore.testing.clock import FrozenClock

WITHIN = 30.0


class Work:
    """The work of a job: it counts its runs, and waits if asked to."""

    def __init__(self) -> None:
        self.done = 0
        self.began, self.go_on = Event(), Event()
        self.go_on.set()
        self.failure: Exception | None = None

    def __call__(self) -> Mapping[str, int]:
        self.began.set()
        assert self.go_on.wait(WITHIN)
        self.done += 1
        if self.failure is not None:
            raise self.failure
        return {"rows": self.done}


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
def jobs(core: Core, work: Work, clock: FrozenClock) -> Jobs:
    job = Job(name="sweep", run=work, every=timedelta(hours=1))
    return evolve(core.jobs, jobs=(job,), workers=(), holder=lambda: "me", clock=clock)


def test_run_due_runs_a_job_when_it_is_due(jobs: Jobs, work: Work, clock: FrozenClock) -> None:
    assert jobs.run_due() == [JobRun(name="sweep", counts={"rows": 1})]
    assert jobs.run_due() == []
    assert jobs.list_leases() == [JobLease(name="sweep", done_at=clock.now, counts={"rows": 1})]
    clock.advance(timedelta(hours=1))

    assert jobs.run_due() == [JobRun(name="sweep", counts={"rows": 2})]
    assert work.done == 2


@pytest.mark.parametrize(
    ("failure", "recorded"),
    [(Unavailable("It is away."), "It is away."), (ValueError("secret"), "ValueError")],
)
def test_run_due_records_a_failure_and_retries(
    jobs: Jobs, work: Work, clock: FrozenClock, failure: Exception, recorded: str
) -> None:
    work.failure = failure
    assert jobs.run_due() == [JobRun(name="sweep", counts={}, failure=recorded)]
    assert jobs.list_leases()[0].failure == recorded
    clock.advance(timedelta(minutes=5))
    work.failure = None

    assert jobs.run_due() == [JobRun(name="sweep", counts={"rows": 2})]
    assert jobs.list_leases()[0].failure is None


def test_run_due_skips_a_job_that_another_process_runs(jobs: Jobs, work: Work) -> None:
    other = evolve(jobs, holder=lambda: "you", is_alive=lambda _: True)
    work.go_on.clear()
    thread = Thread(target=jobs.run_due)
    thread.start()
    assert work.began.wait(WITHIN)
    assert other.run_due() == []
    work.go_on.set()
    thread.join(WITHIN)

    assert other.run_due() == []
    assert work.done == 1


def test_run_due_takes_over_the_lease_of_a_dead_process(jobs: Jobs, work: Work, clock: FrozenClock) -> None:
    with jobs.transaction() as unit:
        unit.job_leases.acquire(
            JobLease(name="sweep"), holder="dead", until=clock.now + timedelta(seconds=60)
        )

    assert evolve(jobs, is_alive=lambda _: True).run_due() == []
    assert len(evolve(jobs, is_alive=lambda _: False).run_due()) == 1
    assert work.done == 1


def test_run_due_records_nothing_after_losing_the_lease(jobs: Jobs, work: Work, clock: FrozenClock) -> None:
    work.go_on.clear()
    thread = Thread(target=jobs.run_due)
    thread.start()
    assert work.began.wait(WITHIN)
    clock.advance(timedelta(minutes=10))  # it slept, and was taken for dead
    with jobs.transaction() as unit:
        assert unit.job_leases.acquire(
            unit.job_leases.find("sweep"), holder="you", until=clock.now + timedelta(seconds=60)
        )
    work.go_on.set()
    thread.join(WITHIN)

    assert jobs.list_leases()[0].holder == "you"


def test_requested_job_runs_though_it_is_not_due(jobs: Jobs, clock: FrozenClock, core: Core) -> None:
    jobs.run_due()
    clock.advance(timedelta(minutes=1))
    jobs.request_run("sweep")
    (status,) = jobs.list_statuses()
    assert status.lease.requested_at == clock.now
    assert (status.due_at, status.is_running, status.is_late) == (
        clock.now + timedelta(minutes=59),
        False,
        False,
    )
    clock.advance(timedelta(minutes=11))
    assert jobs.list_statuses()[0].is_late

    assert jobs.run_due() == [JobRun(name="sweep", counts={"rows": 2})]
    assert jobs.run_due() == []
    (status,) = jobs.list_statuses()
    assert (status.lease.requested_at, status.is_late) == (None, False)
    assert core.audit.list_newest()[0].action == "job.request"


def test_running_job_that_is_requested_runs_again(jobs: Jobs, work: Work, clock: FrozenClock) -> None:
    work.go_on.clear()
    thread = Thread(target=jobs.run_due)
    thread.start()
    assert work.began.wait(WITHIN)
    clock.advance(timedelta(seconds=1))
    jobs.request_run("sweep")
    assert evolve(jobs, is_alive=lambda _: True).list_statuses()[0].is_running
    work.go_on.set()
    thread.join(WITHIN)

    assert jobs.run_due() == [JobRun(name="sweep", counts={"rows": 2})]


def test_jobs_are_requested_by_operators_by_name(jobs: Jobs) -> None:
    with pytest.raises(JobNotFound):
        jobs.request_run("fly")
    for someone in (evolve(LOCAL, role=Role.USER), evolve(LOCAL, environment=Environment.TEST)):
        with pytest.raises(Forbidden):
            jobs.request_run("sweep", someone)
    with pytest.raises(Forbidden):
        jobs.list_statuses(evolve(LOCAL, role=Role.USER))


def test_run_runs_due_jobs_until_stopped(jobs: Jobs, work: Work) -> None:
    stop, delivered = Event(), Event()

    def worker(until: Event) -> None:
        delivered.set()
        until.wait(WITHIN)

    thread = Thread(target=evolve(jobs, workers=(worker,)).run, args=(stop,))
    thread.start()
    assert work.began.wait(WITHIN)
    assert delivered.wait(WITHIN)
    stop.set()
    thread.join(WITHIN)

    assert not thread.is_alive()
    assert work.done == 1


def test_run_restarts_a_failed_worker(jobs: Jobs) -> None:
    stop, tries, again = Event(), list[int](), Event()

    def worker(_: Event) -> None:
        tries.append(1)
        if len(tries) > 1:
            again.set()
            stop.set()
            return
        raise ValueError

    thread = Thread(target=evolve(jobs, jobs=(), workers=(worker,)).run, args=(stop,))
    thread.start()
    assert again.wait(WITHIN)
    thread.join(WITHIN)

    assert not thread.is_alive()


def test_run_due_runs_every_job_of_an_installation(core: Core, clock: FrozenClock) -> None:
    jobs = evolve(core.jobs, workers=(), clock=clock)
    nightly = {
        "estimates.refit",
        "webhooks.prune",
        "mails.prune",
        "shared_quotes.prune",
        "shared_estimates.prune",
    }
    assert not {done.name for done in jobs.run_due()} & nightly  # these wait for their night
    clock.advance(timedelta(days=1))
    done = jobs.run_due()

    assert {one.name for one in done} == {job.name for job in jobs.jobs} >= nightly
    assert {one.failure for one in done} == {None}


def test_run_waits_for_a_busy_database(jobs: Jobs, work: Work) -> None:
    refused = iter([Unavailable("It is busy.")])

    @contextmanager
    def busy_at_first() -> Iterator[JobsWork]:
        for failure in refused:
            raise failure
        with jobs.transaction() as unit:
            yield unit

    stop = Event()
    thread = Thread(target=evolve(jobs, transaction=busy_at_first).run, args=(stop,))
    thread.start()
    assert work.began.wait(WITHIN)
    stop.set()
    thread.join(WITHIN)

    assert not thread.is_alive()
