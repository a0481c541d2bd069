"""Weighing rows on their way: what a manifest says of a table, and what is compared with it."""

from collections.abc import Iterable
from hashlib import sha256

from repaircore.backups.model import Row, TableChecksum, TableShape


class ChecksumBuilder:
    """Adds a table's rows up, one after the other; of the columns that are named it makes sums."""

    def __init__(self, shape: TableShape, summed: Iterable[str]) -> None:
        self._digest = sha256()
        self._rows = 0
        self._bytes = 0
        columns = list(shape.columns)
        self._summed = [(name, columns.index(name)) for name in summed if name in columns]
        self._sums = dict.fromkeys((name for name, _ in self._summed), 0)

    def add(self, row: Row, line: bytes) -> None:
        """Put a row on the scale, and the line that it is written as."""
        self._digest.update(line)
        self._rows += 1
        self._bytes += len(line)
        for name, at in self._summed:
            value = row[at]
            if isinstance(value, int):
                self._sums[name] += value

    def weight(self) -> TableChecksum:
        """Tell what all of them come to."""
        return TableChecksum(
            rows=self._rows, bytes=self._bytes, sha256=self._digest.hexdigest(), sums=dict(self._sums)
        )
