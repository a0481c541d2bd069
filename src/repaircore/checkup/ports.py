"""What a check-up looks at."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from repaircore.checkup.model import DurabilitySetting, QueueLength, Queues
from repaircore.kernel.imports import ImportRecord
from repaircore.webhooks.model import Backlog


class DatabaseCondition(Protocol):
    """The database, asked about itself. Every method may raise Unavailable: it does not answer."""

    @property
    @abstractmethod
    def head(self) -> str:
        """The newest revision of the schema."""

    @property
    @abstractmethod
    def file(self) -> Path | None:
        """The file that it is, None for a server."""

    @abstractmethod
    def standing(self) -> str | None:
        """Return the revision of the schema, None when there is none yet."""

    @abstractmethod
    def obstacle(self) -> str | None:
        """Say why the schema cannot be brought to ``head``, None when it can."""

    @abstractmethod
    def edition(self) -> str | None:
        """Return the edition of the repair book that was read in last, None when none was."""

    @abstractmethod
    def questionnaire_edition(self) -> str | None:
        """Return the edition of the questionnaire that is kept, None when there is none."""

    @abstractmethod
    def durability(self, *, deep: bool) -> Sequence[DurabilitySetting]:
        """Tell of every setting that decides what a crash may take, and whether what is kept is sound."""

    @abstractmethod
    def clock(self) -> datetime | None:
        """Tell the database's own time, None where it has none."""

    @abstractmethod
    def newest(self) -> datetime | None:
        """Tell when the newest thing was kept, None when nothing was."""

    @abstractmethod
    def unfinished_imports(self) -> Sequence[ImportRecord]:
        """List the files that are not wholly taken over, oldest first."""

    @abstractmethod
    def missing(self) -> Sequence[str]:
        """Name the tables of the newest revision that are not there."""

    @abstractmethod
    def discrepancies(self, *, deep: bool) -> Sequence[str]:
        """Hold sums against the rows that they add up, all at one moment; a sentence for each that is not theirs.

        Without ``deep`` only what a few queries can tell.
        """

    @abstractmethod
    def backlog(self, *, now: datetime) -> Backlog:
        """Tell how many webhooks wait to be delivered."""

    @abstractmethod
    def standing_rides(self, *, since: datetime) -> QueueLength:
        """Tell how many live rides and tows somebody is on, unchanged since a moment, and since when the oldest is."""

    @abstractmethod
    def failed_jobs(self) -> Mapping[str, str]:
        """Return why jobs failed when they were done last, by their names; those that did not are left out."""

    @abstractmethod
    def left_over(self) -> Sequence[Path]:
        """List files that a command which was killed left beside the database."""


class Machine(Protocol):
    """The machine that it runs on."""

    @abstractmethod
    def nearest(self, folder: Path) -> Path:
        """Return what there is of a folder that is made when it is needed."""

    @abstractmethod
    def free(self, folder: Path) -> int:
        """Return the bytes that are free where a folder is."""

    @abstractmethod
    def is_folder(self, path: Path) -> bool:
        """Return whether it is a folder."""

    @abstractmethod
    def may_write(self, path: Path) -> bool:
        """Return whether this user may."""

    @abstractmethod
    def is_open_to_others(self, file: Path) -> bool:
        """Return whether users who are neither its owner nor of its group may read or write a file that exists."""

    @abstractmethod
    def has(self, module: str) -> bool:
        """Return whether a Python package is installed."""


class QueueReader(Protocol):
    """What waits in the database."""

    @abstractmethod
    def queues(self, *, now: datetime) -> Queues:
        """Tell of every queue; what is counted is what waits, never what is done and kept.

        Raises:
            Unavailable: the database does not answer.
        """
