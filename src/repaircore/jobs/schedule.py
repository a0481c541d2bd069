"""Rules for jobs: whether one is due, and whether its lease is held."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from repaircore.jobs.model import Job, JobLease, JobProcess, JobStatus, Queue
from repaircore.kernel.leases import is_in_force

LEASE: Final = timedelta(seconds=60)
"""How long a lease lasts unless it is renewed, in case its holder has died."""

RETRY_AFTER: Final = timedelta(minutes=5)
"""The delay before a failed job is retried, if its next regular run is later."""


IDLE: Final = timedelta(minutes=5)
"""How often a job runs while its queues are empty."""

SEEN_EVERY: Final = timedelta(minutes=1)
"""How often a process records that it runs jobs."""

_MISSING: Final = 3 * SEEN_EVERY
"""A process that has not been seen for this long has ended, or is stuck."""

_LATE: Final = timedelta(minutes=10)
"""A job that has been due for this long is not just waiting for its turn."""


def is_held(lease: JobLease, now: datetime) -> bool:
    """Return whether the lease of a job is held."""
    return is_in_force(lease.held_until, now, lasts=LEASE)


def is_due(job: Job, lease: JobLease, now: datetime) -> bool:
    """Return whether a job is due now."""
    if lease.requested_at is not None:
        return True
    return lease.done_at is None or lease.done_at > now or due_at(job, lease.done_at, lease.failure) <= now


def should_run(job: Job, lease: JobLease, now: datetime, waiting: Collection[Queue]) -> bool:
    """Return whether a job is due now and may have work.

    A job with queues has work if one of them is in ``waiting``, if a run was requested, or if it has not run for a
    while.
    """
    if not is_due(job, lease, now):
        return False
    if not job.queues or lease.requested_at is not None or not job.queues.isdisjoint(waiting):
        return True
    return lease.done_at is None or lease.done_at > now or latest_at(job, lease.done_at, lease.failure) <= now


def is_running_jobs(process: JobProcess, now: datetime) -> bool:
    """Return whether a process was seen recently; one seen in the future counts too, because the clock was set back."""
    return now - process.seen_at <= _MISSING


def status_of(job: Job, lease: JobLease, now: datetime, *, is_running: bool) -> JobStatus:
    """Return the status of a job. ``due_at`` is None for one that never ran, and so is due immediately."""
    due = None if lease.done_at is None else latest_at(job, lease.done_at, lease.failure)
    waiting_since = lease.requested_at if lease.requested_at is not None else due
    is_late = not is_running and waiting_since is not None and now - waiting_since > _LATE
    return JobStatus(job=job, lease=lease, due_at=due, is_running=is_running, is_late=is_late)


def due_at(job: Job, done_at: datetime, failure: str | None) -> datetime:
    """Return when a job that ended at ``done_at`` is due again, which may be sooner after a failure."""
    if job.at is None:
        planned = done_at + job.every
    else:
        planned = datetime.combine(done_at.date(), job.at, tzinfo=done_at.tzinfo)
        planned += timedelta(days=planned <= done_at)
    return planned if failure is None else min(planned, done_at + RETRY_AFTER)


def latest_at(job: Job, done_at: datetime, failure: str | None) -> datetime:
    """Return when a job that ended at ``done_at`` is due again even if its queues are empty."""
    planned = due_at(job, done_at, failure)
    return max(planned, done_at + IDLE) if job.queues else planned
