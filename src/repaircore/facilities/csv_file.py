"""Facilities in a CSV file: see docs/reference/facilities-csv.md."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from repaircore.facilities.model import CreateFacility, Facility
from repaircore.kernel.csv_table import NOT_TEXT, WRONG_WIDTH, column_positions, is_text, read_table, rejected
from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow
from repaircore.kernel.money import dollars
from repaircore.kernel.rules import FieldErrors, field_errors

_COLUMNS: Final = {
    "facility_name": ("facility_name", "name", "shop", "facility"),
    "city": ("city",),
    "state": ("state",),
    "zip_code": ("zip_code", "zip", "postal_code"),
    "country": ("country",),
    "avg_labor_rate": ("avg_labor_rate", "labor_rate", "rate"),
}
_OPTIONAL: Final = frozenset(_COLUMNS) - {"facility_name"}

_DOLLARS: Final = re.compile(r"\$? ?(\d{1,3}(?:,\d{3})+|\d{1,12})(\.\d{1,6})?", re.ASCII)

HEAD: Final = tuple(_COLUMNS)
"""The columns of an export."""


def read_facilities(
    lines: Iterable[str], place_errors: Callable[[Mapping[str, Any]], FieldErrors]
) -> Iterator[Mapping[str, Any] | RejectedRow]:
    """Yield the fields that each row sets, or the reasons for rejecting it; an empty cell sets nothing.

    ``place_errors`` takes fields that are each valid, and returns the errors if they contradict each other.

    Raises:
        Invalid: on ``file``: it is not a table of facilities.
    """
    rows = read_table(lines)
    _, head = next(rows, (0, list[str]()))
    positions = column_positions(head, _COLUMNS, optional=_OPTIONAL)
    for line, row in rows:
        reasons = _form_errors(row, len(head))
        fields: Mapping[str, Any] = {}
        if not reasons:
            cells = {name: row[at].strip() for name, at in positions.items() if row[at].strip()}
            fields, reasons = _parse_row(cells)
            reasons = reasons or [text for texts in place_errors(fields).values() for text in texts]
        yield rejected(line, row, reasons) if reasons else fields


def row_of(facility: Facility) -> Sequence[str]:
    """Return a facility as a row of an export."""
    rate = "" if facility.avg_labor_rate is None else f"{dollars(facility.avg_labor_rate):.2f}"
    return (
        facility.name,
        facility.city or "",
        facility.state or "",
        facility.zip_code or "",
        facility.country or "",
        rate,
    )


def parse_rate(text: str) -> float:
    """Parse a rate in dollars per hour, such as "128.50", "$128.50" or "1,128.50".

    Raises:
        Invalid: on ``avg_labor_rate``: the text is not an amount, or is negative.
    """
    found = _DOLLARS.fullmatch(text.strip())
    if found is None:
        raise Invalid({"avg_labor_rate": ["The avg labor rate field must be a dollar amount of at least 0."]})
    return float(found[1].replace(",", "") + (found[2] or ""))


def _form_errors(row: Sequence[str], width: int) -> list[str]:
    if not all(map(is_text, row)):
        return [NOT_TEXT]
    return [] if len(row) == width else [WRONG_WIDTH]


def _parse_row(cells: Mapping[str, str]) -> tuple[Mapping[str, Any], list[str]]:
    fields: dict[str, Any] = {"facility_name": "", **cells}
    rate_errors: Sequence[str] = ()
    if "avg_labor_rate" in fields:
        try:
            fields["avg_labor_rate"] = parse_rate(cells["avg_labor_rate"])
        except Invalid as error:
            rate_errors = error.fields["avg_labor_rate"]
            del fields["avg_labor_rate"]
    errors = field_errors(CreateFacility, fields)
    return fields, [*(text for texts in errors.values() for text in texts), *rate_errors]
