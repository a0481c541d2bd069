"""Shops in a file: docs/reference/facilities-csv.md describes it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, cast

from repaircore.facilities.model import Facility, FacilityInput
from repaircore.facilities.rate_text import rate_of
from repaircore.facilities.validation import validate_shop
from repaircore.kernel.csv_table import NOT_TEXT, WRONG_WIDTH, column_positions, is_text, read_table, rejected
from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow
from repaircore.kernel.money import dollars

_COLUMNS: Final = {
    "name": ("facility_name", "name", "shop", "facility"),
    "city": ("city",),
    "state": ("state",),
    "zip_code": ("zip_code", "zip", "postal_code"),
    "country": ("country",),
    "avg_labor_rate": ("avg_labor_rate", "labor_rate", "rate"),
}
_OPTIONAL: Final = frozenset(_COLUMNS) - {"name"}

HEAD: Final = tuple(spellings[0] for spellings in _COLUMNS.values())
"""The columns of an export."""


def read_shops(lines: Iterable[str]) -> Iterator[FacilityInput | RejectedRow]:
    """Give what each row tells of a shop, or why it is refused; an empty cell tells nothing.

    Raises:
        Invalid: on ``file``: it is no such table.
    """
    rows = read_table(lines)
    _, head = next(rows, (0, list[str]()))
    where = column_positions(head, _COLUMNS, optional=_OPTIONAL)
    for line, row in rows:
        cells = {name: row[at].strip() for name, at in where.items() if at < len(row) and row[at].strip()}
        reasons = _validate_form(row, len(head))
        fields, wrong = ({}, []) if reasons else _fields(cells)
        yield rejected(line, row, [*reasons, *wrong]) if reasons or wrong else cast("FacilityInput", fields)


def row_of(shop: Facility) -> Sequence[str]:
    """Write a shop as a row of an export."""
    rate = "" if shop.avg_labor_rate is None else f"{dollars(shop.avg_labor_rate):.2f}"
    return (
        shop.name,
        shop.city or "",
        shop.state or "",
        shop.zip_code or "",
        shop.country or "",
        rate,
    )


def _validate_form(row: Sequence[str], width: int) -> list[str]:
    if not all(map(is_text, row)):
        return [NOT_TEXT]
    return [] if len(row) == width else [WRONG_WIDTH]


def _fields(cells: Mapping[str, str]) -> tuple[Mapping[str, object], list[str]]:
    fields: dict[str, object] = {"name": "", **cells}
    wrong: list[str] = []
    if "avg_labor_rate" in fields:
        try:
            fields["avg_labor_rate"] = rate_of(cells["avg_labor_rate"])
        except Invalid as bad:
            wrong = [text for texts in bad.fields.values() for text in texts]
            del fields["avg_labor_rate"]
    told = validate_shop(**cast("FacilityInput", fields))
    return fields, [*(text for texts in told.values() for text in texts), *wrong]
