"""The EPA's vehicle file: a row for each model, year, engine and transmission.

Two formats are read: ``vehicles.csv`` as fueleconomy.gov publishes it, and one with the columns
``make,model,year,class,trans,drive,cyl,displ,fuel``. Columns may be in any order, and there may be others.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.catalog.model import Engine, Fuel
from repaircore.kernel.csv_table import NOT_TEXT, WRONG_WIDTH, column_positions, is_text, read_table
from repaircore.kernel.traits import Body, Drive

LONGEST: Final = 100
FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2100
_MOST_TENTHS: Final = 200
_MOST_CYLINDERS: Final = 16

_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "make": ("make",),
    "model": ("model",),
    "year": ("year",),
    "cylinders": ("cylinders", "cyl"),
    "displacement": ("displ",),
    "fuel": ("fueltype1", "fuel"),
    "drive": ("drive",),
    "class": ("vclass", "class"),
    "technology": ("atvtype",),
}
"""The names that each column may have, in lower case; the first one found wins."""

_OPTIONAL: Final = frozenset({"drive", "class", "technology"})

_TECHNOLOGIES: Final = {
    "hybrid": Fuel.HYBRID,
    "plug-in hybrid": Fuel.PLUG_IN_HYBRID,
    "ev": Fuel.ELECTRIC,
    "fcv": Fuel.HYDROGEN,
}
_FUELS: Final = (
    ("hydrogen", Fuel.HYDROGEN),
    ("electricity", Fuel.ELECTRIC),
    ("diesel", Fuel.DIESEL),
    ("gasoline", Fuel.GASOLINE),
    ("regular", Fuel.GASOLINE),
    ("premium", Fuel.GASOLINE),
    ("midgrade", Fuel.GASOLINE),
    ("cng", Fuel.CNG),
    ("natural gas", Fuel.CNG),
    ("propane", Fuel.PROPANE),
)
"""Fuels by the beginning of their names: "Gasoline or natural gas" is gasoline."""

_BOTH: Final = re.compile(r"\b(gas|premium|regular)\b.*\belectricity\b", re.IGNORECASE)
_HYBRID: Final = re.compile(r"\b(hybrid|hev)\b", re.IGNORECASE)
_PLUG_IN: Final = re.compile(r"\b(plug-?in|phev)\b", re.IGNORECASE)

_DRIVES: Final = {
    "front-wheel drive": Drive.FWD,
    "rear-wheel drive": Drive.RWD,
    "all-wheel drive": Drive.AWD,
    "4-wheel drive": Drive.FOUR_WD,
    "part-time 4-wheel drive": Drive.FOUR_WD,
}
"""Other values ("4-Wheel or All-Wheel Drive") are ambiguous."""

_BODIES: Final = (
    ("pickup", Body.PICKUP),
    ("sport utility", Body.SUV),
    ("minivan", Body.VAN),
    ("vans", Body.VAN),
    ("special purpose", None),
    ("car", Body.CAR),
    ("wagon", Body.CAR),
    ("two seater", Body.CAR),
)


@frozen(kw_only=True)
class EpaRow:
    """A parsed row; the names are still the EPA's."""

    make: str
    model: str
    year: int
    engine: Engine
    drive: Drive | None
    body: Body | None


class BadRow(ValueError):
    """An invalid row; ``reasons`` are sentences."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = tuple(reasons)


@frozen(kw_only=True)
class EpaLine:
    """A row of the file: the number of its last line, all of its cells, and the cells of known columns by name."""

    number: int
    row: Sequence[str]
    cells: Mapping[str, str]
    whole: bool
    """Whether it has as many cells as the header row."""


def read_lines(lines: Iterable[str]) -> Iterator[EpaLine]:
    """Yield the rows of a file, one at a time; skip empty lines.

    Raises:
        Invalid: on ``file``: required columns are missing, or it is not valid CSV.
    """
    rows = read_table(lines)
    _, head = next(rows, (0, []))
    found = column_positions(head, _COLUMNS, optional=_OPTIONAL)
    for number, row in rows:
        cells = {name: row[at].strip() if at < len(row) else "" for name, at in found.items()}
        yield EpaLine(number=number, row=row, cells=cells, whole=len(row) == len(head))


def read_row(line: EpaLine) -> EpaRow:
    """Parse a row.

    Raises:
        BadRow: with the reasons why the row is invalid.
    """
    cells, reasons = line.cells, [] if line.whole else [WRONG_WIDTH]
    if not all(map(is_text, line.row)):
        raise BadRow([*reasons, NOT_TEXT])
    reasons += _validate_name("make", cells["make"]) + _validate_name("model", cells["model"])
    year = _parse_whole(cells["year"], FIRST_YEAR, LAST_YEAR)
    if year is None:
        reasons.append(f"The year must be a whole number from {FIRST_YEAR} to {LAST_YEAR}.")
    fuel = _fuel(cells)
    if fuel is None:
        reasons.append("The fuel is unknown.")
    tenths = _parse_tenths(cells["displacement"])
    cylinders = _parse_whole(cells["cylinders"] or "0", 0, _MOST_CYLINDERS)
    if tenths is None:
        reasons.append(f"The displacement must be a number of liters up to {_MOST_TENTHS // 10}.")
    if cylinders is None:
        reasons.append(f"The cylinders must be a whole number up to {_MOST_CYLINDERS}.")
    if reasons or year is None or fuel is None:
        raise BadRow(reasons)
    return EpaRow(
        make=" ".join(cells["make"].split()),
        model=" ".join(cells["model"].split()),
        year=year,
        engine=Engine(tenths=tenths or None, cylinders=cylinders or None, fuel=fuel),
        drive=_DRIVES.get(cells.get("drive", "").casefold()),
        body=_body(cells.get("class", "")),
    )


def _validate_name(column: str, name: str) -> list[str]:
    if not name:
        return [f"The {column} is missing."]
    if len(name) > LONGEST or not name.isprintable():
        return [f"The {column} must be at most {LONGEST} printable characters."]
    return []


def _parse_whole(text: str, least: int, most: int) -> int | None:
    number = _parse_number(text)
    return int(number) if number is not None and number == int(number) and least <= number <= most else None


def _parse_tenths(text: str) -> int | None:
    number = _parse_number(text or "0")
    return round(number * 10) if number is not None and 0 <= number * 10 <= _MOST_TENTHS else None


def _parse_number(text: str) -> float | None:
    """Parse "4", "4.0" or "2.4"; return None for anything else, such as signs and exponents."""
    return float(text) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text, re.ASCII) else None


def _fuel(cells: Mapping[str, str]) -> Fuel | None:
    text = cells["fuel"].casefold()
    burned = next((fuel for word, fuel in _FUELS if text.startswith(word)), None)
    special = _TECHNOLOGIES.get(cells.get("technology", "").casefold())
    if burned is None or special is not None:
        return None if burned is None else special
    if _PLUG_IN.search(cells["model"]) or _BOTH.search(text):
        return Fuel.PLUG_IN_HYBRID
    return Fuel.HYBRID if burned is Fuel.GASOLINE and _HYBRID.search(cells["model"]) else burned


def _body(vehicle_class: str) -> Body | None:
    folded = vehicle_class.casefold()
    return next((body for phrase, body in _BODIES if phrase in folded), None)
