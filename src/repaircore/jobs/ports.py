"""What jobs need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from threading import Event
from typing import Protocol, TypeAlias

from repaircore.jobs.model import JobLease

Courier: TypeAlias = Callable[[Event], None]
"""Do something all the time, until the event is set; return when what is begun then is finished."""

Holder: TypeAlias = Callable[[], str]
"""Name this process, so that no other and no later one has its name."""

IsAlive: TypeAlias = Callable[[str], bool]
"""Return whether the process that a holder names may still run; of other machines nobody here knows."""


class JobTurns(Protocol):
    """The kept turns."""

    @abstractmethod
    def of(self, name: str) -> JobLease:
        """Return the turn of a job; one that was never kept stands as never done."""

    @abstractmethod
    def all(self) -> Sequence[JobLease]:
        """List every kept turn, by name."""

    @abstractmethod
    def take(self, old: JobLease, *, holder: str, until: datetime) -> bool:
        """Take the turn; False when it is no longer as ``old`` says: somebody else was faster."""

    @abstractmethod
    def renew(self, name: str, *, holder: str, until: datetime) -> bool:
        """Hold a turn for longer; False when it is no longer the holder's."""

    @abstractmethod
    def end(self, name: str, *, holder: str, at: datetime, failure: str | None) -> bool:
        """Keep that a job was done, and why it failed; False when the turn is no longer the holder's: nothing is kept."""

    @abstractmethod
    def begin_counting(self, name: str, *, at: datetime) -> None:
        """Have a job that was never done count as done then; one that is kept stays as it is."""


class JobsWork(Protocol):
    """The part of a unit of work that jobs need."""

    @property
    @abstractmethod
    def job_turns(self) -> JobTurns:
        """The kept turns."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[JobsWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
