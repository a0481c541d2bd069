"""Jobs as rows in our own format: see docs/reference/transactions-csv.md."""

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Final

from repaircore.invoice_files.model import key_of
from repaircore.kernel.csv_table import column_positions, is_text
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents
from repaircore.learning.invoice_file import COLUMNS, fingerprint_of
from repaircore.shop_tables.model import Job

_PARTS: Final = 20
HEAD: Final = (
    "vin",
    "year",
    "make",
    "model",
    "trim",
    "problem",
    "date",
    "facility",
    "zip",
    "mileage",
    *(f"part_{number}_{name}" for number in range(1, _PARTS + 1) for name in ("name", "price", "quantity")),
    "parts_total",
    "labor_hours",
    "labor_rate",
    "total",
    "invoice",
    "notes",
)


def is_own_format(head: bytes) -> bool:
    """Return whether a file starts like one in our own format: with a CSV header that has our required columns."""
    line = head.decode("utf-8-sig", "surrogateescape").splitlines()[:1]
    cells = next(csv.reader(line), [])
    if not cells or not all(map(is_text, cells)):
        return False
    try:
        found = column_positions(cells, COLUMNS, optional=[*COLUMNS])
    except Invalid:
        return False
    has_vehicle = "vin" in found or {"year", "make", "model"} <= found.keys()
    return has_vehicle and {"problem", "date"} <= found.keys()


def own_cells(job: Job, *, facility: str, zip_code: str) -> dict[str, str]:
    """Return a job's cells by column of our own format, without its repair or empty cells.

    If it has more parts than the format has columns for, only their total is included.
    """
    parts = job.parts if len(job.parts) <= _PARTS else ()
    labor_only = job.labor is not None and job.parts_total is None
    cells = {
        "vin": job.vin,
        "year": job.year,
        "make": job.make,
        "model": job.model,
        "trim": job.trim,
        "date": job.performed_on.isoformat(),
        "facility": facility,
        "zip": zip_code,
        "mileage": "" if job.mileage is None else str(job.mileage),
        "parts_total": "0" if labor_only else _dollars(job.parts_total),
        "labor_hours": f"{job.hours:.6g}" if job.hours else "",
        "labor_rate": _dollars(job.rate) if job.total is None else "",
        "total": _dollars(job.total),
        "invoice": "/".join(filter(None, (job.order, job.key))),
        "notes": job.text,
    }
    for number, part in enumerate(parts, 1):
        cells |= {
            f"part_{number}_name": part.name,
            f"part_{number}_price": _dollars(part.unit_price),
            f"part_{number}_quantity": str(part.quantity),
        }
    return {name: value for name, value in cells.items() if value}


def csv_line(cells: Mapping[str, str]) -> str:
    """Return one line of CSV with the columns of ``HEAD``; line breaks in cells become spaces."""
    return _csv_text([" ".join(cells.get(name, "").split()) for name in HEAD])


def csv_head() -> str:
    """Return the header row as a line of CSV."""
    return _csv_text(HEAD)


def fingerprint(text: str, cells: Mapping[str, str]) -> int:
    """Return a number that identifies a job by its text and cells, whichever file it is in."""
    return fingerprint_of(key_of(text), *sorted(cells.items()))


def _csv_text(cells: Sequence[str]) -> str:
    buffer = StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()


def _dollars(amount: Cents | None) -> str:
    return "" if amount is None else f"{amount // 100}.{amount % 100:02}"
