"""Jobs, and whose turn it is to do them."""

from collections.abc import Callable, Mapping
from datetime import datetime, time, timedelta

from attrs import field, frozen


@frozen(kw_only=True)
class Job:
    """Something that is done again and again.

    ``run`` gives what it did, in counts by name; it may be run twice, or broken off, without harm. With ``at``, a time
    of day in UTC, it is done once a day, not before then; else ``every`` so often.
    """

    name: str
    run: Callable[[], Mapping[str, int]] = field(repr=False)
    every: timedelta = timedelta(days=1)
    at: time | None = None


@frozen(kw_only=True)
class JobLease:
    """How a job stands: who does it until when, when it was last ended, and why it failed then (None: it did not)."""

    name: str
    holder: str | None = None
    held_until: datetime | None = None
    done_at: datetime | None = None
    failure: str | None = None


@frozen(kw_only=True)
class JobRun:
    """A job that was done just now: its counts, or why it failed."""

    name: str
    counts: Mapping[str, int]
    failure: str | None = None
