"""Reading tables: rows of cells, with the line that each ends on, and columns by their many spellings."""

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Final

from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow

NOT_TEXT: Final = "It is not text in UTF-8."

_LONGEST_ROW: Final = 1000
_FIRST_HALF: Final = "\ud800"
_LAST_HALF: Final = "\udfff"


def read_table(
    lines: Iterable[str], *, delimiter: str = ",", quoting: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Give the rows that are not empty, never more than one at a time; the first is the head.

    ``quoting`` False takes quotation marks as they stand.

    Raises:
        Invalid: on ``file``: it cannot be told where its cells end.
    """
    rows = csv.reader(
        lines,
        strict=quoting,
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoting else csv.QUOTE_NONE,
    )
    line = 0
    try:
        for row in rows:
            line = rows.line_num
            if row:
                yield line, row
    except csv.Error as error:
        begun = f"in the row that begins at line {line + 1}, maybe a quotation mark that is never closed"
        raise Invalid({"file": [f"The file cannot be read as CSV: {begun}: {error}."]}) from None


def places(
    head: Sequence[str], columns: Mapping[str, Sequence[str]], *, optional: Collection[str] = ()
) -> dict[str, int]:
    """Say where each column stands, by our name; of its spellings the first that is there counts.

    Case, and space around a name, do not matter. A column that is not needed and not there is left out.

    Raises:
        Invalid: on ``file``: a needed column is not there, or the head is no text.
    """
    if not all(map(is_text, head)):
        raise Invalid({"file": ["The file is not text in UTF-8."]})
    told = [name.strip().casefold() for name in head]
    found = {
        name: next(told.index(spelled) for spelled in spellings if spelled in told)
        for name, spellings in columns.items()
        if not set(spellings).isdisjoint(told)
    }
    missing = [" or ".join(columns[name]) for name in columns if name not in found and name not in optional]
    if missing:
        raise Invalid({"file": [f"The file has no column {column}." for column in missing]})
    return found


def is_text(cell: str) -> bool:
    """Tell whether a cell was text; a byte that was not is a lone surrogate."""
    return cell.isascii() or not any(_FIRST_HALF <= char <= _LAST_HALF for char in cell)


def refused(line: int, row: Sequence[str], reasons: Iterable[str], *, delimiter: str = ",") -> RejectedRow:
    """Make the complaint about a row; of a long one the beginning is told."""
    text = StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="").writerow(row)
    told = text.getvalue()[:_LONGEST_ROW].encode("utf-8", "replace").decode()
    return RejectedRow(line=line, row=told, reasons=tuple(reasons))
