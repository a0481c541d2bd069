"""Create, verify and restore backups."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from attrs import field, frozen

from repaircore.audit.model import AuditCriteria
from repaircore.audit.ports import OpenWork
from repaircore.backups.errors import BackupNotHere, BackupRunning, BadBackup, HoldsData
from repaircore.backups.model import MADE, BackupContent, BackupTable, Manifest, Row, StoredBackup
from repaircore.backups.ports import ArchiveReader, Archives, OnProgress, Target, Upgrade, Vault
from repaircore.kernel.audit import AuditEntry
from repaircore.kernel.callers import LOCAL, Caller, require_admin, require_operator
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.types import Clock

_REPORT_EVERY = 1000
"""Progress is reported each time this many rows have passed."""


def _ignore(_done: int, _total: int) -> None:
    """Ignore progress."""


class _Progress:
    """Counts rows as they pass, and reports the count periodically."""

    def __init__(self, on_progress: OnProgress, total: int) -> None:
        self._on_progress = on_progress
        self._total = total
        self._done = 0

    def counted(self, rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            yield row
            self._done += 1
            if self._done % _REPORT_EVERY == 0:
                self._on_progress(self._done, self._total)
        self._on_progress(self._done, self._total)


@frozen(kw_only=True)
class Backups:
    """Use cases for backups.

    ``head`` is the newest schema revision that this version knows, and ``machine`` is the name of this machine.
    """

    vault: Vault
    archives: Archives
    transaction: OpenWork
    read: OpenWork
    version: str
    head: str
    machine: str
    upgrade: Upgrade
    clock: Clock
    _making: Lock = field(init=False, factory=Lock, repr=False, eq=False)

    def make(self, file: Path, on_progress: OnProgress = _ignore) -> Manifest:
        """Write the whole database to a file; other processes may write to the database in the meantime.

        Raises:
            Invalid: on ``file``: it exists and is not a regular file.
            Unavailable: the database is not responding, is empty or of a newer version, or belongs to another program.
        """
        with self.vault.snapshot() as snapshot, self.archives.write(file) as archive:
            shapes = snapshot.tables()
            progress = _Progress(on_progress, sum(map(snapshot.count, shapes)))
            tables = tuple(
                BackupTable(shape=shape, weight=archive.add(shape, progress.counted(snapshot.rows(shape))))
                for shape in shapes
            )
            manifest = Manifest(
                version=self.version,
                revision=snapshot.revision,
                edition=snapshot.edition,
                created_at=self.clock(),
                tables=tables,
                counters=snapshot.counters(),
            )
            archive.finish(manifest)
        return manifest

    def make_for(self, caller: Caller) -> BackupContent:
        """Make a backup for an admin to download, and record it in the audit log; closing the file deletes it.

        Raises:
            Forbidden: the caller is not an admin of the live environment.
            BackupRunning: this process is already making a backup for an admin.
            Unavailable: the database is not responding, is empty or of a newer version, or belongs to another program.
        """
        require_operator(caller)
        if not self._making.acquire(blocking=False):
            raise BackupRunning
        try:
            with self.archives.scratch() as file:
                manifest = self.make(file)
                content = file.open("rb")  # stays readable until it is closed, even once its name is gone
        finally:
            self._making.release()
        self.record(manifest, caller)
        return BackupContent(manifest=manifest, content=content)

    def store(self, number: int, caller: Caller, on_progress: OnProgress = _ignore) -> StoredBackup:
        """Write a backup for the task with this number to this program's folder, and record it in the audit log.

        Raises:
            Forbidden: the caller is not an admin of the live environment.
            Unavailable: the database is not responding, is empty or of a newer version, or belongs to another program.
        """
        require_operator(caller)
        file = self.archives.stored_path(number)
        manifest = self.make(file, on_progress)
        self.record(manifest, caller)
        return StoredBackup(manifest=manifest, file=file, size=file.stat().st_size, machine=self.machine)

    def discard(self, number: int) -> None:
        """Delete the backup of a task, if this machine has it."""
        self.archives.stored_path(number).unlink(missing_ok=True)

    def delete_stored(self, *, days: int) -> None:
        """Delete the backups of tasks on this machine that are more than ``days`` days old."""
        self.archives.delete_stored(before=self.clock() - timedelta(days=days))

    def open_stored(self, number: int, caller: Caller) -> BinaryIO:
        """Return the backup of a task as an open file, which the caller must close.

        Raises:
            Forbidden: the caller is not an admin of the live environment.
            BackupNotHere: it was deleted or is on another machine.
        """
        require_operator(caller)
        try:
            return self.archives.stored_path(number).open("rb")
        except FileNotFoundError:
            raise BackupNotHere from None

    def list_made(self, caller: Caller = LOCAL, *, limit: int) -> Sequence[AuditEntry]:
        """List the audit log entries of the latest backups, newest first.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return work.audit.list_matching(AuditCriteria(action=MADE), limit=limit)

    def record(self, manifest: Manifest, caller: Caller = LOCAL) -> None:
        """Record in the audit log that a backup was made, unless the database is unavailable.

        A backup made before the database was upgraded to this version is valid but is not recorded.
        """
        if manifest.revision != self.head:
            return
        after = {"rows": manifest.rows, "revision": manifest.revision, "version": manifest.version}
        with suppress(Unavailable), self.transaction() as work:
            work.audit.add(caller, MADE, "backup", before=None, after=after, at=manifest.created_at)

    def verify(self, file: Path, on_progress: OnProgress = _ignore) -> Manifest:
        """Read a whole backup and compare it with its manifest, without a database.

        Raises:
            BadBackup: it does not match its manifest, or this version cannot restore it.
        """
        with self.archives.open(file) as archive:
            manifest = self._restorable_manifest(archive)
            progress = _Progress(on_progress, manifest.rows)
            for table in manifest.tables:
                for _ in progress.counted(archive.rows(table)):
                    pass
        return manifest

    def holds_data(self) -> bool:
        """Return whether a restore would replace data.

        Raises:
            Unavailable: the database is not responding, is of a newer version, or belongs to another program.
        """
        return self.vault.holds_data()

    def restore(self, file: Path, *, replace: bool = False, on_progress: OnProgress = _ignore) -> Manifest:
        """Replace the contents of the database with a backup, upgraded to this version.

        Whatever happens, the database then holds either all of the old data or all of the backup.

        Raises:
            BadBackup: the backup does not match its manifest, or this version cannot restore it.
            HoldsData: the database holds data, and ``replace`` is not set.
            DatabaseInUse: other processes are using the database.
            Unavailable: the database is not responding, is of a newer version, or belongs to another program; there is
                not enough disk space; or this version does not know the backup's revision.
        """
        with self.archives.open(file) as archive:
            manifest = self._restorable_manifest(archive)
            if self.vault.holds_data() and not replace:
                raise HoldsData
            with self.vault.replace(manifest.revision, room=manifest.bytes) as target:
                _fill(target, archive, on_progress)
        self.upgrade()
        return manifest

    def _restorable_manifest(self, archive: ArchiveReader) -> Manifest:
        manifest = archive.manifest
        if manifest.revision > self.head:
            raise BadBackup(
                f"The backup was made by a newer version of repaircore ({manifest.version}, revision"
                f" {manifest.revision}); this is {self.version}, revision {self.head}. Update repaircore first."
            )
        return manifest


def _fill(target: Target, archive: ArchiveReader, on_progress: OnProgress) -> None:
    manifest = archive.manifest
    _require_tables(target, manifest)
    progress = _Progress(on_progress, 2 * manifest.rows)  # each row is written and read back
    for table in manifest.tables:
        target.load(table.shape, progress.counted(archive.rows(table)))
    target.check_references()
    target.set_counters(manifest.counters)
    for table in manifest.tables:
        if archive.checksum(table, progress.counted(target.rows(table.shape))) != table.weight:
            raise BadBackup(
                f"The rows loaded into the {table.shape.name} table differ from the backup. Nothing was changed."
                " Restore a different backup."
            )
    target.upgrade()


def _require_tables(target: Target, manifest: Manifest) -> None:
    """Require that every table of the backup exists, with the same columns.

    Raises:
        BadBackup: a table or its columns differ at the backup's revision.
    """
    known = {shape.name: shape for shape in target.tables()}
    for table in manifest.tables:
        shape = known.get(table.shape.name)
        if shape is None or shape.columns != table.shape.columns:
            raise BadBackup(
                f"The backup's {table.shape.name} table does not match revision {manifest.revision}. Restore a different backup."
            )
