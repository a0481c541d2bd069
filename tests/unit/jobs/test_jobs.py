"""Background jobs, each run by one process at a time."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import time, timedelta
from threading import Event, Thread

import pytest
from attrs import evolve

from repaircore.core import Core
from repaircore.jobs.errors import JobNotFound
from repaircore.jobs.model import Job, JobLease, JobRun, Queue
from repaircore.jobs.ports import JobsWork, Worker
from repaircore.jobs.schedule import LEASE, is_running_jobs, should_run, status_of
from repaircore.jobs.service import BackgroundWorker, Jobs
from repaircore.kernel.callers import LOCAL, Environment, Role
from repaircore.kernel.errors import Forbidden, Unavailable
from repaircore.testing.clock import FrozenClock

TIMEOUT = 30.0


def workers(work: Worker) -> tuple[BackgroundWorker]:
    return (BackgroundWorker(work=work, queue=Queue.DELIVERIES),)


class FakeWork:
    """The work of a job: counts its runs, and can be made to wait."""

    def __init__(self) -> None:
        self.runs = 0
        self.started, self.may_finish = Event(), Event()
        self.may_finish.set()
        self.failure: Exception | None = None

    def __call__(self) -> Mapping[str, int]:
        self.started.set()
        assert self.may_finish.wait(TIMEOUT)
        self.runs += 1
        if self.failure is not None:
            raise self.failure
        return {"rows": self.runs}


@pytest.fixture
def work() -> FakeWork:
    return FakeWork()


@pytest.fixture
def jobs(core: Core, work: FakeWork, clock: FrozenClock) -> Jobs:
    job = Job(name="sweep", run=work, every=timedelta(hours=1))
    return evolve(core.jobs, jobs=(job,), workers=(), holder=lambda: "me", clock=clock)


def test_run_due_runs_a_job_when_it_is_due(jobs: Jobs, work: FakeWork, clock: FrozenClock) -> None:
    assert jobs.run_due() == [JobRun(name="sweep", counts={"rows": 1})]
    assert jobs.run_due() == []
    assert jobs.list_leases() == [JobLease(name="sweep", done_at=clock.now, counts={"rows": 1})]
    clock.advance(timedelta(hours=1))

    assert jobs.run_due() == [JobRun(name="sweep", counts={"rows": 2})]
    assert work.runs == 2


@pytest.mark.parametrize(
    ("failure", "recorded"),
    [(Unavailable("It is away."), "It is away."), (ValueError("secret"), "ValueError")],
)
def test_run_due_records_a_failure_and_retries(
    jobs: Jobs,
    work: FakeWork,
    clock: FrozenClock,
    caplog: pytest.LogCaptureFixture,
    *,
    failure: Exception,
    recorded: str,
) -> None:
    work.failure = failure
    assert jobs.run_due() == [JobRun(name="sweep", counts={}, failure=recorded)]
    assert jobs.list_leases()[0].failure == recorded
    (entry,) = caplog.records
    if isinstance(failure, Unavailable):
        assert (entry.getMessage(), entry.exc_info) == (f"The job sweep failed: {recorded}", None)
    else:
        assert entry.getMessage() == "The job sweep failed"
        assert entry.exc_info is not None
    clock.advance(timedelta(minutes=5))
    work.failure = None

    assert jobs.run_due() == [JobRun(name="sweep", counts={"rows": 2})]
    assert jobs.list_leases()[0].failure is None


def test_run_due_skips_a_job_that_another_process_runs(jobs: Jobs, work: FakeWork) -> None:
    other = evolve(jobs, holder=lambda: "you", is_alive=lambda _: True)
    work.may_finish.clear()
    thread = Thread(target=jobs.run_due)
    thread.start()
    assert work.started.wait(TIMEOUT)
    assert other.run_due() == []
    work.may_finish.set()
    thread.join(TIMEOUT)

    assert other.run_due() == []
    assert work.runs == 1


def test_run_due_takes_over_the_lease_of_a_dead_process(
    jobs: Jobs, work: FakeWork, clock: FrozenClock
) -> None:
    with jobs.transaction() as unit:
        unit.job_leases.acquire(
            JobLease(name="sweep"), holder="dead", until=clock.now + timedelta(seconds=60)
        )

    assert evolve(jobs, is_alive=lambda _: True).run_due() == []
    assert len(evolve(jobs, is_alive=lambda _: False).run_due()) == 1
    assert work.runs == 1


def test_lease_of_a_running_job_is_renewed(jobs: Jobs, work: FakeWork, clock: FrozenClock) -> None:
    work.may_finish.clear()
    thread = Thread(target=evolve(jobs, renewal_seconds=0.01).run_due)
    thread.start()
    assert work.started.wait(TIMEOUT)
    clock.advance(LEASE / 2)
    stopped = Event()
    while jobs.list_leases()[0].held_until != clock.now + LEASE:
        assert thread.is_alive()
        stopped.wait(0.01)
    work.may_finish.set()
    thread.join(TIMEOUT)

    assert (work.runs, jobs.list_leases()[0].holder) == (1, None)


def test_run_due_records_nothing_after_losing_the_lease(
    jobs: Jobs, work: FakeWork, clock: FrozenClock
) -> None:
    work.may_finish.clear()
    thread = Thread(target=jobs.run_due)
    thread.start()
    assert work.started.wait(TIMEOUT)
    clock.advance(timedelta(minutes=10))  # it slept so long that it seemed dead
    with jobs.transaction() as unit:
        assert unit.job_leases.acquire(
            unit.job_leases.find("sweep"), holder="you", until=clock.now + timedelta(seconds=60)
        )
    work.may_finish.set()
    thread.join(TIMEOUT)

    assert jobs.list_leases()[0].holder == "you"


def test_requested_job_runs_before_it_is_due(jobs: Jobs, clock: FrozenClock, core: Core) -> None:
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


def test_running_job_runs_again_when_requested(jobs: Jobs, work: FakeWork, clock: FrozenClock) -> None:
    work.may_finish.clear()
    thread = Thread(target=jobs.run_due)
    thread.start()
    assert work.started.wait(TIMEOUT)
    clock.advance(timedelta(seconds=1))
    jobs.request_run("sweep")
    assert evolve(jobs, is_alive=lambda _: True).list_statuses()[0].is_running
    work.may_finish.set()
    thread.join(TIMEOUT)

    assert jobs.run_due() == [JobRun(name="sweep", counts={"rows": 2})]


def test_request_run_needs_an_operator_and_a_known_job(jobs: Jobs) -> None:
    with pytest.raises(JobNotFound):
        jobs.request_run("fly")
    for someone in (evolve(LOCAL, role=Role.USER), evolve(LOCAL, environment=Environment.TEST)):
        with pytest.raises(Forbidden):
            jobs.request_run("sweep", someone)
    with pytest.raises(Forbidden):
        jobs.list_statuses(evolve(LOCAL, role=Role.USER))


def test_run_runs_due_jobs_until_stopped(jobs: Jobs, work: FakeWork) -> None:
    stop, delivered = Event(), Event()

    def worker(until: Event, _: Event) -> None:
        delivered.set()
        until.wait(TIMEOUT)

    thread = Thread(target=evolve(jobs, workers=workers(worker)).run, args=(stop,))
    thread.start()
    assert work.started.wait(TIMEOUT)
    assert delivered.wait(TIMEOUT)
    stop.set()
    thread.join(TIMEOUT)

    assert not thread.is_alive()
    assert work.runs == 1


def test_run_leaves_nightly_jobs_of_a_new_installation_to_its_first_night(jobs: Jobs, work: FakeWork) -> None:
    nightly, stop = FakeWork(), Event()
    night = Job(name="night", run=nightly, at=time(3))
    thread = run_in_thread(evolve(jobs, jobs=(night, *jobs.jobs)), stop)
    assert work.started.wait(TIMEOUT)
    stop.set()
    thread.join(TIMEOUT)

    assert not thread.is_alive()
    assert (work.runs, nightly.runs) == (1, 0)


def test_run_restarts_a_failed_worker(jobs: Jobs, caplog: pytest.LogCaptureFixture) -> None:
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
    assert again.wait(TIMEOUT)
    thread.join(TIMEOUT)

    assert not thread.is_alive()
    assert [entry.getMessage() for entry in caplog.records] == [
        "A background worker failed and will be restarted"
    ]


def test_run_due_runs_every_job_of_an_installation(core: Core, clock: FrozenClock) -> None:
    jobs = evolve(core.jobs, workers=(), clock=clock)
    nightly = {
        "estimates.refit",
        "webhooks.prune",
        "messages.prune",
        "shared_quotes.prune",
        "shared_estimates.prune",
    }
    assert not {one.name for one in jobs.run_due()} & nightly  # these wait for the night
    clock.advance(timedelta(days=1))
    runs = jobs.run_due()

    assert {one.name for one in runs} == {job.name for job in jobs.jobs} >= nightly
    assert {one.failure for one in runs} == {None}


def test_run_waits_for_a_busy_database(jobs: Jobs, work: FakeWork) -> None:
    failures = iter([Unavailable("It is busy.")])

    @contextmanager
    def begin_after_a_failure() -> Iterator[JobsWork]:
        for failure in failures:
            raise failure
        with jobs.transaction() as unit:
            yield unit

    stop = Event()
    thread = Thread(target=evolve(jobs, transaction=begin_after_a_failure).run, args=(stop,))
    thread.start()
    assert work.started.wait(TIMEOUT)
    stop.set()
    thread.join(TIMEOUT)

    assert not thread.is_alive()


def test_job_with_empty_queues_runs_every_five_minutes(work: FakeWork, clock: FrozenClock) -> None:
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


def test_worker_sleeps_until_its_queue_has_work(jobs: Jobs) -> None:
    stop, queue, waiting = Event(), Queue.TASKS, list[Queue]()
    asleep, woken = Event(), Event()

    def worker(_: Event, wake: Event) -> None:
        asleep.set()
        assert wake.wait(TIMEOUT)
        woken.set()
        stop.wait(TIMEOUT)

    stamps = iter(range(10_000))
    sleeping = evolve(
        jobs,
        jobs=(),
        workers=(BackgroundWorker(work=worker, queue=queue),),
        queues=lambda: waiting,
        stamp=lambda: next(stamps),
    )
    thread = run_in_thread(sleeping, stop)
    assert asleep.wait(TIMEOUT)
    assert not woken.is_set()
    waiting.append(queue)
    assert woken.wait(TIMEOUT)
    stop.set()
    thread.join(TIMEOUT)

    assert not thread.is_alive()


def test_sleeping_worker_wakes_up_to_stop(jobs: Jobs) -> None:
    stop, asleep = Event(), Event()

    def worker(_: Event, wake: Event) -> None:
        asleep.set()
        wake.wait(TIMEOUT)

    thread = run_in_thread(evolve(jobs, jobs=(), workers=workers(worker)), stop)
    assert asleep.wait(TIMEOUT)
    stop.set()
    thread.join(TIMEOUT)

    assert not thread.is_alive()


def test_outage_is_logged_once_for_all_workers(
    jobs: Jobs, work: FakeWork, caplog: pytest.LogCaptureFixture
) -> None:
    stop, tries, waiting = Event(), list[str](), [Queue.DELIVERIES]

    def worker(*_: Event) -> None:
        tries.append("worker")
        raise Unavailable("It is away.")

    def stamp() -> object:
        tries.append("stamp")
        if len(tries) < 3:
            raise Unavailable("It is away.")
        return len(tries)

    with caplog.at_level("WARNING"):
        away = evolve(jobs, workers=workers(worker) * 3, stamp=stamp, queues=lambda: waiting)
        thread = run_in_thread(away, stop)
        assert work.started.wait(TIMEOUT)
        stop.set()
        thread.join(TIMEOUT)

    messages = [record.getMessage() for record in caplog.records]
    assert messages[0] == "Jobs are paused until the database is available again: It is away."
    assert messages.count(messages[0]) <= 2
    assert "The database is available again; jobs are running." in messages


def test_running_process_is_recorded_until_it_signs_off(
    jobs: Jobs, work: FakeWork, clock: FrozenClock
) -> None:
    stop = Event()
    thread = run_in_thread(jobs, stop)
    assert work.started.wait(TIMEOUT)
    stop.set()
    thread.join(TIMEOUT)
    with jobs.read() as unit:
        (process,) = unit.job_processes.list_all()
    assert process.holder == "me"
    assert is_running_jobs(process, clock())
    clock.advance(timedelta(minutes=4))
    assert not is_running_jobs(process, clock())
    jobs.sign_off()

    with jobs.read() as unit:
        assert unit.job_processes.list_all() == []
