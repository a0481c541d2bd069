"""Recall files: NHTSA's FLAT_RCL as it is published, and CSV lists with a header row.

FLAT_RCL has no header row, tabs between cells, and no quoting; its columns are those of RCL.txt, which NHTSA publishes
along with it. Columns added in later years are at the end. docs/howto/import-recalls.md lists the columns that are
read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain, islice
from typing import Final

from attrs import asdict

from repaircore.kernel.csv_table import column_positions, is_text, read_table, rejected
from repaircore.kernel.imports import RejectedRow
from repaircore.kernel.spelling import make_name, model_name
from repaircore.recalls.model import Campaign, Recall, RecalledVehicle, RecallSource

_FLAT_HEAD: Final = (
    *("RECORD_ID", "CAMPNO", "MAKETXT", "MODELTXT", "YEARTXT", "MFGCAMPNO", "COMPNAME", "MFGNAME"),
    *("BGMAN", "ENDMAN", "RCLTYPECD", "POTAFF", "ODATE", "INFLUENCED_BY", "MFGTXT", "RCDATE", "DATEA"),
    *("RPNO", "FMVSS", "DESC_DEFECT", "CONEQUENCE_DEFECT", "CORRECTIVE_ACTION", "NOTES", "RCL_CMPT_ID"),
    *("MFR_COMP_NAME", "MFR_COMP_DESC", "MFR_COMP_PTNO", "DO_NOT_DRIVE", "PARK_OUTSIDE"),
)
"""The columns of FLAT_RCL, with NHTSA's misspellings."""

_COLUMNS: Final[Mapping[str, Sequence[str]]] = {
    "campaign": ("campaign", "nhtsa id", "campno"),
    "make": ("make", "maketxt"),
    "model": ("model", "modeltxt"),
    "year": ("year", "model year", "yeartxt"),
    "component": ("component", "compname"),
    "summary": ("summary", "desc_defect"),
    "consequence": ("consequence", "conequence_defect", "consequence_defect"),
    "remedy": ("remedy", "corrective_action"),
    "notes": ("notes",),
    "park_it": ("park_it", "do_not_drive"),
    "park_outside": ("park_outside",),
    "reported_on": ("reported_on", "rcdate"),
    "source": ("source",),
}
_REQUIRED: Final = frozenset({"campaign", "make", "model", "year", "summary"})

HEAD: Final = (
    *("campaign", "make", "model", "year", "component", "summary", "consequence", "remedy"),
    *("park_it", "park_outside", "reported_on", "source"),
)
"""The columns of an export."""

_SHORTEST: Final = _FLAT_HEAD.index("CORRECTIVE_ACTION") + 1
_CAMPAIGN: Final = re.compile(r"(\d\d[A-Z][0-9A-Z]{3})(\d{3})?", re.ASCII)
_FIRST: Final = "000"
"""The last three digits of nearly every campaign number, which lists omit."""
_UNKNOWN_YEAR: Final = frozenset({"", "9999"})
_YEARS: Final = range(1900, 2101)
_DAY: Final = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)", re.ASCII)
_LONGEST: Final = {"make": 100, "model": 256, "component": 1_000}
_LONGEST_TEXT: Final = 10_000
_TRUTHS: Final = {
    "y": True,
    "yes": True,
    "true": True,
    "1": True,
    "n": False,
    "no": False,
    "false": False,
    "0": False,
}
_TABS: Final = 10
"""A file whose first line has at least this many tabs is FLAT_RCL."""


def read_recalls(lines: Iterable[str]) -> Iterator[Recall | RejectedRow]:
    """Yield the recall in each row, or a ``RejectedRow`` with the reasons.

    Raises:
        Invalid: ``file`` is not a recall file.
    """
    rest = iter(lines)
    first = list(islice(rest, 1))
    flat = bool(first) and first[0].count("\t") >= _TABS
    delimiter = "\t" if flat else ","
    rows = read_table(chain(first, rest), delimiter=delimiter, quoting=not flat)
    line, head = next(rows, (0, list[str]()))
    if flat and "CAMPNO" not in head:
        rows = chain([(line, head)], rows)
        head = list(_FLAT_HEAD)
    where = column_positions(head, _COLUMNS, optional=_COLUMNS.keys() - _REQUIRED)
    source = RecallSource.FLAT_FILE if "remedy" in where else RecallSource.LIST
    width = _SHORTEST if flat else len(head)
    for number, row in rows:
        cells = {name: _text(row[at]) for name, at in where.items() if at < len(row)}
        reasons = _errors(cells) if len(row) >= width else ["The row has too few cells."]
        yield rejected(number, row, reasons, delimiter=delimiter) if reasons else _row(cells, source)


def row_of(recall: Recall) -> Sequence[str]:
    """Return a recall as a row of an export."""
    cells = {**asdict(recall.vehicle), **asdict(recall.campaign)}
    return tuple(_cell(cells[name]) for name in HEAD)


def _text(cell: str) -> str:
    """Return a cell with single spaces, decoded as UTF-8, or else as Windows-1252, or else as ISO-8859-1."""
    if not is_text(cell):
        raw = cell.encode("utf-8", "surrogateescape")
        try:
            cell = raw.decode("cp1252")
        except UnicodeDecodeError:
            cell = raw.decode("latin-1")
    return " ".join(cell.replace("\0", " ").split())


def _errors(cells: Mapping[str, str]) -> list[str]:
    errors = []
    if not _CAMPAIGN.fullmatch(cells["campaign"].upper()):
        errors.append("The campaign must be a number such as 23V123000 or 23V123.")
    if not cells["make"]:
        errors.append("The make is missing.")
    if not _is_year(cells["year"]):
        errors.append(f"The year must be a whole number from {_YEARS[0]} to {_YEARS[-1]}, or 9999.")
    errors += [
        f"The {name} is longer than {_LONGEST.get(name, _LONGEST_TEXT):,} characters."
        for name, text in cells.items()
        if len(text) > _LONGEST.get(name, _LONGEST_TEXT)
    ]
    return errors


def _is_year(text: str) -> bool:
    if text in _UNKNOWN_YEAR:
        return True
    return re.fullmatch(r"\d{4}", text, re.ASCII) is not None and int(text) in _YEARS


def _row(cells: Mapping[str, str], source: RecallSource) -> Recall:
    number = campaign_number(cells["campaign"])
    named_source = cells.get("source", "")
    return Recall(
        campaign=Campaign(
            campaign=number,
            # Campaigns before 1977 have all their text in the notes.
            summary=cells["summary"] or cells.get("notes") or None,
            consequence=cells.get("consequence") or None,
            remedy=cells.get("remedy") or None,
            park_it=_TRUTHS.get(cells.get("park_it", "").casefold()),
            park_outside=_TRUTHS.get(cells.get("park_outside", "").casefold()),
            reported_on=_day(cells.get("reported_on", "")),
            source=RecallSource(named_source) if named_source in {*RecallSource} else source,
        ),
        vehicle=RecalledVehicle(
            campaign=number,
            make=make_name(cells["make"]),
            model=model_name(cells["model"]),
            year=None if cells["year"] in _UNKNOWN_YEAR else int(cells["year"]),
            component=cells.get("component") or None,
        ),
    )


def campaign_number(text: str) -> str:
    """Return the full number of a campaign (23v123 → 23V123000); any other string is returned unchanged."""
    found = _CAMPAIGN.fullmatch(text.upper())
    return text if found is None else found[1] + (found[2] or _FIRST)


def _day(text: str) -> date | None:
    """Parse 20240131 or 2024-01-31; None for anything else."""
    found = _DAY.fullmatch(text)
    try:
        return None if found is None else date(*map(int, found.groups()))
    except ValueError:
        return None


def _cell(value: object) -> str:
    if value is None:
        return ""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
