"""Run background jobs. Any number of processes may do so; each job runs in one of them at a time."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from threading import Event, Thread
from typing import Final

from attrs import frozen

from repaircore.jobs.errors import JobNotFound
from repaircore.jobs.model import Job, JobLease, JobRun, JobStatus, Queue
from repaircore.jobs.outage_log import OutageLog
from repaircore.jobs.ports import Holder, IsAlive, OpenWork, ReadQueues, ReadStamp, Worker
from repaircore.jobs.schedule import LEASE, is_due, is_held, status_of
from repaircore.jobs.scheduler import Scheduler
from repaircore.kernel.callers import LOCAL, Caller, require_admin, require_operator
from repaircore.kernel.errors import Failure
from repaircore.kernel.leases import RENEWAL_SECONDS, renewed_lease
from repaircore.kernel.types import Clock, Timer

_RETRY_SECONDS: Final = 1.0
_OUTAGE_SECONDS: Final = 60.0
"""How long a worker waits for the end of an outage before it tries again on its own."""

_log = logging.getLogger(__name__)


@frozen(kw_only=True)
class BackgroundWorker:
    """Continuous work in a thread of its own, which sleeps while its queue is empty."""

    work: Worker
    queue: Queue


@frozen(kw_only=True)
class Jobs:
    """Use cases for background jobs. ``workers`` run continuously, each in its own thread."""

    transaction: OpenWork
    read: OpenWork
    jobs: Sequence[Job]
    workers: Sequence[BackgroundWorker]
    queues: ReadQueues
    stamp: ReadStamp
    holder: Holder
    is_alive: IsAlive
    clock: Clock
    timer: Timer
    renewal_seconds: float = RENEWAL_SECONDS

    def list_leases(self) -> Sequence[JobLease]:
        """Return the lease of every job, in the order of ``jobs``."""
        with self.read() as work:
            return [work.job_leases.find(job.name) for job in self.jobs]

    def list_statuses(self, caller: Caller = LOCAL) -> Sequence[JobStatus]:
        """Return the status of every job, in the order of ``jobs``.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        now = self.clock()
        leases = zip(self.jobs, self.list_leases(), strict=True)
        return [status_of(job, lease, now, is_running=self._is_running(lease, now)) for job, lease in leases]

    def request_run(self, name: str, caller: Caller = LOCAL) -> None:
        """Request a run of a job even if it is not due, in whichever process runs jobs; a running job will run again.

        Raises:
            Forbidden: the caller is not an admin of the live environment.
            JobNotFound: there is no such job.
        """
        require_operator(caller)
        if name not in {job.name for job in self.jobs}:
            raise JobNotFound(name)
        with self.transaction() as work:
            now = self.clock()
            work.job_leases.request(name, at=now)
            work.audit.add(caller, "job.request", f"jobs/{name}", before=None, after=None, at=now)

    def run(self, stop: Event) -> None:
        """Run each job when it is due until ``stop`` is set; return when the running ones have finished."""
        outages = OutageLog(log=_log)
        while not self._try_initialize(outages):
            if stop.wait(_RETRY_SECONDS):
                return
        wakes = [(worker.queue, Event()) for worker in self.workers]
        threads = [
            Thread(target=self._keep_working, args=(worker.work, stop, wake, outages))
            for worker, (_, wake) in zip(self.workers, wakes, strict=True)
        ]
        for thread in threads:
            thread.start()
        self._scheduler(wakes, outages).run(stop)
        for _, wake in wakes:
            wake.set()
        for thread in threads:
            thread.join()

    def _scheduler(self, wakes: Sequence[tuple[Queue, Event]], outages: OutageLog) -> Scheduler:
        started_at = self.clock()
        return Scheduler(
            jobs=tuple(self.jobs),
            wakes=tuple(wakes),
            leases=self._leases,
            waiting=lambda: frozenset(self.queues()),
            stamp=self.stamp,
            run_job=self.run_if_due,
            sign=lambda: self._record_process(started_at),
            outages=outages,
            clock=self.clock,
            timer=self.timer,
        )

    def sign_off(self) -> None:
        """Delete the record of this process as it stops running jobs; the checkup reports processes that just vanish.

        Raises:
            Unavailable: the database is not responding.
        """
        with self.transaction() as work:
            work.job_processes.delete(self.holder())

    def _record_process(self, started_at: datetime) -> None:
        """Record that this process runs jobs; delete the records of processes that have ended without signing off."""
        with self.transaction() as work:
            for process in work.job_processes.list_all():
                if not self.is_alive(process.holder):
                    work.job_processes.delete(process.holder)
            work.job_processes.see(self.holder(), started_at=started_at, at=self.clock())

    def _leases(self) -> Mapping[str, JobLease]:
        with self.read() as work:
            return {lease.name: lease for lease in work.job_leases.list_all()}

    def run_due(self) -> Sequence[JobRun]:
        """Run the jobs that are due and that no other process is running, one after the other."""
        self._initialize()
        return [run for job in self.jobs if (run := self.run_if_due(job)) is not None]

    def run_if_due(self, job: Job) -> JobRun | None:
        """Run a job and return its run, or return None if it is not due or another process has its lease.

        An exception is recorded as the failure of the run, and logged.
        """
        holder, now = self.holder(), self.clock()
        with self.read() as work:
            lease = work.job_leases.find(job.name)
        if self._is_running(lease, now) or not is_due(job, lease, now):
            return None
        with self.transaction() as work:
            if not work.job_leases.acquire(lease, holder=holder, until=now + LEASE):
                return None
        with renewed_lease(
            lambda: self._renew(job.name, holder),
            subject=f"job {job.name}",
            log=_log,
            seconds=self.renewal_seconds,
        ):
            run = _run(job)
        with self.transaction() as work:
            work.job_leases.release(
                job.name,
                holder=holder,
                began_at=now,
                at=self.clock(),
                failure=run.failure,
                counts=run.counts,
            )
        return run

    def _is_running(self, lease: JobLease, now: datetime) -> bool:
        return is_held(lease, now) and lease.holder is not None and self.is_alive(lease.holder)

    def _initialize(self) -> None:
        """Delay a new installation's daily jobs until their next scheduled time."""
        with self.transaction() as work:
            for job in self.jobs:
                if job.at is not None:
                    work.job_leases.initialize(job.name, at=self.clock())

    def _try_initialize(self, outages: OutageLog) -> bool:
        try:
            self._initialize()
        except Failure as failure:  # the database is down or busy: try again later
            outages.failed(failure)
            return False
        outages.succeeded()
        return True

    def _keep_working(self, work: Worker, stop: Event, wake: Event, outages: OutageLog) -> None:
        while not stop.is_set():
            try:
                work(stop, wake)
            except Failure as failure:  # it is woken again when the outage is over
                outages.failed(failure)
                wake.clear()
                wake.wait(_OUTAGE_SECONDS)
            except Exception:  # noqa: BLE001 - a worker must not stop for any error
                _log.exception("A background worker failed and will be restarted")
                stop.wait(_RETRY_SECONDS)

    def _renew(self, name: str, holder: str) -> None:
        with self.transaction() as work:
            work.job_leases.renew(name, holder=holder, until=self.clock() + LEASE)


def _run(job: Job) -> JobRun:
    try:
        return JobRun(name=job.name, counts=job.run())
    except Failure as failure:
        _log.warning("The job %s failed: %s", job.name, failure.message)
        return JobRun(name=job.name, counts={}, failure=failure.message)
    except Exception as error:  # noqa: BLE001 - recorded as the failure of the run
        _log.exception("The job %s failed", job.name)
        return JobRun(name=job.name, counts={}, failure=type(error).__name__)
