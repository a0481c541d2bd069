"""Taking files over: the words that every import shares, and the journal of how far one is."""

from abc import abstractmethod
from datetime import datetime
from typing import Protocol

from attrs import frozen

from repaircore.kernel.callers import Environment

__all__ = ["ImportJournal", "Intake", "Refused", "Taken"]


@frozen(kw_only=True)
class Refused:
    """A row of a file that was not taken: the line that it ends on, what it said, and a sentence for each reason."""

    line: int
    row: str
    reasons: tuple[str, ...]


@frozen(kw_only=True)
class Taken:
    """What became of the rows of a file; ``known`` were kept already or stood in it before.

    ``updated`` are of something that was kept already, and say something else of it.
    ``kept`` is False when nothing was: in a dry run, or when refused rows stand in the way.
    """

    read: int = 0
    added: int = 0
    known: int = 0
    updated: int = 0
    refused: int = 0
    kept: bool = True


@frozen(kw_only=True)
class Intake:
    """A file that is being taken over, and what became of its rows so far.

    ``kind`` names what it holds (``transactions``), ``digest`` what stands in it, whatever its name.
    ``taken.read`` rows are done: the next one is the first that is not. ``finished_at`` is None until all are.
    """

    id: int
    kind: str
    environment: Environment
    digest: str
    file: str
    taken: Taken
    started_at: datetime
    finished_at: datetime | None


class ImportJournal(Protocol):
    """How far files are taken over. A unit of work offers it: rows and their mark are kept, or lost, together."""

    @abstractmethod
    def begin(self, kind: str, *, environment: Environment, digest: str, file: str, at: datetime) -> Intake:
        """Give the unfinished intake of a file, or a new one."""

    @abstractmethod
    def mark(self, intake: Intake, taken: Taken) -> Intake:
        """Keep what became of the rows so far.

        Raises:
            Conflict: somebody else went on with the same file meanwhile.
        """

    @abstractmethod
    def finish(self, intake: Intake, at: datetime) -> None:
        """Mark it as done; the same file may then be taken over anew, and is recognized row by row."""

    @abstractmethod
    def unfinished(self) -> "list[Intake]":
        """List what was broken off, or is at work, oldest first."""
