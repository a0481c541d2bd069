"""Backups as zip files, written and read row by row.

A backup is untrusted: nothing is extracted to disk, no member is read beyond the size that the manifest states, and
anything that does not match the manifest is rejected.
"""

import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from errno import EINVAL
from hashlib import sha256
from io import BufferedReader, BufferedWriter
from pathlib import Path
from secrets import token_hex
from time import time
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile, ZipInfo

from typing_extensions import override

from repaircore.adapters.archive.lines import row_decoder, row_encoder
from repaircore.backups.errors import BadBackup
from repaircore.backups.model import (
    FORMAT,
    FORMAT_VERSION,
    SUMMED,
    BackupTable,
    Manifest,
    Row,
    TableChecksum,
    TableShape,
)
from repaircore.backups.ports import ArchiveReader, Archives, ArchiveWriter
from repaircore.json_text import NotJsonError, decode, decoder_of, pretty
from repaircore.kernel.errors import Invalid

_MANIFEST: Final = "manifest.json"
_LONGEST_MANIFEST: Final = 1024 * 1024
_LONGEST_LINE: Final = 16 * 1024 * 1024
_BUFFER: Final = 256 * 1024
_LEVEL: Final = 3
"""Higher zlib levels are slower and hardly make rows smaller."""
_MOST_COMPRESSION: Final = 400
"""The highest compression ratio to accept: backups stay below it; zip bombs reach a thousand."""
_SCRATCH: Final = "download-"
_SCRATCH_FILES: Final = f"*{_SCRATCH}*.zip*"
_LEFTOVER_SECONDS: Final = 24 * 3600.0
_DAMAGED: Final = "The backup is damaged"
_FOREIGN: Final = "The file is not a repaircore backup, or is truncated. Choose another file."

_decode = decoder_of(Manifest)


class _ChecksumBuilder:
    """Computes the checksum of a table row by row, with sums of the columns in ``summed``."""

    def __init__(self, shape: TableShape, summed: Iterable[str]) -> None:
        self._digest = sha256()
        self._rows = 0
        self._bytes = 0
        columns = list(shape.columns)
        self._summed = [(name, columns.index(name)) for name in summed if name in columns]
        self._sums = dict.fromkeys((name for name, _ in self._summed), 0)

    def add(self, row: Row, line: bytes) -> None:
        """Add a row and its encoded line."""
        self._digest.update(line)
        self._rows += 1
        self._bytes += len(line)
        for name, at in self._summed:
            value = row[at]
            if isinstance(value, int):
                self._sums[name] += value

    def checksum(self) -> TableChecksum:
        """Return the checksum of the rows so far."""
        return TableChecksum(
            rows=self._rows, bytes=self._bytes, sha256=self._digest.hexdigest(), sums=dict(self._sums)
        )


def _member(name: str) -> str:
    return f"{name}.jsonl"


class ZipArchives(Archives):
    """Backups as zip files. ``folder`` holds stored backups and those that are being downloaded."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @override
    @contextmanager
    def write(self, file: Path) -> Iterator[ArchiveWriter]:
        if file.exists() and not file.is_file():  # replacing a device file would destroy it
            raise Invalid({"file": [f"{file} is not a regular file. Choose another file for the backup."]})
        part = file.with_name(f".{file.name}.{token_hex(4)}.part")
        try:
            with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as raw:
                with ZipFile(raw, "w", ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
                    yield _Writer(archive)
                raw.flush()
                os.fsync(raw.fileno())
            part.replace(file)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _sync_folder(file)

    @override
    @contextmanager
    def scratch(self) -> Iterator[Path]:
        self._folder.mkdir(parents=True, exist_ok=True)
        for leftover in self._folder.glob(_SCRATCH_FILES):
            with suppress(OSError):
                if time() - leftover.stat().st_mtime > _LEFTOVER_SECONDS:
                    leftover.unlink()
        file = self._folder / f"{_SCRATCH}{token_hex(8)}.zip"
        try:
            yield file
        finally:
            file.unlink(missing_ok=True)

    @override
    def stored_path(self, number: int) -> Path:
        folder = self._folder / "backups"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"backup-{number}.zip"

    @override
    def delete_stored(self, *, before: datetime) -> None:
        for file in (self._folder / "backups").glob("*backup-*.zip*"):
            with suppress(OSError):
                if file.stat().st_mtime < before.timestamp():
                    file.unlink()

    @override
    @contextmanager
    def open(self, file: Path) -> Iterator[ArchiveReader]:
        with ExitStack() as stack:
            raw = stack.enter_context(file.open("rb"))
            try:
                archive = stack.enter_context(ZipFile(raw))
                manifest = _manifest(archive)
            except (BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError, zlib.error):
                raise BadBackup(_FOREIGN) from None
            except OSError as error:
                if error.errno != EINVAL:
                    raise
                raise BadBackup(
                    _FOREIGN
                ) from None  # its directory points before the start of the file: truncated
            _compare(archive, manifest)
            yield _Reader(archive, manifest)


def _sync_folder(file: Path) -> None:
    """Sync a renamed file's folder, so that the new name survives a power failure."""
    with suppress(OSError):  # some file systems cannot sync folders
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


class _Writer(ArchiveWriter):
    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive

    @override
    def add(self, shape: TableShape, rows: Iterable[Row]) -> TableChecksum:
        checksum, write = _ChecksumBuilder(shape, SUMMED.get(shape.name, ())), row_encoder(shape)
        with (
            self._archive.open(_member(shape.name), "w", force_zip64=True) as packed,
            BufferedWriter(packed, _BUFFER) as member,
        ):
            for row in rows:
                line = write(row)
                checksum.add(row, line)
                member.write(line)
        return checksum.checksum()

    @override
    def finish(self, manifest: Manifest) -> None:
        self._archive.writestr(_MANIFEST, pretty(manifest, indent=1))


class _Reader(ArchiveReader):
    def __init__(self, archive: ZipFile, manifest: Manifest) -> None:
        self._archive = archive
        self._manifest = manifest

    @property
    @override
    def manifest(self) -> Manifest:
        return self._manifest

    @override
    def rows(self, table: BackupTable) -> Iterator[Row]:
        checksum, read = _ChecksumBuilder(table.shape, table.weight.sums), row_decoder(table.shape)
        damaged = BadBackup(
            f"{_DAMAGED}: the rows of the {table.shape.name} table do not match its {_MANIFEST}."
        )
        try:
            with self._archive.open(_member(table.shape.name)) as packed:
                for line in _lines(BufferedReader(packed, _BUFFER)):
                    row = read(line)
                    checksum.add(row, line)
                    yield row
        except (
            BadZipFile,
            LargeZipFile,
            EOFError,
            zlib.error,
            ValueError,
            NotImplementedError,
            RuntimeError,
        ):
            raise damaged from None
        except OSError as error:
            if error.errno != EINVAL:
                raise
            raise damaged from None
        if checksum.checksum() != table.weight:
            raise damaged

    @override
    def checksum(self, table: BackupTable, rows: Iterable[Row]) -> TableChecksum:
        checksum, write = _ChecksumBuilder(table.shape, table.weight.sums), row_encoder(table.shape)
        for row in rows:
            checksum.add(row, write(row))
        return checksum.checksum()


def _lines(member: "BufferedReader[Any]") -> Iterator[bytes]:
    while line := member.readline(_LONGEST_LINE):
        if not line.endswith(b"\n"):
            raise ValueError("a line that is too long or truncated")
        yield line


def _manifest(archive: ZipFile) -> Manifest:
    info = archive.getinfo(_MANIFEST)
    if info.file_size > _LONGEST_MANIFEST or not _is_plain(info):
        raise BadBackup(_FOREIGN)
    with archive.open(info) as member:
        text = member.read(_LONGEST_MANIFEST)
    try:
        head = decode(text)
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise BadBackup(_FOREIGN)
        if head.get("format_version") != FORMAT_VERSION:
            raise BadBackup(
                f"The backup was made by an incompatible version of repaircore ({head.get('version')})."
                " Restore it with that version."
            )
        return _decode(text)
    except NotJsonError:
        raise BadBackup(f"{_DAMAGED}: its {_MANIFEST} cannot be read.") from None


def _compare(archive: ZipFile, manifest: Manifest) -> None:
    """Compare the members of the file with its manifest, before any row is read.

    Raises:
        BadBackup: they differ.
    """
    expected = {_member(table.shape.name): table.weight.bytes for table in manifest.tables}
    listed = {info.filename: info.file_size for info in archive.infolist() if info.filename != _MANIFEST}
    if (
        expected != listed
        or len(archive.infolist()) != len(expected) + 1
        or len(expected) != len(manifest.tables)
    ):
        raise BadBackup(f"{_DAMAGED}: its {_MANIFEST} does not match the tables in it.")
    for info in archive.infolist():
        if not _is_plain(info):
            raise BadBackup(f"{_DAMAGED}: {info.filename} is encrypted, or compressed in an unsupported way.")


def _is_plain(info: ZipInfo) -> bool:
    known = info.compress_type in {ZIP_DEFLATED, ZIP_STORED} and not info.flag_bits & 1
    return known and info.file_size <= _MOST_COMPRESSION * max(info.compress_size, 4096)
