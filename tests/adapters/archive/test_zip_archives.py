"""Files other than complete backups are refused before their content is used."""

import json
import os
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repaircore.adapters.archive.lines import row_decoder, row_encoder
from repaircore.adapters.archive.zipped import ZipArchives
from repaircore.backups.errors import BadBackup
from repaircore.backups.model import BackupTable, Kind, Manifest, Row, TableShape

SHAPE = TableShape(
    name="cells", columns={"id": Kind.INTEGER, "key": Kind.TEXT, "w": Kind.REAL, "counts": Kind.BYTES}
)
ROWS: list[Row] = [[number, f"made {number}", number / 7, bytes([number % 256])] for number in range(2000)]
ARCHIVES = ZipArchives(Path("unused"))


def write_archive(file: Path, rows: list[Row] = ROWS) -> Manifest:
    with ARCHIVES.write(file) as archive:
        manifest = Manifest(
            version="1.2.3",
            revision="0001",
            edition="first",
            created_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
            tables=(BackupTable(shape=SHAPE, weight=archive.add(SHAPE, rows)),),
            counters={"cells": 7},
        )
        archive.finish(manifest)
    return manifest


def test_scratch_file_and_leftovers_of_a_killed_process_are_deleted(tmp_path: Path) -> None:
    archives = ZipArchives(tmp_path / "state")
    with archives.scratch() as file:
        file.write_bytes(b"old")
        part = file.with_name(f".{file.name}.0123.part")
        part.write_bytes(b"left over")
        other = file.with_name("invoices.zip")
        other.write_bytes(b"somebody else's")
    assert not file.exists()
    with archives.scratch():
        assert part.exists()  # another process may be writing it
    for left in (part, other):
        os.utime(left, (0, 0))
    with archives.scratch():
        assert not part.exists()
    assert [*file.parent.iterdir()] == [other]


def read(file: Path) -> list[Row]:
    with ARCHIVES.open(file) as archive:
        return [list(row) for table in archive.manifest.tables for row in archive.rows(table)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.zip"
    write_archive(path)
    return path


def test_archive_is_written_and_read(tmp_path: Path) -> None:
    manifest = write_archive(tmp_path / "shop.zip")
    with ARCHIVES.open(tmp_path / "shop.zip") as archive:
        assert archive.manifest == manifest

    assert read(tmp_path / "shop.zip") == ROWS


_values = st.tuples(
    st.none() | st.integers(-(2**63), 2**63 - 1),
    st.none() | st.text(st.characters(codec="utf-8")),
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
    st.none() | st.binary(),
)


@given(_values)
@settings(deadline=None)
def test_any_row_survives_writing_and_reading(row: Row) -> None:
    line = row_encoder(SHAPE)(row)

    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert row_decoder(SHAPE)(line) == list(row)


def test_failure_leaves_no_file(tmp_path: Path) -> None:
    def broken() -> Any:
        yield ROWS[0]
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"), ARCHIVES.write(tmp_path / "shop.zip") as archive:
        archive.add(SHAPE, broken())

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99, 0.999])
def test_truncated_file_is_refused(file: Path, share: float) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(BadBackup, match="is truncated"):
        read(file)


@pytest.mark.parametrize("share", [0.01, 0.5, 0.9])
def test_file_without_its_start_is_refused(file: Path, share: float) -> None:
    data = file.read_bytes()
    file.write_bytes(data[int(len(data) * share) :])
    with pytest.raises(BadBackup):
        read(file)


@pytest.mark.parametrize("place", [0.02, 0.1, 0.4, 0.7])
def test_damaged_file_is_refused(file: Path, place: float) -> None:
    data = bytearray(file.read_bytes())
    data[int(len(data) * place)] ^= 0x10
    file.write_bytes(data)
    with pytest.raises(BadBackup):
        read(file)


def _rewrite(file: Path, change: Callable[[dict[str, Any]], None], **members: bytes) -> None:
    with zipfile.ZipFile(file) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(contents["manifest.json"])
    change(manifest)
    contents["manifest.json"] = json.dumps(manifest).encode()
    contents |= {f"{name}.jsonl": data for name, data in members.items()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)


def _unchanged(_: dict[str, Any]) -> None: ...


def _manifest(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda manifest: manifest.update(changes)


def _table(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda manifest: manifest["tables"][0]["weight"].update(changes)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_manifest(format="another"), "not a repaircore backup"),
        (_manifest(format_version=2), "incompatible version"),
        (_manifest(tables=[]), "does not match the tables"),
        (_manifest(tables="many"), "cannot be read"),
        (_manifest(created_at="yesterday"), "cannot be read"),
        (_table(rows=1), "do not match"),
        (_table(bytes=10), "does not match the tables"),
        (_table(sha256="0" * 64), "do not match"),
        (_table(sums={"w": 3}), "do not match"),
    ],
)
def test_manifest_that_does_not_match_is_refused(
    file: Path, change: Callable[[dict[str, Any]], None], reason: str
) -> None:
    _rewrite(file, change)
    with pytest.raises(BadBackup, match=reason):
        read(file)


def test_member_missing_in_the_manifest_is_refused(file: Path) -> None:
    _rewrite(file, _unchanged, users=b"[1]\n")
    with pytest.raises(BadBackup, match="does not match the tables"):
        read(file)


@pytest.mark.parametrize(
    "line",
    [b"[1,2]\n", b'{"a":1}\n', b"[true,null,null,null]\n", b'[1,"a",0.5,"no base64"]\n', b"[", b"\xff\n"],
)
def test_invalid_line_is_refused(file: Path, line: bytes) -> None:
    _rewrite(file, _table(bytes=len(line)), cells=line)
    with pytest.raises(BadBackup, match="do not match"):
        read(file)


def test_zip_bomb_is_refused_before_it_is_unpacked(file: Path) -> None:
    size = 64 * 1024 * 1024
    _rewrite(file, _table(bytes=size), cells=b"[" + b" " * (size - 1))
    with pytest.raises(BadBackup, match="is encrypted, or compressed in an unsupported way"):
        read(file)


def test_zip_bomb_as_manifest_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b" " * (32 * 1024 * 1024))
    with pytest.raises(BadBackup, match="not a repaircore backup"):
        read(tmp_path / "bomb.zip")


@pytest.mark.parametrize(
    "data", [b"", b"SQLite format 3\x00" * 100, b"PK\x03\x04", b"PK\x05\x06" + bytes(18)]
)
def test_foreign_file_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "foreign").write_bytes(data)
    with pytest.raises(BadBackup, match="not a repaircore backup"):
        read(tmp_path / "foreign")


def test_foreign_zip_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "foreign.zip", "w") as archive:
        archive.writestr("letter.txt", "Dear all")
    with pytest.raises(BadBackup, match="not a repaircore backup"):
        read(tmp_path / "foreign.zip")


def test_backup_with_sums_of_another_version_is_read(tmp_path: Path) -> None:
    file = tmp_path / "shop.zip"
    write_archive(file)
    total = sum(range(2000))
    _rewrite(file, _table(sums={"id": total}))

    assert len(read(file)) == 2000
    _rewrite(file, _table(sums={"id": total + 1}))
    with pytest.raises(BadBackup, match="do not match"):
        read(file)
    _rewrite(file, _table(sums={"none": 0}))
    with pytest.raises(BadBackup, match="do not match"):
        read(file)
