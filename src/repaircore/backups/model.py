"""A backup: what its file says of itself."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias

from attrs import field, frozen

FORMAT: Final = "repaircore-backup"
FORMAT_VERSION: Final = 1

Row: TypeAlias = Sequence[int | float | str | bytes | None]
"""The values of a row, in the order of its shape's columns."""

SUMMED: Final[Mapping[str, tuple[str, ...]]] = {
    "transactions": ("parts_total", "labor_total", "total"),
    "transaction_sums": ("n", "parts_total", "labor_total"),
    "cells": ("w", "s", "q"),
    "predictions": ("local_low", "local_average", "local_high"),
    "opinions": ("good", "wrong"),
}
"""The money and the evidence, of which a manifest tells the sums: what a person can check without the file."""


class Kind(StrEnum):
    """What a column holds; both databases keep these alike."""

    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"
    BYTES = "bytes"


@frozen(kw_only=True)
class TableShape:
    """A table by its name and its columns."""

    name: str
    columns: Mapping[str, Kind]


@frozen(kw_only=True)
class TableChecksum:
    """What a table's rows come to: how many, how long as lines, their SHA-256, and sums of some columns."""

    rows: int
    bytes: int
    sha256: str
    sums: Mapping[str, int] = field(factory=dict)


@frozen(kw_only=True)
class TableKept:
    """A table in a backup."""

    shape: TableShape
    weight: TableChecksum


@frozen(kw_only=True)
class Manifest:
    """What a backup is of: the version that made it, the revision of its schema, and each table.

    ``tables`` stand so that what is referred to comes first. ``counters`` are the last numbers that were
    given as ids: also those of rows that are gone are not given again.
    """

    format: str = FORMAT
    format_version: int = FORMAT_VERSION
    version: str
    revision: str
    edition: str | None
    created_at: datetime
    tables: tuple[TableKept, ...]
    counters: Mapping[str, int]

    @property
    def rows(self) -> int:
        """Count the rows of all tables."""
        return sum(table.weight.rows for table in self.tables)

    @property
    def bytes(self) -> int:
        """Return the length of all rows as lines."""
        return sum(table.weight.bytes for table in self.tables)
