"""Ports for backups: the whole database, and backup files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias

from repaircore.backups.model import BackupTable, Manifest, Row, TableChecksum, TableShape

OnProgress: TypeAlias = Callable[[int, int], None]
"""Report how many rows have been processed, and how many there are."""

Upgrade: TypeAlias = Callable[[], None]
"""Upgrade the database to this version."""


class Snapshot(Protocol):
    """A consistent view of the whole database, unaffected by concurrent writes."""

    @property
    def revision(self) -> str:
        """The schema revision."""

    @property
    def edition(self) -> str | None:
        """The edition of the repair book in the database, or None if it has none."""

    def tables(self) -> Sequence[TableShape]:
        """List the tables to back up, referenced tables first.

        Tables of transient state (such as claims on computations) are left out.
        """

    def count(self, shape: TableShape) -> int:
        """Count the rows of a table."""

    def rows(self, shape: TableShape) -> Iterator[Row]:
        """Yield the rows in key order, the same on both kinds of database, without holding them all in memory."""

    def counters(self) -> Mapping[str, int]:
        """Return the last ID that was assigned in each table that numbers its rows; 0 if none was."""


class Target(Snapshot, Protocol):
    """A database that is being filled, and is invisible to other processes until it is complete."""

    def load(self, shape: TableShape, rows: Iterable[Row]) -> None:
        """Insert rows into an empty table.

        Raises:
            BadBackup: the database rejects a row.
        """

    def set_counters(self, counters: Mapping[str, int]) -> None:
        """Set the last ID that was assigned in each table."""

    def check_references(self) -> None:
        """Check the foreign keys.

        Raises:
            BadBackup: a referenced row does not exist.
        """

    def upgrade(self) -> None:
        """Upgrade the schema to this version's revision."""


class Vault(Protocol):
    """The whole database, to be backed up or replaced."""

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Open a snapshot of the database.

        Raises:
            Unavailable: it is not responding, is empty or of a newer version, or belongs to another program.
        """

    def holds_data(self) -> bool:
        """Return whether the database holds data other than what this program ships.

        Raises:
            Unavailable: it is not responding, is of a newer version, or belongs to another program.
        """

    def replace(self, revision: str, *, room: int) -> AbstractContextManager[Target]:
        """Open an empty database at the given revision, which replaces the current one if the block succeeds.

        If the block raises or the process is killed, the current one stays. ``room`` is approximately the number of
        bytes needed.

        Raises:
            DatabaseInUse: other processes are using the database.
            Unavailable: it is not responding, there is not enough disk space, or there is no such revision.
        """


class ArchiveWriter(Protocol):
    """A backup that is being written."""

    def add(self, shape: TableShape, rows: Iterable[Row]) -> TableChecksum:
        """Write a table and return its checksum."""

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest, which comes last."""


class ArchiveReader(Protocol):
    """A backup that is being read."""

    @property
    def manifest(self) -> Manifest:
        """The manifest."""

    def rows(self, table: BackupTable) -> Iterator[Row]:
        """Yield the rows of a table without holding them all in memory.

        Raises:
            BadBackup: the rows are damaged or do not match the manifest; raised after the last row at the latest.
        """

    def checksum(self, table: BackupTable, rows: Iterable[Row]) -> TableChecksum:
        """Return the checksum that a table would have with these rows."""


class Archives(Protocol):
    """Backup files."""

    def write(self, file: Path) -> AbstractContextManager[ArchiveWriter]:
        """Open a new backup that only its owner may read; the file gets its name only if the block succeeds.

        Raises:
            Invalid: on ``file``: it exists and is not a regular file.
        """

    def scratch(self) -> AbstractContextManager[Path]:
        """Return the path of a file to write in this program's folder; the file is deleted after the block.

        Files that a killed process left there are deleted after a day.
        """

    def stored_path(self, number: int) -> Path:
        """Return the path of a task's backup, finished or not, in this program's folder."""

    def delete_stored(self, *, before: datetime) -> None:
        """Delete the tasks' backups that were written on this machine before the given time."""

    def open(self, file: Path) -> AbstractContextManager[ArchiveReader]:
        """Open a backup.

        Raises:
            BadBackup: the file is not a backup, or is truncated.
        """
