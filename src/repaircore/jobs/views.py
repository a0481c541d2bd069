"""Jobs and their runs, as clients see them."""

from datetime import datetime
from typing import Self

from repaircore.jobs.model import JobLease
from repaircore.kernel.views import view


@view
class JobView:
    """A job: when its last run ended, who is running it now, and why the last run failed."""

    name: str
    done_at: datetime | None
    holder: str | None
    failure: str | None

    @classmethod
    def of(cls, lease: JobLease) -> Self:
        """Return the view of a job by its lease."""
        return cls(name=lease.name, done_at=lease.done_at, holder=lease.holder, failure=lease.failure)
