"""Jobs, their leases and their runs."""

from collections.abc import Callable, Mapping
from datetime import datetime, time, timedelta
from enum import StrEnum

from attrs import field, frozen


class Queue(StrEnum):
    """A queue in the database, whose items wait for a job or a worker."""

    DELIVERIES = "deliveries"
    TASKS = "tasks"
    MAILS = "mails"
    TEXT_MESSAGES = "text_messages"
    PROVIDER_WEBHOOKS = "provider_webhooks"
    PENDING_RIDES = "pending_rides"
    DISPATCH_REQUESTS = "dispatch_requests"
    PAYMENTS = "payments"
    RESET_REQUESTS = "reset_requests"


@frozen(kw_only=True)
class Job:
    """Work that is done periodically.

    ``run`` returns counts by name; it must tolerate being repeated or interrupted. With ``at``, a time of day in UTC,
    the job runs once a day at that time or later; without it, at the interval ``every``. While its ``queues`` (if it
    has any) are all empty, it only runs every few minutes. ``help`` says what it is for.
    """

    name: str
    run: Callable[[], Mapping[str, int]] = field(repr=False)
    every: timedelta = timedelta(days=1)
    at: time | None = None
    queues: frozenset[Queue] = frozenset()
    help: str = ""


@frozen(kw_only=True)
class JobLease:
    """A job's lease: its holder and expiry, and when the last run ended, with its counts or its failure.

    ``failure`` is None if the last run succeeded. ``requested_at`` is when an operator requested a run, or None
    once a run that began after the request has ended.
    """

    name: str
    holder: str | None = None
    held_until: datetime | None = None
    done_at: datetime | None = None
    failure: str | None = None
    requested_at: datetime | None = None
    counts: Mapping[str, int] | None = None


@frozen(kw_only=True)
class JobStatus:
    """A job with its lease, when it is next due at the latest, and whether a process is running it now.

    ``due_at`` is None for a job that has never run, and so is due immediately.

    ``is_late`` means that it has been due for over ten minutes: no process runs jobs, or the one that does is stuck.
    """

    job: Job
    lease: JobLease
    due_at: datetime | None
    is_running: bool
    is_late: bool


@frozen(kw_only=True)
class JobProcess:
    """A process that runs jobs, and when it was last seen."""

    holder: str
    started_at: datetime
    seen_at: datetime


@frozen(kw_only=True)
class JobRun:
    """The result of a run: its counts, or why it failed."""

    name: str
    counts: Mapping[str, int]
    failure: str | None = None
