"""Backups as zip files, written and read row by row.

A file is not believed: nothing is unpacked onto the disk, no more is read of a member than the manifest says, and
what does not fit is refused.
"""

import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from errno import EINVAL
from io import BufferedReader, BufferedWriter
from pathlib import Path
from secrets import token_hex
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile, ZipInfo

from typing_extensions import override

from repaircore.adapters.archive.lines import reader_of, writer_of
from repaircore.backups.errors import BadBackup
from repaircore.backups.model import (
    FORMAT,
    FORMAT_VERSION,
    SUMMED,
    Manifest,
    Row,
    TableChecksum,
    TableKept,
    TableShape,
)
from repaircore.backups.ports import ArchiveReader, Archives, ArchiveWriter
from repaircore.backups.sizes import ChecksumBuilder
from repaircore.json_text import NotJsonError, decode, decoder_of, pretty
from repaircore.kernel.errors import Invalid

_MANIFEST: Final = "manifest.json"
_LONGEST_MANIFEST: Final = 1024 * 1024
_LONGEST_LINE: Final = 16 * 1024 * 1024
_PACKED_AT_ONCE: Final = 256 * 1024
_QUICKLY: Final = 3
"""Of zlib's levels the one beyond which rows hardly become shorter, only slower."""
_SQUEEZED: Final = 400
"""No backup shrinks to less than a four hundredth; bombs to a thousandth."""
_DAMAGED: Final = "The backup is damaged"
_FOREIGN: Final = "The file is no backup of repaircore, or its end is missing."

_decode = decoder_of(Manifest)


def _member(name: str) -> str:
    return f"{name}.jsonl"


class ZipArchives(Archives):
    """Backups as zip files."""

    @override
    @contextmanager
    def write(self, file: Path) -> Iterator[ArchiveWriter]:
        if file.exists() and not file.is_file():  # what took a device's name would take its place
            raise Invalid({"file": [f"{file} is no file, so no backup can take its place."]})
        part = file.with_name(f".{file.name}.{token_hex(4)}.part")
        try:
            with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as raw:
                with ZipFile(raw, "w", ZIP_DEFLATED, compresslevel=_QUICKLY) as archive:
                    yield _Writer(archive)
                raw.flush()
                os.fsync(raw.fileno())
            part.replace(file)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _keep_name(file)

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
                raise BadBackup(_FOREIGN) from None  # it points before its own beginning, which was cut off
            _compare(archive, manifest)
            yield _Reader(archive, manifest)


def _keep_name(file: Path) -> None:
    """Make sure that a power cut does not take the new name away."""
    with suppress(OSError):  # not every file system can
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
        scale, write = ChecksumBuilder(shape, SUMMED.get(shape.name, ())), writer_of(shape)
        with (
            self._archive.open(_member(shape.name), "w", force_zip64=True) as packed,
            BufferedWriter(packed, _PACKED_AT_ONCE) as member,
        ):
            for row in rows:
                line = write(row)
                scale.add(row, line)
                member.write(line)
        return scale.weight()

    @override
    def finish(self, manifest: Manifest) -> None:
        told = pretty(manifest, indent=1)
        self._archive.writestr(_MANIFEST, told)


class _Reader(ArchiveReader):
    def __init__(self, archive: ZipFile, manifest: Manifest) -> None:
        self._archive = archive
        self._manifest = manifest

    @property
    @override
    def manifest(self) -> Manifest:
        return self._manifest

    @override
    def rows(self, table: TableKept) -> Iterator[Row]:
        scale, read = ChecksumBuilder(table.shape, table.weight.sums), reader_of(table.shape)
        damaged = BadBackup(f"{_DAMAGED}: the rows of the table {table.shape.name} are not what it says.")
        try:
            with self._archive.open(_member(table.shape.name)) as packed:
                for line in _lines(BufferedReader(packed, _PACKED_AT_ONCE)):
                    row = read(line)
                    scale.add(row, line)
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
        if scale.weight() != table.weight:
            raise damaged

    @override
    def weigh(self, table: TableKept, rows: Iterable[Row]) -> TableChecksum:
        scale, write = ChecksumBuilder(table.shape, table.weight.sums), writer_of(table.shape)
        for row in rows:
            scale.add(row, write(row))
        return scale.weight()


def _lines(member: "BufferedReader[Any]") -> Iterator[bytes]:
    while line := member.readline(_LONGEST_LINE):
        if not line.endswith(b"\n"):
            raise ValueError("a line without an end")
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
            raise BadBackup(f"The backup was made by another version of repaircore ({head.get('version')}).")
        return _decode(text)
    except NotJsonError:
        raise BadBackup(f"{_DAMAGED}: its {_MANIFEST} cannot be read.") from None


def _compare(archive: ZipFile, manifest: Manifest) -> None:
    """Hold what the file lists against what its manifest says, before a row is read.

    Raises:
        BadBackup: they differ.
    """
    said = {_member(table.shape.name): table.weight.bytes for table in manifest.tables}
    listed = {info.filename: info.file_size for info in archive.infolist() if info.filename != _MANIFEST}
    if said != listed or len(archive.infolist()) != len(said) + 1 or len(said) != len(manifest.tables):
        raise BadBackup(f"{_DAMAGED}: its {_MANIFEST} tells of other tables than it holds.")
    for info in archive.infolist():
        if not _is_plain(info):
            raise BadBackup(f"{_DAMAGED}: {info.filename} is packed as no backup is.")


def _is_plain(info: ZipInfo) -> bool:
    known = info.compress_type in {ZIP_DEFLATED, ZIP_STORED} and not info.flag_bits & 1
    return known and info.file_size <= _SQUEEZED * max(info.compress_size, 4096)
