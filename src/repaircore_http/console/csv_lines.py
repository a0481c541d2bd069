"""CSV lines whose cells spreadsheets read as text, not as formulas."""

import csv
from collections.abc import Iterable
from io import StringIO

from repaircore.kernel.csv_table import inert


def csv_line(cells: Iterable[str]) -> str:
    """Return a CSV line with the given cells, escaped so that none is a formula."""
    buffer = StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow([inert(cell) for cell in cells])
    return buffer.getvalue()
