"""Making, checking and restoring backups."""

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from repaircore.backups.errors import BadBackup, HoldsData
from repaircore.backups.model import Manifest, Row, TableKept
from repaircore.backups.ports import ArchiveReader, Archives, Target, Upgrade, Vault, Watch
from repaircore.kernel.types import Clock

_EVERY = 1000
"""After so many rows it is told how far it is."""


def _unwatched(_done: int, _total: int) -> None:
    """Tell nobody."""


class _Progress:
    """Counts rows as they pass, and tells of it now and then."""

    def __init__(self, watch: Watch, total: int) -> None:
        self._watch = watch
        self._total = total
        self._done = 0

    def counted(self, rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            yield row
            self._done += 1
            if self._done % _EVERY == 0:
                self._watch(self._done, self._total)
        self._watch(self._done, self._total)


@frozen(kw_only=True)
class Backups:
    """The use cases of backups. ``head`` is the newest revision that this version knows."""

    vault: Vault
    archives: Archives
    version: str
    head: str
    upgrade: Upgrade
    clock: Clock

    def make(self, file: Path, watch: Watch = _unwatched) -> Manifest:
        """Write everything that is kept into a file; others may go on writing meanwhile.

        Raises:
            Unavailable: the database does not answer, or is none of ours.
        """
        with self.vault.snapshot() as snapshot, self.archives.write(file) as archive:
            shapes = snapshot.tables()
            progress = _Progress(watch, sum(map(snapshot.count, shapes)))
            tables = tuple(
                TableKept(shape=shape, weight=archive.add(shape, progress.counted(snapshot.rows(shape))))
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

    def verify(self, file: Path, watch: Watch = _unwatched) -> Manifest:
        """Read a backup to its end and compare it with what it says of itself; no database is asked.

        Raises:
            BadBackup: it is not what it says, or cannot be restored by this version.
        """
        with self.archives.open(file) as archive:
            manifest = self._accepted(archive)
            progress = _Progress(watch, manifest.rows)
            for table in manifest.tables:
                for _ in progress.counted(archive.rows(table)):
                    pass
        return manifest

    def holds_data(self) -> bool:
        """Return whether a restore would replace anything.

        Raises:
            Unavailable: the database does not answer, is of a newer version, or another program's.
        """
        return self.vault.holds_data()

    def restore(self, file: Path, *, replace: bool = False, watch: Watch = _unwatched) -> Manifest:
        """Put what a backup holds in the place of what the database holds, at this version's revision.

        Whatever happens, the database holds all of the one or all of the other.

        Raises:
            BadBackup: it is not what it says, or cannot be restored by this version.
            HoldsData: the database is not empty, and ``replace`` was not said.
            DatabaseInUse: others are at work with it.
            Unavailable: the database does not answer, is of a newer version, or another program's.
        """
        with self.archives.open(file) as archive:
            manifest = self._accepted(archive)
            if self.vault.holds_data() and not replace:
                raise HoldsData
            with self.vault.replacing(manifest.revision, room=manifest.bytes) as target:
                _fill(target, archive, watch)
        self.upgrade()
        return manifest

    def _accepted(self, archive: ArchiveReader) -> Manifest:
        manifest = archive.manifest
        if manifest.revision > self.head:
            raise BadBackup(
                f"The backup was made by a newer version of repaircore ({manifest.version}, revision"
                f" {manifest.revision}); this is {self.version}, revision {self.head}."
            )
        return manifest


def _fill(target: Target, archive: ArchiveReader, watch: Watch) -> None:
    manifest = archive.manifest
    _match(target, manifest)
    progress = _Progress(watch, 2 * manifest.rows)  # each goes in, and is read once more
    for table in manifest.tables:
        target.load(table.shape, progress.counted(archive.rows(table)))
    target.settle()
    target.count_on(manifest.counters)
    for table in manifest.tables:
        if archive.weigh(table, progress.counted(target.rows(table.shape))) != table.weight:
            raise BadBackup(f"Of the table {table.shape.name} something else came out than went in.")
    target.upgrade()


def _match(target: Target, manifest: Manifest) -> None:
    """Require that every table has its place.

    Raises:
        BadBackup: a table or column is not known at that revision.
    """
    known = {shape.name: shape for shape in target.tables()}
    for table in manifest.tables:
        shape = known.get(table.shape.name)
        if shape is None or shape.columns != table.shape.columns:
            raise BadBackup(
                f"The backup's table {table.shape.name} is not that of revision {manifest.revision}."
            )
