"""The manifest of a backup."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from os import SEEK_END
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from attrs import field, frozen

FORMAT: Final = "repaircore-backup"
FORMAT_VERSION: Final = 1

MADE: Final = "backup.make"
"""The action that the audit log records for a backup."""

Row: TypeAlias = Sequence[int | float | str | bytes | None]
"""The values of a row, in the order of the table's columns."""

SUMMED: Final[Mapping[str, tuple[str, ...]]] = {
    "transactions": ("parts_total", "labor_total", "total"),
    "transaction_sums": ("n", "parts_total", "labor_total"),
    "cells": ("w", "s", "q"),
    "predictions": ("local_low", "local_average", "local_high"),
    "opinions": ("good", "wrong"),
}
"""The columns of amounts and evidence whose sums a manifest includes, so that people can check them."""


class Kind(StrEnum):
    """The type of a column, the same on both kinds of database."""

    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"
    BYTES = "bytes"


@frozen(kw_only=True)
class TableShape:
    """The name and the columns of a table."""

    name: str
    columns: Mapping[str, Kind]


@frozen(kw_only=True)
class TableChecksum:
    """The checksum of a table: the row count, the length as JSON lines, the SHA-256, and sums of some columns."""

    rows: int
    bytes: int
    sha256: str
    sums: Mapping[str, int] = field(factory=dict)


@frozen(kw_only=True)
class BackupTable:
    """A table in a backup, with its checksum."""

    shape: TableShape
    weight: TableChecksum


@frozen(kw_only=True)
class Manifest:
    """The manifest of a backup: the version that made it, the revision of its schema, and each table.

    ``tables`` lists referenced tables first. ``counters`` are the last IDs that were assigned, so that even the IDs of
    deleted rows are not reused.
    """

    format: str = FORMAT
    format_version: int = FORMAT_VERSION
    version: str
    revision: str
    edition: str | None
    created_at: datetime
    tables: tuple[BackupTable, ...]
    counters: Mapping[str, int]

    @property
    def rows(self) -> int:
        """The number of rows in all tables."""
        return sum(table.weight.rows for table in self.tables)

    @property
    def bytes(self) -> int:
        """The length of all rows as JSON lines, in bytes."""
        return sum(table.weight.bytes for table in self.tables)


@frozen(kw_only=True)
class BackupContent:
    """A backup as an open, unnamed file, which is deleted when it is closed."""

    manifest: Manifest
    content: BinaryIO

    @property
    def size(self) -> int:
        """The length of the backup in bytes."""
        at = self.content.tell()
        end = self.content.seek(0, SEEK_END)
        self.content.seek(at)
        return end


@frozen(kw_only=True)
class StoredBackup:
    """A backup in this program's folder on the machine named ``machine``."""

    manifest: Manifest
    file: Path
    size: int
    machine: str
