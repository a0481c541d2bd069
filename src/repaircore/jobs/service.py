"""Doing jobs: any number of processes may, and each job is done by one of them at a time."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

from attrs import frozen

from repaircore.jobs.model import Job, JobLease, JobRun
from repaircore.jobs.ports import Courier, Holder, IsAlive, OpenWork
from repaircore.jobs.turns import LEASE, is_due, is_held
from repaircore.kernel.errors import Failure
from repaircore.kernel.types import Clock

_LOOKS_EVERY: Final = 1.0
_RENEWS_EVERY: Final = 15.0

_log = logging.getLogger(__name__)


@frozen(kw_only=True)
class Jobs:
    """The use cases. ``couriers`` are at work all the time, in threads of their own."""

    transaction: OpenWork
    read: OpenWork
    jobs: Sequence[Job]
    couriers: Sequence[Courier]
    holder: Holder
    is_alive: IsAlive
    clock: Clock

    def standing(self) -> Sequence[JobLease]:
        """Tell how every job stands, in the order in which they are listed."""
        with self.read() as work:
            return [work.job_turns.of(job.name) for job in self.jobs]

    def run(self, stop: Event) -> None:
        """Do each job when it is due, until ``stop`` is set; returns when what is being done then is finished."""
        while not self._has_begun_counting():
            if stop.wait(_LOOKS_EVERY):
                return
        threads = [
            *(Thread(target=self._kept_at_work, args=(courier, stop)) for courier in self.couriers),
            *(Thread(target=self._watch, args=(job, stop)) for job in self.jobs),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def run_due(self) -> Sequence[JobRun]:
        """Do the jobs that are due now and that nobody else is doing, one after the other."""
        self._begin_counting()
        return [done for job in self.jobs if (done := self.do(job)) is not None]

    def do(self, job: Job) -> JobRun | None:
        """Do a job if it is due and this process gets the turn; None when not.

        Whatever it raises is kept as its failure, and told.
        """
        holder, now = self.holder(), self.clock()
        with self.read() as work:
            turn = work.job_turns.of(job.name)
        held = is_held(turn, now) and turn.holder is not None and self.is_alive(turn.holder)
        if held or not is_due(job, turn, now):
            return None
        with self.transaction() as work:
            if not work.job_turns.take(turn, holder=holder, until=now + LEASE):
                return None
        with self._renewing(job.name, holder):
            done = _done(job)
        with self.transaction() as work:
            work.job_turns.end(job.name, holder=holder, at=self.clock(), failure=done.failure)
        return done

    def _begin_counting(self) -> None:
        """Let the first day of an installation pass before what is done once a day."""
        with self.transaction() as work:
            for job in self.jobs:
                if job.at is not None:
                    work.job_turns.begin_counting(job.name, at=self.clock())

    def _has_begun_counting(self) -> bool:
        try:
            self._begin_counting()
        except Failure as failure:  # the database is away, or busy; it comes back
            _log.warning("Jobs cannot begin yet: %s", failure.message)
            return False
        return True

    def _watch(self, job: Job, stop: Event) -> None:
        while not stop.wait(_LOOKS_EVERY):
            try:
                self.do(job)
            except Failure as failure:  # the database is away; it comes back
                _log.warning("The job %s cannot be looked at: %s", job.name, failure.message)
            except Exception:  # noqa: BLE001 - one job that fails oddly ends no other
                _log.exception("The job %s cannot be looked at", job.name)

    def _kept_at_work(self, courier: Courier, stop: Event) -> None:
        while not stop.is_set():
            try:
                courier(stop)
            except Exception:  # noqa: BLE001 - what runs all the time ends for no reason
                _log.exception("What runs all the time has ended, and begins again")
                stop.wait(_LOOKS_EVERY)

    @contextmanager
    def _renewing(self, name: str, holder: str) -> Iterator[None]:
        over = Event()

        def renew() -> None:
            while not over.wait(_RENEWS_EVERY):
                try:
                    with self.transaction() as work:
                        work.job_turns.renew(name, holder=holder, until=self.clock() + LEASE)
                except Failure as failure:
                    _log.warning("The turn of the job %s could not be renewed: %s", name, failure.message)

        thread = Thread(target=renew, daemon=True, name=f"repaircore-turn-{name}")
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def _done(job: Job) -> JobRun:
    try:
        return JobRun(name=job.name, counts=job.run())
    except Failure as failure:
        _log.warning("The job %s failed: %s", job.name, failure.message)
        return JobRun(name=job.name, counts={}, failure=failure.message)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is this job's failure
        _log.exception("The job %s failed", job.name)
        return JobRun(name=job.name, counts={}, failure=type(error).__name__)
