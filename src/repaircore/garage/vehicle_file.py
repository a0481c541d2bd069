"""Vehicles as CSV files: each row is a vehicle to add."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from attrs import frozen

from repaircore.kernel.csv_table import column_positions, is_text, read_table
from repaircore.kernel.errors import Invalid

COLUMNS: Final[Mapping[str, Sequence[str]]] = {
    "vin": ("vin", "vehicle identification number"),
    "plate": ("plate", "license plate", "plate number"),
    "state": ("state", "plate state"),
    "unit_number": ("unit_number", "unit number", "unit", "unit #", "asset"),
    "nickname": ("nickname", "name"),
    "department": ("department", "dept"),
    "zip_code": ("zip_code", "zip", "zip code"),
    "odometer": ("odometer", "mileage", "miles"),
    "in_service_on": ("in_service_on", "in-service date", "in service date", "in service"),
}
"""The columns of a file, with their accepted names."""

_NO_VEHICLE: Final = "The file needs a vin column, or plate and state columns."
_US_DAY: Final = "%m/%d/%Y"


@frozen
class VehicleRow:
    """A row of a file: the line that it ends on, and the vehicle."""

    line: int
    item: Mapping[str, Any]


def read_vehicles(lines: Iterable[str]) -> Iterator[VehicleRow]:
    """Yield the rows of a CSV file; unknown columns are ignored.

    Raises:
        Invalid: on ``file``: it is empty or not CSV, or a column is missing; also raised while the rows are read.
    """
    table = read_table(lines)
    header = next(table, None)
    if header is None:
        raise Invalid({"file": ["The file is empty."]})
    first = [header[1][0].removeprefix("\ufeff"), *header[1][1:]]
    positions = column_positions(first, COLUMNS, optional=COLUMNS.keys())
    if "vin" not in positions and not positions.keys() >= {"plate", "state"}:
        raise Invalid({"file": [_NO_VEHICLE]})
    for line, cells in table:
        item = _item(cells, positions)
        if item:
            yield VehicleRow(line, item)


def _item(cells: Sequence[str], positions: Mapping[str, int]) -> dict[str, Any]:
    """Return the vehicle of a row; an empty cell is an absent field."""
    texts = {name: cells[at].strip() for name, at in positions.items() if at < len(cells)}
    return {name: _value(name, text) for name, text in texts.items() if text}


def _value(name: str, text: str) -> Any:
    if not is_text(text):
        return "\N{REPLACEMENT CHARACTER}"
    if name == "odometer":
        digits = text.replace(",", "").removesuffix(".0")
        return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= 9 else text  # noqa: PLR2004 - longer numbers are not miles
    return _day(text) if name == "in_service_on" else text


def _day(text: str) -> str:
    """Return a US date in ISO format; leave any other text unchanged, for validation to report."""
    try:
        return datetime.strptime(text, _US_DAY).date().isoformat()  # noqa: DTZ007 - a day has no zone
    except ValueError:
        return text
