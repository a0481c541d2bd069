"""What backups need from outside: the database as a whole, and files."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeAlias

from repaircore.backups.model import Manifest, Row, TableChecksum, TableKept, TableShape

Watch: TypeAlias = Callable[[int, int], None]
"""Be told how many rows are done, and of how many."""

Upgrade: TypeAlias = Callable[[], None]
"""Bring what is in place to this version."""


class Snapshot(Protocol):
    """The whole database at one moment, whatever others write meanwhile."""

    @property
    @abstractmethod
    def revision(self) -> str:
        """The revision of the schema."""

    @property
    @abstractmethod
    def edition(self) -> str | None:
        """The edition of the repair book that was read in last."""

    @abstractmethod
    def tables(self) -> Sequence[TableShape]:
        """List the tables that are kept, so that what is referred to comes first.

        What is only of the moment (who computes which answer) is not among them.
        """

    @abstractmethod
    def count(self, shape: TableShape) -> int:
        """Count the rows of a table."""

    @abstractmethod
    def rows(self, shape: TableShape) -> Iterator[Row]:
        """Return the rows by their key, in the same order on each database; not all are in memory at once."""

    @abstractmethod
    def counters(self) -> Mapping[str, int]:
        """Return the last number that was given as an id, for each table that counts; 0 where none was."""


class Target(Snapshot, Protocol):
    """A database that is being filled, which nobody sees before it is whole."""

    @abstractmethod
    def load(self, shape: TableShape, rows: Iterable[Row]) -> None:
        """Put rows into an empty table.

        Raises:
            BadBackup: the database does not take them.
        """

    @abstractmethod
    def count_on(self, counters: Mapping[str, int]) -> None:
        """Let the ids of each table go on after a number."""

    @abstractmethod
    def settle(self) -> None:
        """Check that every reference leads somewhere.

        Raises:
            BadBackup: one does not.
        """

    @abstractmethod
    def upgrade(self) -> None:
        """Bring the schema to this version's revision."""


class Vault(Protocol):
    """The database as a whole."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Look at it as it is now.

        Raises:
            Unavailable: it does not answer, is empty, of a newer version, or another program's.
        """

    @abstractmethod
    def holds_data(self) -> bool:
        """Return whether anything is kept that this program did not bring along.

        Raises:
            Unavailable: it does not answer, is of a newer version, or another program's.
        """

    @abstractmethod
    def replacing(self, revision: str, *, room: int) -> AbstractContextManager[Target]:
        """Return an empty database of that revision, which is in place when the block ends well.

        When it does not, also because the process is killed, what was there before is there still. ``room`` is
        about how many bytes will be needed.

        Raises:
            DatabaseInUse: others are at work with it.
            Unavailable: it does not answer, there is no room, or there is no such revision.
        """


class ArchiveWriter(Protocol):
    """A backup that is being written."""

    @abstractmethod
    def add(self, shape: TableShape, rows: Iterable[Row]) -> TableChecksum:
        """Write a table."""

    @abstractmethod
    def finish(self, manifest: Manifest) -> None:
        """Write what it is of; this comes last."""


class ArchiveReader(Protocol):
    """A backup that is being read."""

    @property
    @abstractmethod
    def manifest(self) -> Manifest:
        """What it is of."""

    @abstractmethod
    def rows(self, table: TableKept) -> Iterator[Row]:
        """Return the rows of a table, not all in memory at once.

        Raises:
            BadBackup: they are damaged, or not what the manifest says; told at the latest after the last.
        """

    @abstractmethod
    def weigh(self, table: TableKept, rows: Iterable[Row]) -> TableChecksum:
        """Tell what rows would come to in the place of a table's."""


class Archives(Protocol):
    """Backups as files."""

    @abstractmethod
    def write(self, file: Path) -> AbstractContextManager[ArchiveWriter]:
        """Write a file that only its owner may read; it has its name when the block ends well, and is whole then."""

    @abstractmethod
    def open(self, file: Path) -> AbstractContextManager[ArchiveReader]:
        """Open a file.

        Raises:
            BadBackup: it is no backup, or its end is missing.
        """
