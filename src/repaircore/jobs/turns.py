"""Whose turn it is, and when a job is due."""

from datetime import datetime, timedelta
from typing import Final

from repaircore.jobs.model import Job, JobLease

LEASE: Final = timedelta(seconds=60)
"""For so long a turn lasts unless it is renewed: whoever took it may have died."""

RETRIED_AFTER: Final = timedelta(minutes=5)
"""So soon a job that failed is done again, when it would have its next turn later."""


def is_held(turn: JobLease, now: datetime) -> bool:
    """Return whether somebody has the turn; one that ends later than any new one is left from before the clock was set back."""
    return turn.held_until is not None and now < turn.held_until <= now + LEASE


def is_due(job: Job, turn: JobLease, now: datetime) -> bool:
    """Return whether a job is to be done now."""
    return turn.done_at is None or turn.done_at > now or due_at(job, turn.done_at, turn.failure) <= now


def due_at(job: Job, done_at: datetime, failure: str | None) -> datetime:
    """Return when a job is to be done after it was done."""
    if job.at is None:
        planned = done_at + job.every
    else:
        planned = datetime.combine(done_at.date(), job.at, tzinfo=done_at.tzinfo)
        planned += timedelta(days=planned <= done_at)
    return planned if failure is None else min(planned, done_at + RETRIED_AFTER)
