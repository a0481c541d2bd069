"""CSV tables: rows with their line numbers, and columns found under several spellings."""

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Final

from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow
from repaircore.kernel.text_lines import RowLines

NOT_TEXT: Final = "The row is not UTF-8 text."
WRONG_WIDTH: Final = "The row has more or fewer cells than the header."

_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Spreadsheets evaluate a cell that begins with one of these; the last four are full-width forms of the first four."""

_LONGEST_ROW: Final = 1000
_FIRST_SURROGATE: Final = "\ud800"
_LAST_SURROGATE: Final = "\udfff"


def read_table(
    lines: Iterable[str], *, delimiter: str = ",", quoting: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Yield each non-empty row with the number of its last line, the header first.

    With ``quoting`` False, quotation marks are ordinary characters. Only one row is held in memory at a time.

    Raises:
        Invalid: on ``file``: it is not valid CSV, or has a line of more than one million characters or a row of more
            than two million.
    """
    source = RowLines(lines)
    rows = csv.reader(
        source,
        strict=quoting,
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoting else csv.QUOTE_NONE,
    )
    line = 0
    try:
        for row in rows:
            line = rows.line_num
            source.start_row()
            if row:
                yield line, row
    except csv.Error as error:
        text = f"The file is not valid CSV: {error}. Check the row that starts at line {line + 1} for an unclosed quotation mark."
        raise Invalid({"file": [text]}) from None


def column_positions(
    header: Sequence[str], columns: Mapping[str, Sequence[str]], *, optional: Collection[str] = ()
) -> dict[str, int]:
    """Return the position of each of ``columns`` in the header; missing optional columns are left out.

    ``columns`` lists the accepted spellings of each; the first one found wins. Case and surrounding space are ignored.

    Raises:
        Invalid: on ``file``: a required column is missing, or the header is not text.
    """
    if not all(map(is_text, header)):
        raise Invalid({"file": ["The file is not UTF-8 text. Save it as UTF-8 CSV."]})
    names = [name.strip().casefold() for name in header]
    found = {
        column: next(names.index(spelling) for spelling in spellings if spelling in names)
        for column, spellings in columns.items()
        if not set(spellings).isdisjoint(names)
    }
    missing = [
        " or ".join(spellings)
        for column, spellings in columns.items()
        if column not in found and column not in optional
    ]
    if missing:
        raise Invalid({"file": [f"The file has no column {column}." for column in missing]})
    return found


def is_text(cell: str) -> bool:
    """Return whether a cell is valid text; invalid bytes were decoded to lone surrogates."""
    return cell.isascii() or not any(_FIRST_SURROGATE <= char <= _LAST_SURROGATE for char in cell)


def inert(cell: str) -> str:
    """Return a cell escaped so that spreadsheets show it as text."""
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell


def rejected(line: int, row: Sequence[str], reasons: Iterable[str], *, delimiter: str = ",") -> RejectedRow:
    """Return a rejected row with its reasons; a long row is truncated."""
    buffer = StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="").writerow(row)
    text = buffer.getvalue()[:_LONGEST_ROW].encode("utf-8", "replace").decode()
    return RejectedRow(line=line, row=text, reasons=tuple(reasons))
