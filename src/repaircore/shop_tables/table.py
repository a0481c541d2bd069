"""A table that is read twice: first to recognize its columns, then to read its jobs.

In between, a temporary file holds its rows.
"""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from tempfile import TemporaryFile
from typing import IO, Final, Self

from repaircore.kernel.errors import Invalid
from repaircore.shop_tables.column_names import name_scores
from repaircore.shop_tables.column_values import ColumnProfile
from repaircore.shop_tables.model import SourceRow
from repaircore.shop_tables.reading import (
    MOST_COLUMNS,
    FileFormat,
    WorkbookRows,
    format_of,
    json_rows,
    table_rows,
    workbook_rows,
)

_HEAD_BYTES: Final = 1 << 12
_SEARCHED: Final = 40
"""How many rows to search for the header row."""

_CHUNK: Final = 1_000
_LEAST_NAMED: Final = 2
_CLEARLY: Final = 0.5


class Table:
    """The rows of a table, and the name and profile of each column."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.profiles: list[ColumnProfile] = []
        self.count = 0
        self._file = TemporaryFile()  # noqa: SIM115 - closed with this
        self._chunk: list[SourceRow] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, file: IO[bytes], workbook: WorkbookRows) -> None:
        """Read a file in any ``FileFormat``.

        Raises:
            Invalid: on ``file``: it is not a table, is malformed, or has no rows.
        """
        file.seek(0)
        kind = format_of(file.read(_HEAD_BYTES))
        if kind is FileFormat.JSON_LINES:
            self._read_objects(json_rows(file))
        else:
            rows = table_rows(file) if kind is FileFormat.TABLE else workbook_rows(file, workbook)
            self._read_rows(rows)
        self._flush()
        if not self.count:
            raise Invalid({"file": ["The file has no rows below its header."]})

    def rows(self) -> Iterator[SourceRow]:
        """Yield the rows, padded or truncated to the number of columns."""
        width = len(self.names)
        self._file.seek(0)
        while True:
            try:
                chunk = pickle.load(self._file)  # noqa: S301 - only this process can write it
            except EOFError:
                return
            for line, cells in chunk:
                yield line, (*cells[:width], *[""] * (width - len(cells)))

    def _read_rows(self, rows: Iterable[SourceRow]) -> None:
        numbered = iter(rows)
        first = list(islice(numbered, _SEARCHED))
        place = header_place([cells for _, cells in first])
        header = first[place][1]
        self._name(_distinct(header))
        for line, cells in chain(first[place + 1 :], numbered):
            if any(cells) and cells != header:
                self._add(line, cells)

    def _read_objects(self, objects: Iterable[tuple[int, dict[str, str]]]) -> None:
        places: dict[str, int] = {}
        for line, row in objects:
            for name in row:
                if name not in places:
                    if len(places) >= MOST_COLUMNS:
                        text = f"The file's JSON objects have more than {MOST_COLUMNS} different keys. Remove the keys that are not about invoices."
                        raise Invalid({"file": [text]})
                    places[name] = len(places)
                    self._name([*places])
            self._add(line, tuple(row.get(name, "") for name in places))

    def _name(self, names: Sequence[str]) -> None:
        self.names = [*names]
        self.profiles += [ColumnProfile() for _ in range(len(names) - len(self.profiles))]

    def _add(self, line: int, cells: tuple[str, ...]) -> None:
        self.count += 1
        for profile, cell in zip(self.profiles, cells, strict=False):
            if cell:
                profile.add(cell)
        self._chunk.append((line, cells))
        if len(self._chunk) >= _CHUNK:
            self._flush()

    def _flush(self) -> None:
        if self._chunk:
            pickle.dump(self._chunk, self._file, pickle.HIGHEST_PROTOCOL)
            self._chunk = []


def header_place(rows: Sequence[Sequence[str]]) -> int:
    """Return the index of the header row.

    It is the row with the most known column names, the first one in a tie; if no row has two of them, it is the first
    row that is about as wide as the widest and has no digits.

    Raises:
        Invalid: on ``file``: no header row was found.
    """
    scored = [(_named(row), -place) for place, row in enumerate(rows)]
    best, place = max(scored, default=(0, 0))
    if best >= _LEAST_NAMED:
        return -place
    widest = max((sum(map(bool, row)) for row in rows), default=0)
    for place, row in enumerate(rows):
        filled = [cell for cell in row if cell]
        if len(filled) >= max(_LEAST_NAMED, widest - 1) and not any(
            any(map(str.isdigit, cell)) for cell in filled
        ):
            return place
    names = "date, vin, description, labor, parts, total"
    raise Invalid({"file": [f"No header row was found. Add a first row with column names such as {names}."]})


def _named(row: Sequence[str]) -> int:
    """Count the different fields that the cells of a row clearly name."""
    named = set()
    for cell in row:
        if cell and len(cell) < 60:  # noqa: PLR2004 - longer than any name of a column
            scores = name_scores(cell)
            if scores and max(scores.values()) > _CLEARLY:
                named.add(max(scores, key=lambda field: scores[field]))
    return len(named)


def _distinct(header: Sequence[str]) -> list[str]:
    """Return distinct column names: repeated names get a number, and empty ones are named by their position."""
    seen: dict[str, int] = {}
    names = []
    for place, cell in enumerate(header, 1):
        name = " ".join(cell.split()) or f"column {place}"
        count = seen[name.casefold()] = seen.get(name.casefold(), 0) + 1
        names.append(name if count == 1 else f"{name} ({count})")
    return names
