"""Jobs, done by one at a time."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread

import pytest
from attrs import evolve

from repaircore.core import Core
from repaircore.jobs.errors import JobNotFound
from repaircore.jobs.model import Job, JobLease, JobRun, Queue
from repaircore.jobs.ports import JobsWork, Worker
from repaircore.jobs.schedule import is_running_jobs, should_run, status_of
from repaircore.jobs.service import BackgroundWorker, Jobs
from repaircore.kernel.callers import LOCAL, Environment, Role
from repaircore.kernel.errors import Forbidden, Unavailable
from repaircore.testing.clock import FrozenClock

WITHIN = 30.0


def workers(work: Worker) -> tuple[BackgroundWorker]:
    return (BackgroundWorker(work=work, queue=Queue.DELIVERIES),)


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

    def worker(until: Event, _: Event) -> None:
        delivered.set()
        until.wait(WITHIN)

    thread = Thread(target=evolve(jobs, workers=workers(worker)).run, args=(stop,))
    thread.start()
    assert work.began.wait(WITHIN)
    assert delivered.wait(WITHIN)
    stop.set()
    thread.join(WITHIN)

    assert not thread.is_alive()
    assert work.done == 1


def test_run_restarts_a_failed_worker(jobs: Jobs) -> None:
    stop, tries, again = Event(), list[int](), Event()

    def worker(*_: Event) -> None:
        tries.append(1)
        if len(tries) > 1:
            again.set()
            stop.set()
            return
        raise ValueError

    thread = Thread(target=evolve(jobs, jobs=(), workers=workers(worker)).run, args=(stop,))
    thread.start()
    assert again.wait(WITHIN)
    thread.join(WITHIN)

    assert not thread.is_alive()


def test_run_due_runs_every_job_of_an_installation(core: Core, clock: FrozenClock) -> None:
    jobs = evolve(core.jobs, workers=(), clock=clock)
    nightly = {
        "estimates.refit",
        "webhooks.prune",
        "messages.prune",
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


def test_job_with_empty_queues_runs_once_in_five_minutes(work: Work, clock: FrozenClock) -> None:
    queue = Queue.PENDING_RIDES
    job = Job(name="expire", run=work, every=timedelta(seconds=5), queues=frozenset({queue}))
    lease = JobLease(name="expire", done_at=clock.now)
    for seconds, waiting, runs in (
        (4, {queue}, False),
        (5, {queue}, True),
        (5, {Queue.PAYMENTS}, False),
        (299, (), False),
        (300, (), True),
    ):
        now = clock.now + timedelta(seconds=seconds)
        assert should_run(job, lease, now, waiting) is runs
    requested = evolve(lease, requested_at=clock.now)
    assert should_run(job, requested, clock.now, ())
    assert should_run(job, JobLease(name="expire"), clock.now, ())
    due = status_of(job, lease, clock.now, is_running=False).due_at

    assert due == clock.now + timedelta(minutes=5)


def run_in_thread(jobs: Jobs, stop: Event) -> Thread:
    thread = Thread(target=jobs.run, args=(stop,))
    thread.start()
    return thread


def test_worker_sleeps_until_something_waits_for_it(jobs: Jobs) -> None:
    stop, looked, waits = Event(), Queue.TASKS, list[Queue]()
    asleep, woken = Event(), Event()

    def worker(_: Event, wake: Event) -> None:
        asleep.set()
        assert wake.wait(WITHIN)
        woken.set()
        stop.wait(WITHIN)

    written = iter(range(10_000))
    sleeping = evolve(
        jobs,
        jobs=(),
        workers=(BackgroundWorker(work=worker, queue=looked),),
        queues=lambda: waits,
        stamp=lambda: next(written),
    )
    thread = run_in_thread(sleeping, stop)
    assert asleep.wait(WITHIN)
    assert not woken.is_set()
    waits.append(looked)
    assert woken.wait(WITHIN)
    stop.set()
    thread.join(WITHIN)

    assert not thread.is_alive()


def test_worker_that_sleeps_is_woken_to_end(jobs: Jobs) -> None:
    stop, asleep = Event(), Event()

    def worker(_: Event, wake: Event) -> None:
        asleep.set()
        wake.wait(WITHIN)

    thread = run_in_thread(evolve(jobs, jobs=(), workers=workers(worker)), stop)
    assert asleep.wait(WITHIN)
    stop.set()
    thread.join(WITHIN)

    assert not thread.is_alive()


def test_outage_is_logged_once_however_many_notice_it(
    jobs: Jobs, work: Work, caplog: pytest.LogCaptureFixture
) -> None:
    stop, tries, waits = Event(), list[str](), [Queue.DELIVERIES]

    def worker(*_: Event) -> None:
        tries.append("worker")
        raise Unavailable("It is away.")

    def stamp() -> object:
        tries.append("stamp")
        if len(tries) < 3:
            raise Unavailable("It is away.")
        return len(tries)

    with caplog.at_level("WARNING"):
        away = evolve(jobs, workers=workers(worker) * 3, stamp=stamp, queues=lambda: waits)
        thread = run_in_thread(away, stop)
        assert work.began.wait(WITHIN)
        stop.set()
        thread.join(WITHIN)

    said = [record.getMessage() for record in caplog.records]
    assert said[0] == "Jobs are waiting until this is over: It is away."
    assert said.count(said[0]) <= 2
    assert "The database answers again, and jobs go on." in said


def test_running_process_is_known_until_it_signs_off(jobs: Jobs, work: Work, clock: FrozenClock) -> None:
    stop = Event()
    thread = run_in_thread(jobs, stop)
    assert work.began.wait(WITHIN)
    stop.set()
    thread.join(WITHIN)
    with jobs.read() as unit:
        (process,) = unit.job_processes.list_all()
    assert process.holder == "me"
    assert is_running_jobs(process, clock())
    clock.advance(timedelta(minutes=4))
    assert not is_running_jobs(process, clock())
    jobs.sign_off()

    with jobs.read() as unit:
        assert unit.job_processes.list_all() == []
