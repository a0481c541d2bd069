"""The EPA's file of vehicles: a row for each model, year, engine and transmission.

Two shapes are read: ``vehicles.csv`` as fueleconomy.gov publishes it, and the one with the columns
``make,model,year,class,trans,drive,cyl,displ,fuel``. Columns may stand in any order, and more of them may be there.
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
"""The names of each column, in small letters; the first that is there counts."""

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
"""The first word that a fuel begins with decides: of "Gasoline or natural gas" it is gasoline."""

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
"""Other words ("4-Wheel or All-Wheel Drive") tell no single drive."""

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
    """What a row says, in our words; the names are still the EPA's."""

    make: str
    model: str
    year: int
    engine: Engine
    drive: Drive | None
    body: Body | None


class BadRow(ValueError):
    """A row that says what cannot be; ``reasons`` are sentences."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = tuple(reasons)


@frozen(kw_only=True)
class EpaLine:
    """A row of the file: the number of the line that it ends on, as it stands there, and its cells by our names."""

    number: int
    row: Sequence[str]
    cells: Mapping[str, str]
    whole: bool
    """Whether it has as many cells as the head."""


def read_lines(lines: Iterable[str]) -> Iterator[EpaLine]:
    """Read a file row by row, never more than one at a time; empty lines are passed over.

    Raises:
        Invalid: on ``file``: it has not the columns that are needed, or is no text of such a form.
    """
    rows = read_table(lines)
    _, head = next(rows, (0, []))
    found = column_positions(head, _COLUMNS, optional=_OPTIONAL)
    for number, row in rows:
        cells = {name: row[at].strip() if at < len(row) else "" for name, at in found.items()}
        yield EpaLine(number=number, row=row, cells=cells, whole=len(row) == len(head))


def read_row(line: EpaLine) -> EpaRow:
    """Read a row.

    Raises:
        BadRow: it says what cannot be; everything that is wrong with it is told.
    """
    cells, reasons = line.cells, [] if line.whole else [WRONG_WIDTH]
    if not all(map(is_text, line.row)):
        raise BadRow([*reasons, NOT_TEXT])
    reasons += _validate_name("make", cells["make"]) + _validate_name("model", cells["model"])
    year = _whole(cells["year"], FIRST_YEAR, LAST_YEAR)
    if year is None:
        reasons.append(f"The year is no whole number from {FIRST_YEAR} to {LAST_YEAR}.")
    fuel = _fuel(cells)
    if fuel is None:
        reasons.append("The fuel is none that is known.")
    tenths, cylinders = _tenths(cells["displacement"]), _whole(cells["cylinders"] or "0", 0, _MOST_CYLINDERS)
    if tenths is None:
        reasons.append(f"The displacement is no number of liters up to {_MOST_TENTHS // 10}.")
    if cylinders is None:
        reasons.append(f"The cylinders are no whole number up to {_MOST_CYLINDERS}.")
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


def _validate_name(what: str, name: str) -> list[str]:
    if not name:
        return [f"The {what} is missing."]
    if len(name) > LONGEST or not name.isprintable():
        return [f"The {what} is longer than {LONGEST} characters, or cannot be printed."]
    return []


def _whole(text: str, least: int, most: int) -> int | None:
    number = _number(text)
    return int(number) if number is not None and number == int(number) and least <= number <= most else None


def _tenths(text: str) -> int | None:
    number = _number(text or "0")
    return round(number * 10) if number is not None and 0 <= number * 10 <= _MOST_TENTHS else None


def _number(text: str) -> float | None:
    """Read "4", "4.0" and "2.4"; signs, exponents and digits of other scripts are no numbers here."""
    return float(text) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text, re.ASCII) else None


def _fuel(cells: Mapping[str, str]) -> Fuel | None:
    told = cells["fuel"].casefold()
    burned = next((fuel for word, fuel in _FUELS if told.startswith(word)), None)
    special = _TECHNOLOGIES.get(cells.get("technology", "").casefold())
    if burned is None or special is not None:
        return None if burned is None else special
    if _PLUG_IN.search(cells["model"]) or _BOTH.search(told):
        return Fuel.PLUG_IN_HYBRID
    return Fuel.HYBRID if burned is Fuel.GASOLINE and _HYBRID.search(cells["model"]) else burned


def _body(told: str) -> Body | None:
    folded = told.casefold()
    return next((body for phrase, body in _BODIES if phrase in folded), None)
