"""Jobs and their runs, as clients see them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Self

from repaircore.jobs.model import JobStatus
from repaircore.kernel.views import view


@view
class JobView:
    """A job: when its last run ended and what it did or why it failed, when it is due next, and who is running it now.

    ``due_at`` is null for a job that never ran. ``requested_at`` is null unless an operator has requested a run that
    has not finished.
    """

    name: str
    done_at: datetime | None
    holder: str | None
    failure: str | None
    counts: Mapping[str, int] | None
    due_at: datetime | None
    requested_at: datetime | None

    @classmethod
    def of(cls, status: JobStatus) -> Self:
        """Return the view of a job."""
        lease = status.lease
        return cls(
            name=lease.name,
            done_at=lease.done_at,
            holder=lease.holder,
            failure=lease.failure,
            counts=lease.counts,
            due_at=status.due_at,
            requested_at=lease.requested_at,
        )
