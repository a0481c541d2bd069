"""Run background jobs. Any number of processes may do so; each job runs in one of them at a time."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from threading import Event, Thread
from typing import Final

from attrs import frozen

from repaircore.jobs.errors import JobNotFound
from repaircore.jobs.model import Job, JobLease, JobRun, JobStatus
from repaircore.jobs.ports import Holder, IsAlive, OpenWork, Worker
from repaircore.jobs.schedule import LEASE, is_due, is_held, status_of
from repaircore.kernel.callers import LOCAL, Caller, require_admin, require_operator
from repaircore.kernel.errors import Failure
from repaircore.kernel.types import Clock

_POLL_SECONDS: Final = 1.0
_RENEWAL_SECONDS: Final = 15.0

_log = logging.getLogger(__name__)


@frozen(kw_only=True)
class Jobs:
    """The use cases of background jobs. ``workers`` run continuously, each in its own thread."""

    transaction: OpenWork
    read: OpenWork
    jobs: Sequence[Job]
    workers: Sequence[Worker]
    holder: Holder
    is_alive: IsAlive
    clock: Clock

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
        """Have a job run now, by whichever process runs jobs, though it is not due; a running one runs again after that.

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
        while not self._try_initialize():
            if stop.wait(_POLL_SECONDS):
                return
        threads = [
            *(Thread(target=self._keep_running, args=(worker, stop)) for worker in self.workers),
            *(Thread(target=self._watch, args=(job, stop)) for job in self.jobs),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def run_due(self) -> Sequence[JobRun]:
        """Run the jobs that are due and that no other process is running, one after the other."""
        self._initialize()
        return [run for job in self.jobs if (run := self.run_if_due(job)) is not None]

    def run_if_due(self, job: Job) -> JobRun | None:
        """Run a job if it is due and this process acquires its lease, else return None.

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
        with self._renewing(job.name, holder):
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
        """Delay daily jobs of a new installation until its first night."""
        with self.transaction() as work:
            for job in self.jobs:
                if job.at is not None:
                    work.job_leases.initialize(job.name, at=self.clock())

    def _try_initialize(self) -> bool:
        try:
            self._initialize()
        except Failure as failure:  # the database is down or busy: try again later
            _log.warning("Jobs cannot start yet: %s", failure.message)
            return False
        return True

    def _watch(self, job: Job, stop: Event) -> None:
        while not stop.wait(_POLL_SECONDS):
            try:
                self.run_if_due(job)
            except Failure as failure:  # the database is down: try again later
                _log.warning("The job %s cannot be checked: %s", job.name, failure.message)
            except Exception:  # noqa: BLE001 - an unexpected error must not end the thread
                _log.exception("The job %s cannot be checked", job.name)

    def _keep_running(self, worker: Worker, stop: Event) -> None:
        while not stop.is_set():
            try:
                worker(stop)
            except Exception:  # noqa: BLE001 - a worker must not stop for any error
                _log.exception("A background worker failed, and is restarted")
                stop.wait(_POLL_SECONDS)

    @contextmanager
    def _renewing(self, name: str, holder: str) -> Iterator[None]:
        finished = Event()

        def renew() -> None:
            while not finished.wait(_RENEWAL_SECONDS):
                try:
                    with self.transaction() as work:
                        work.job_leases.renew(name, holder=holder, until=self.clock() + LEASE)
                except Failure as failure:
                    _log.warning("The lease of the job %s could not be renewed: %s", name, failure.message)

        thread = Thread(target=renew, daemon=True, name=f"repaircore-lease-{name}")
        thread.start()
        try:
            yield
        finally:
            finished.set()
            thread.join()


def _run(job: Job) -> JobRun:
    try:
        return JobRun(name=job.name, counts=job.run())
    except Failure as failure:
        _log.warning("The job %s failed: %s", job.name, failure.message)
        return JobRun(name=job.name, counts={}, failure=failure.message)
    except Exception as error:  # noqa: BLE001 - recorded as the failure of the run
        _log.exception("The job %s failed", job.name)
        return JobRun(name=job.name, counts={}, failure=type(error).__name__)
