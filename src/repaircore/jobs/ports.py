"""Ports for background jobs."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from threading import Event
from typing import Protocol, TypeAlias

from repaircore.jobs.model import JobLease, JobProcess, Queue
from repaircore.kernel.audit import AuditLog

Worker: TypeAlias = Callable[[Event, Event], None]
"""Work until the first event is set; return after finishing what is in progress.

When there is nothing to do, sleep until the second event is set: work may have arrived, or it is time to return. During
an outage, raise its failure; the call is repeated when the outage is over.
"""

ReadQueues: TypeAlias = Callable[[], Collection[Queue]]
"""Return the non-empty queues with one cheap statement; raise Unavailable if the database is not responding."""

ReadStamp: TypeAlias = Callable[[], object]
"""Return, at next to no cost, a stamp that changes when something that jobs or workers wait for is written.

It may also change when nothing was written. It may change before a write is visible, by at most the time that a commit
takes. Raise Unavailable if the database is not responding.
"""

Holder: TypeAlias = Callable[[], str]
"""Return a name for this process that no other process has or will have."""

IsAlive: TypeAlias = Callable[[str], bool]
"""Return whether the process with a given name may still be running; for another machine, always return True."""


class JobLeases(Protocol):
    """The stored leases."""

    def find(self, name: str) -> JobLease:
        """Return the lease of a job; that of an unknown job says that it has never run."""

    def list_all(self) -> Sequence[JobLease]:
        """List all stored leases by name."""

    def acquire(self, old: JobLease, *, holder: str, until: datetime) -> bool:
        """Acquire the lease; return False if it differs from ``old``, because another process was faster."""

    def renew(self, name: str, *, holder: str, until: datetime) -> bool:
        """Extend the lease; return False if it is no longer the holder's."""

    def release(
        self,
        name: str,
        *,
        holder: str,
        began_at: datetime,
        at: datetime,
        failure: str | None,
        counts: Mapping[str, int] | None = None,
    ) -> bool:
        """Record the end of a run and release the lease; return False, recording nothing, if another process holds it.

        A request for a run is deleted unless it came after the run began.
        """

    def request(self, name: str, *, at: datetime) -> None:
        """Record that an operator requested a run; the job need not be known yet."""

    def initialize(self, name: str, *, at: datetime) -> None:
        """Record a first run at ``at`` for an unknown job; leave a known one unchanged."""


class JobProcesses(Protocol):
    """The stored processes that run jobs."""

    def list_all(self) -> Sequence[JobProcess]:
        """List the processes that were seen and have not signed off, oldest first."""

    def see(self, holder: str, *, started_at: datetime, at: datetime) -> None:
        """Record when a process that runs jobs was seen."""

    def delete(self, holder: str) -> None:
        """Delete the record of a process."""


class JobsWork(Protocol):
    """The part of a unit of work that jobs need."""

    @property
    def job_leases(self) -> JobLeases:
        """The stored leases."""

    @property
    def job_processes(self) -> JobProcesses:
        """The stored processes that run jobs."""

    @property
    def audit(self) -> AuditLog:
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[JobsWork]]
"""Open a unit of work, which is committed unless the block raises."""
