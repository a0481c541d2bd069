"""Lines of CSV that spreadsheets take for text, not for formulas."""

import csv
from collections.abc import Iterable
from io import StringIO
from typing import Final

_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")
"""A cell that begins so is computed by spreadsheets."""


def csv_line(cells: Iterable[str]) -> str:
    """Return a line of CSV with these cells, none of which is a formula."""
    buffer = StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow([_inert(cell) for cell in cells])
    return buffer.getvalue()


def _inert(cell: str) -> str:
    """Return a cell that spreadsheets show as text."""
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell
