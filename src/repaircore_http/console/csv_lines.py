"""Lines of CSV that spreadsheets take for text, not for formulas."""

import csv
from collections.abc import Iterable
from io import StringIO

from repaircore.kernel.csv_table import inert


def csv_line(cells: Iterable[str]) -> str:
    """Return a line of CSV with these cells, none of which is a formula."""
    buffer = StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow([inert(cell) for cell in cells])
    return buffer.getvalue()
