"""The thread that starts jobs when they are due, and wakes workers when something waits for them.

Until the next job is due, it only polls a stamp from the database, and checks for work as soon as any process has
written something.
"""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import Final

from attrs import define, field

from repaircore.jobs.model import Job, JobLease, Queue
from repaircore.jobs.outage_log import OutageLog
from repaircore.jobs.schedule import SEEN_EVERY, due_at, latest_at, should_run
from repaircore.kernel.errors import Failure

_STAMP_SECONDS: Final = 0.25
"""How often the stamp is polled: the longest that new work waits for an idle worker, apart from the check itself."""

_WAITING_SECONDS: Final = 1.0
"""How often workers are woken while their queues have items, which may be due later or leased by a dead process."""

_LONGEST_SECONDS: Final = 15.0
"""The longest sleep: a stamp may miss a change, and the clock may be adjusted."""

_OUTAGE_SECONDS: Final = 2.0
_SHORTEST: Final = timedelta(0)

_log = logging.getLogger(__name__)


@define(kw_only=True)
class Scheduler:
    """Runs a process's jobs. Each check reads ``leases`` and ``waiting``; ``run_job`` runs a job if it is still due."""

    jobs: tuple[Job, ...]
    wakes: tuple[tuple[Queue, Event], ...]
    leases: Callable[[], Mapping[str, JobLease]]
    waiting: Callable[[], frozenset[Queue]]
    stamp: Callable[[], object]
    run_job: Callable[[Job], object]
    sign: Callable[[], None]
    outages: OutageLog
    clock: Callable[[], datetime]
    timer: Callable[[], float]
    _running: dict[str, Thread] = field(init=False, factory=dict)
    _stamp: object = field(init=False, default=None)
    _has_changed: bool = field(init=False, default=True)
    _look_by: float = field(init=False, default=0.0)
    _sign_by: float = field(init=False, default=0.0)

    def run(self, stop: Event) -> None:
        """Start jobs and wake workers until ``stop`` is set; return when the running jobs have finished."""
        pause = 0.0
        while not stop.wait(pause):
            pause = self._step()
        for thread in [*self._running.values()]:
            thread.join()

    def _step(self) -> float:
        """Check for work if something has changed or is due; return the seconds until the next step."""
        try:
            if self._is_time():
                self._look_by = self.timer() + self._look()
            if self.timer() >= self._sign_by:
                self.sign()
                self._sign_by = self.timer() + SEEN_EVERY.total_seconds()
        except Failure as failure:
            self.outages.failed(failure)
            self._has_changed = True
            return _OUTAGE_SECONDS
        except Exception:  # noqa: BLE001 - an unexpected error must not end the thread
            _log.exception("Could not check for due jobs")
            return _OUTAGE_SECONDS
        self.outages.succeeded()
        return _STAMP_SECONDS

    def _is_time(self) -> bool:
        stamp = self.stamp()
        # A write may become visible slightly after the stamp changes, so the next step looks once more.
        changed = stamp != self._stamp
        had_changed, self._has_changed, self._stamp = self._has_changed, changed, stamp
        return changed or had_changed or self.timer() >= self._look_by

    def _look(self) -> float:
        """Start the jobs that are due, and wake the workers that have work; return how long the scheduler may sleep."""
        leases, waiting, now = self.leases(), self.waiting(), self.clock()
        for queue, wake in self.wakes:
            if queue in waiting:
                wake.set()
        self._running = {name: thread for name, thread in self._running.items() if thread.is_alive()}
        idle = [job for job in self.jobs if job.name not in self._running]
        for job in idle:
            if should_run(job, leases.get(job.name, JobLease(name=job.name)), now, waiting):
                self._start(job)
        has_work = any(queue in waiting for queue, _ in self.wakes)
        return min(_WAITING_SECONDS if has_work else _LONGEST_SECONDS, *self._sleeps(leases, waiting, now))

    def _sleeps(
        self, leases: Mapping[str, JobLease], waiting: frozenset[Queue], now: datetime
    ) -> "list[float]":
        """Return the seconds until each job that is not running is due, and the longest sleep."""
        sleeps = [_LONGEST_SECONDS]
        for job in self.jobs:
            lease = leases.get(job.name)
            if job.name in self._running or lease is None or lease.done_at is None:
                continue  # the end of its run changes the stamp
            rule = due_at if job.queues & waiting else latest_at
            sleeps.append(max(_SHORTEST, rule(job, lease.done_at, lease.failure) - now).total_seconds())
        return sleeps

    def _start(self, job: Job) -> None:
        thread = self._running[job.name] = Thread(
            target=self._run, args=(job,), name=f"repaircore-job-{job.name}"
        )
        thread.start()

    def _run(self, job: Job) -> None:
        try:
            self.run_job(job)
        except Failure as failure:  # the database is down: the next check tries again
            self.outages.failed(failure)
        except Exception:  # noqa: BLE001 - reported; the next check tries again
            _log.exception("Could not run the job %s", job.name)
