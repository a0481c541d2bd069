"""When the scheduler looks for due jobs, on a clock that advances only as it sleeps."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event
from time import sleep
from typing import Any

import pytest
from attrs import define, field
from typing_extensions import override

from repaircore.jobs.model import Job, JobLease, Queue
from repaircore.jobs.outage_log import OutageLog
from repaircore.jobs.scheduler import Scheduler
from repaircore.kernel.errors import Unavailable

START = datetime(2026, 1, 1, tzinfo=UTC)


@define
class Sleeper:
    """Counts the seconds that a scheduler sleeps, and the times at which it looks and signs."""

    seconds: float = 0.0
    looks: list[float] = field(factory=list)
    signs: list[float] = field(factory=list)

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def run(self, until: float, leases: Callable[[], dict[str, JobLease]] = dict, **fields: Any) -> None:
        sleeper = self

        class Stop(Event):
            @override
            def wait(self, timeout: float | None = None) -> bool:
                sleeper.seconds += timeout or 0.0
                return sleeper.seconds > until

        def look() -> dict[str, JobLease]:
            self.looks.append(self.seconds)
            return leases()

        fields = {
            "jobs": (),
            "wakes": (),
            "waiting": frozenset,
            "stamp": lambda: "unchanged",
            "run_job": lambda _: None,
            "sign": lambda: self.signs.append(self.seconds),
            **fields,
        }
        outages = OutageLog(log=logging.getLogger(__name__))
        Scheduler(leases=look, outages=outages, clock=self.now, timer=lambda: self.seconds, **fields).run(
            Stop()
        )


def test_idle_scheduler_looks_every_fifteen_seconds_and_signs_every_minute() -> None:
    sleeper = Sleeper()
    sleeper.run(121)

    # After a change of the stamp, and the first look is one, it looks once more.
    assert sleeper.looks == [0, 0.25, *(15.25 + 15 * n for n in range(8))]
    assert sleeper.signs == [0, 60, 120]


def test_scheduler_looks_when_the_stamp_has_changed() -> None:
    sleeper = Sleeper()
    sleeper.run(14, stamp=lambda: sleeper.seconds >= 5)

    assert sleeper.looks == [0, 0.25, 5, 5.25]


def test_scheduler_looks_when_the_next_job_is_due() -> None:
    sleeper, runs = Sleeper(), list[tuple[str, float]]()
    jobs = [Job(name=f"every {n}", run=dict, every=timedelta(seconds=n)) for n in (9, 5)]
    sleeper.run(
        5,
        leases=lambda: {job.name: JobLease(name=job.name, done_at=START) for job in jobs},
        jobs=tuple(jobs),
        run_job=lambda job: runs.append((job.name, sleeper.seconds)),
    )

    assert sleeper.looks == [0, 0.25, 5]
    assert [name for name, _ in runs] == ["every 5"]


def test_scheduler_wakes_a_worker_each_second_while_something_waits_for_it() -> None:
    sleeper, busy, idle = Sleeper(), Event(), Event()
    sleeper.run(
        3.5,
        wakes=((Queue.TASKS, busy), (Queue.MAILS, idle)),
        waiting=lambda: frozenset({Queue.TASKS, Queue.PENDING_RIDES}),
    )

    assert sleeper.looks == [0, 0.25, 1.25, 2.25, 3.25]
    assert busy.is_set()
    assert not idle.is_set()


def test_scheduler_does_not_hurry_for_a_queue_without_a_worker() -> None:
    sleeper = Sleeper()
    sleeper.run(14, waiting=lambda: frozenset({Queue.PENDING_RIDES}))

    assert sleeper.looks == [0, 0.25]


def test_scheduler_hurries_for_a_job_only_while_its_queue_has_work() -> None:
    queue = Queue.PENDING_RIDES
    job = Job(name="expire", run=dict, every=timedelta(seconds=5), queues=frozenset({queue}))
    for waiting, looks in ((frozenset({queue}), [0, 0.25, 5]), (frozenset({Queue.TASKS}), [0, 0.25])):
        sleeper = Sleeper()
        sleeper.run(
            5,
            leases=lambda: {job.name: JobLease(name=job.name, done_at=START)},
            waiting=lambda waiting=waiting: waiting,
            jobs=(job,),
        )

        assert sleeper.looks == looks


def test_scheduler_waits_for_running_jobs_and_starts_none_twice() -> None:
    sleeper, runs, over = Sleeper(), list[str](), Event()

    def work(job: Job) -> None:
        runs.append(f"{job.name} began")
        assert over.wait(10)
        sleep(0.05)
        runs.append(f"{job.name} ended")

    def look() -> dict[str, JobLease]:
        if sleeper.seconds >= 3:  # the last look
            over.set()
        return {}

    job = Job(name="long", run=dict, every=timedelta(seconds=1))
    sleeper.run(3, leases=look, jobs=(job,), run_job=work, stamp=lambda: sleeper.seconds)

    assert runs == ["long began", "long ended"]


def test_job_that_cannot_be_run_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    failures = {"away": Unavailable("The database is not responding."), "broken": ValueError("unexpected")}

    def fail(job: Job) -> None:
        raise failures[job.name]

    jobs = tuple(Job(name=name, run=dict, every=timedelta(hours=1)) for name in failures)
    Sleeper().run(0, jobs=jobs, run_job=fail)

    assert {entry.getMessage() for entry in caplog.records} >= {
        "Jobs are paused until the database is available again: The database is not responding.",
        "Could not run the job broken",
    }


def test_scheduler_looks_again_two_seconds_after_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    sleeper = Sleeper()
    errors = iter([Unavailable("The database is not responding."), ValueError("unexpected")])

    def fail_twice() -> dict[str, JobLease]:
        for error in errors:
            raise error
        return {}

    sleeper.run(5, leases=fail_twice)

    assert sleeper.looks == [0, 2, 4]
    messages = [entry.getMessage() for entry in caplog.records]
    assert messages[:2] == [
        "Jobs are paused until the database is available again: The database is not responding.",
        "Could not check for due jobs",
    ]
