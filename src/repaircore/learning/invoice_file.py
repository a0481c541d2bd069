"""A file of invoices, as docs/reference/transactions-csv.md describes it: its columns, and what a row says.

A million rows are read, so a sound one takes one straight way: every cell is looked up among those read before.
Only a row on which that fails is gone through again, cell by cell, to name every fault.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from hashlib import blake2b
from operator import itemgetter
from typing import Any, Final, TypeAlias

from attrs import frozen

from repaircore.facilities.zip_code import zip5
from repaircore.kernel.csv_table import NOT_TEXT, WRONG_WIDTH, column_positions, is_text, read_table, rejected
from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow
from repaircore.kernel.money import Cents, round_half_up
from repaircore.transactions.car_numbers import car_of
from repaircore.transactions.file_cells import (
    BadCell,
    BoundedCache,
    day_in,
    hours_in,
    miles_in,
    money_in,
    name_in,
    notes_in,
    pieces_in,
)
from repaircore.transactions.limits import DEAREST, DEAREST_HOUR, MOST_LINES
from repaircore.vehicles import vin as vins

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "vin": ("vin",),
    "year": ("year",),
    "make": ("make",),
    "model": ("model",),
    "trim": ("trim",),
    "problem": ("problem", "problem_id", "problem_identifier"),
    "date": ("date", "performed_on"),
    "facility": ("facility", "facility_id"),
    "zip": ("zip", "zip_code"),
    "mileage": ("mileage",),
    "parts_total": ("parts_total",),
    "labor_hours": ("labor_hours", "labour_hours"),
    "labor_rate": ("labor_rate", "labour_rate"),
    "total": ("total",),
    "invoice": ("invoice",),
    "session_id": ("session_id",),
    "notes": ("notes",),
    "fingerprint": ("fingerprint",),
}
"""The columns by our names, and how each may be spelled, in small letters."""

_SPECS: Final = ("year", "make", "model", "trim")
_NEEDED: Final = frozenset({"problem", "date"})
_NO_COMMAS: Final = {";": "semicolons", "\t": "tabs"}
"""What spreadsheets of some countries, and copied tables, have instead."""

_PART: Final = re.compile(r"part_([1-9][0-9]{0,2})_(name|price|quantity)", re.ASCII)
_VIN: Final = re.compile(r"[A-HJ-NPR-Z0-9]{11}(?:[A-HJ-NPR-Z0-9]{6})?")
_PRINT: Final = re.compile(r"[0-9]{1,19}", re.ASCII)
_LARGEST_PRINT: Final = 2**63 - 1

Specs: TypeAlias = tuple[str, str, str, str]
"""Year, make, model and trim, as they stand in the row."""

VehicleTold: TypeAlias = str | Specs
"""The first 11 characters of a VIN, or specs."""

PartTold: TypeAlias = tuple[str, Cents, int]
"""A part's name, the price of a piece, and how many."""

SaleTold: TypeAlias = tuple[
    int,  # the fingerprint
    VehicleTold,
    int,  # the problem's id
    int | None,  # the facility's
    int | None,  # the prediction's
    str,  # the day, 2026-03-14
    int | None,  # miles
    tuple[PartTold, ...],
    float,  # hours
    Cents,  # the rate
    Cents,  # parts in all
    Cents,  # labor in all
    str | None,  # notes
    int | None,  # the car's number
    str | None,  # the ZIP code, of a row without a facility
]
"""A sound row. A plain tuple, because a million of them are made and laid aside."""


@frozen(kw_only=True)
class Lookups:
    """What the installation knows, asked once for each text. Each raises ``BadCell`` for what it does not know.

    ``vehicle`` is asked whether there is such a vehicle; ``shop`` gets the cells ``facility`` and ``zip``,
    ``prediction`` a session and the problem's id.
    """

    vehicle: Callable[[VehicleTold], object]
    problem: Callable[[str], int]
    shop: Callable[[tuple[str, str]], int | None]
    prediction: Callable[[tuple[str, int]], int]


def read_invoices(lines: Iterable[str], known: Lookups, *, last: date) -> Iterator[SaleTold | RejectedRow]:
    """Give each row as what it says, or as what is wrong with it; ``last`` is the last day that may have been.

    Raises:
        Invalid: on ``file``: it has not the columns that are needed, or is no table.
    """
    rows = read_table(lines)
    _, head = next(rows, (0, []))
    reading = _Reading(_layout(head), known, last)
    for line, row in rows:
        row.append("")  # what a column that is not there says
        try:
            yield reading.sale(row)
        except BadCell:
            row.pop()
            yield rejected(line, row, reading.validate(row))


@frozen
class _Layout:
    """Where the cells stand. ``pick`` gives those of ``COLUMNS`` in their order, each part picker those of its kind."""

    width: int
    pick: Callable[[Sequence[str]], tuple[str, ...]]
    parts: tuple[tuple[str, int, int, int], ...]


def _layout(head: Sequence[str]) -> _Layout:
    if len(head) == 1 and is_text(head[0]):
        for mark, name in _NO_COMMAS.items():
            if mark in head[0]:
                raise Invalid({"file": [f"The columns are set apart by {name}; commas are needed."]})
    found = column_positions(head, COLUMNS, optional=[name for name in COLUMNS if name not in _NEEDED])
    if "vin" not in found and not {"year", "make", "model"} <= found.keys():
        raise Invalid({"file": ["The file has neither a column vin nor the columns year, make and model."]})
    columns: dict[str, dict[str, int]] = {}
    for at, name in enumerate(head):
        if form := _PART.fullmatch(name.strip().casefold()):
            columns.setdefault(form[1], {}).setdefault(form[2], at)
    if len(columns) > MOST_LINES:
        raise Invalid({"file": [f"The file has more than {MOST_LINES} parts."]})
    return _Layout(
        len(head),
        itemgetter(*(found.get(name, -1) for name in COLUMNS)),
        tuple(
            (number, part.get("name", -1), part.get("price", -1), part.get("quantity", -1))
            for number, part in sorted(columns.items(), key=lambda told: int(told[0]))
        ),
    )


class _Reading:
    """What was read of a file so far."""

    def __init__(self, layout: _Layout, known: Lookups, last: date) -> None:
        self._layout = layout
        self._vehicles = BoundedCache[VehicleTold](partial(_itself, known.vehicle))
        self._problems = BoundedCache[int](lambda text: known.problem(text.strip()))
        self._shops = BoundedCache[int | None](known.shop)
        self._zips = BoundedCache[str | None](zip5)
        self._predictions = known.prediction
        self._days = BoundedCache[str](partial(day_in, last=last))
        self._money = BoundedCache[Cents](money_in)
        self._hours = BoundedCache[float](hours_in)
        self._miles = BoundedCache[int](miles_in)
        self._names = BoundedCache[str](name_in)
        self._pieces = BoundedCache[int](pieces_in)

    def sale(self, row: Sequence[str]) -> SaleTold:
        """Read a row, whose last cell is the empty one.

        Raises:
            BadCell: something is wrong with it.
        """
        if len(row) != self._layout.width + 1:
            raise BadCell
        (
            vin,
            year,
            make,
            model,
            trim,
            problem,
            day,
            facility,
            zip_code,
            mileage,
            parts_total,
            hours,
            rate,
            total,
            invoice,
            session,
            notes,
            told_print,
        ) = self._layout.pick(row)
        if vin:
            vin = self._vin(vin)
            try:
                vehicle = self._vehicles[vin[:11]]
            except BadCell:
                if not make:
                    raise
                vehicle = self._vehicles[year, make, model, trim]
        else:
            vehicle = self._vehicles[year, make, model, trim]
        problem_id = self._problems[problem]
        performed_on = self._days[day]
        facility_id = self._shops[facility, zip_code] if facility or zip_code else None
        prediction_id = self._predictions((session, problem_id)) if session else None
        miles = self._miles[mileage] if mileage else None
        money, names, pieces = self._money, self._names, self._pieces
        parts = tuple(
            [
                (names[row[name]], money[row[price]], pieces[row[quantity]])
                for _, name, price, quantity in self._layout.parts
                if row[name] or row[price]
            ]
        )
        worked = self._hours[hours] if hours else 0.0
        in_parts, per_hour, in_labor = amounts(
            sum([price * quantity for _, price, quantity in parts]) if parts else None,
            money[parts_total] if parts_total else None,
            worked,
            money[rate] if rate else None,
            money[total] if total else None,
        )
        if notes:
            notes_in(notes)
        fingerprint = (
            _print_in(told_print)
            if told_print
            else fingerprint_of(
                vin or vehicle,
                problem_id,
                facility_id,
                session,
                performed_on,
                miles,
                parts,
                worked,
                per_hour,
                in_parts,
                in_labor,
                invoice,
                notes,
            )
        )
        return (
            fingerprint,
            vehicle,
            problem_id,
            facility_id,
            prediction_id,
            performed_on,
            miles,
            parts,
            worked,
            per_hour,
            in_parts,
            in_labor,
            notes or None,
            car_of(vin) if vin else None,
            self._zips[zip_code] if zip_code and facility_id is None else None,
        )

    def validate(self, row: Sequence[str]) -> list[str]:
        """Say everything that is wrong with a row; something is."""
        if len(row) != self._layout.width:
            return [WRONG_WIDTH]
        if not all(map(is_text, row)):
            return [NOT_TEXT]
        told, padded = _Faults(), [*row, ""]
        cells = dict(zip(COLUMNS, self._layout.pick(padded), strict=True))
        if cells["vin"]:
            if (vin := told.of("vin", self._vin, cells["vin"])) and not cells["make"]:
                told.of("vin", self._vehicles.__getitem__, vin[:11])
        else:
            told.of("vehicle", self._vehicles.__getitem__, tuple(cells[name] for name in _SPECS))
        problem_id = told.of("problem", self._problems.__getitem__, cells["problem"])
        told.of("date", self._days.__getitem__, cells["date"])
        if cells["facility"] or cells["zip"]:
            told.of("facility", self._shops.__getitem__, (cells["facility"], cells["zip"]))
        if cells["session_id"] and problem_id is not None:
            told.of("session_id", self._predictions, (cells["session_id"], problem_id))
        if cells["fingerprint"]:
            told.of("fingerprint", _print_in, cells["fingerprint"])
        told.of("notes", notes_in, cells["notes"])
        self._validate_money(told, cells, padded)
        return told.sentences

    def _validate_money(self, told: "_Faults", cells: Mapping[str, str], padded: Sequence[str]) -> None:
        lines: int | None = None
        sound = len(told.sentences)
        for number, name, price, quantity in self._layout.parts:
            if padded[name] or padded[price]:
                told.of(f"part_{number}_name", self._names.__getitem__, padded[name])
                each = told.of(f"part_{number}_price", self._money.__getitem__, padded[price])
                some = told.of(f"part_{number}_quantity", self._pieces.__getitem__, padded[quantity])
                lines = (lines or 0) + (each or 0) * (some or 0)
        readers: dict[str, Callable[[str], Any]] = {
            "mileage": self._miles.__getitem__,
            "labor_hours": self._hours.__getitem__,
            "parts_total": self._money.__getitem__,
            "labor_rate": self._money.__getitem__,
            "total": self._money.__getitem__,
        }
        _, hours, parts_total, rate, total = (
            told.of(name, read, cells[name]) if cells[name] else None for name, read in readers.items()
        )
        if len(told.sentences) == sound:
            told.of("total", amounts, lines, parts_total, hours or 0.0, rate, total)

    @staticmethod
    def _vin(text: str) -> str:
        if _VIN.fullmatch(text):
            return text
        vin = vins.normalize(text)
        if faults := vins.validate(vin):
            raise BadCell(*faults)
        return vin


class _Faults:
    """The sentences about a row."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def of(self, column: str, read: Callable[..., Any], *told: Any) -> Any:
        """Read something, and note what is wrong with it; None then."""
        try:
            return read(*told)
        except BadCell as bad:
            # A sentence of its own begins with a capital, what is said of a column does not.
            self.sentences += [
                reason if reason[0].isupper() else f"The {column} {reason}." for reason in bad.reasons
            ]
            return None


def _itself(is_known: Callable[[VehicleTold], object], told: VehicleTold) -> VehicleTold:
    if not isinstance(told, str):
        year, make, model, trim = (" ".join(cell.casefold().split()) for cell in told)
        told = (year, make, model, trim)
    is_known(told)
    return told


def _print_in(text: str) -> int:
    if not _PRINT.fullmatch(text) or int(text) > _LARGEST_PRINT:
        raise BadCell("must be a number as export writes it")
    return int(text)


def fingerprint_of(*told: object) -> int:
    """Give what the same row is recognized by: 63 bits of what it says, however it is written."""
    return int.from_bytes(blake2b(repr(told).encode("utf-8", "replace"), digest_size=8).digest(), "big") >> 1


def amounts(
    lines: Cents | None,
    parts_total: Cents | None,
    hours: float,
    rate: Cents | None,
    total: Cents | None,
) -> tuple[Cents, Cents, Cents]:
    """Give the parts, the rate and the labor that the money of a row comes to.

    ``lines`` is what its parts add up to. What is not told is derived from the total, which is what was paid: parts
    and labor always add up to it. It may differ from what they come to by a cent, and by another half for each hour, because a
    rate is told in whole cents.

    Raises:
        BadCell: too little is told, or it does not add up.
    """
    parts = lines if parts_total is None else parts_total
    if lines is not None and parts is not None and lines > parts:
        raise BadCell("The parts come to more than parts_total.")
    if parts is not None and parts > DEAREST:
        raise BadCell(f"The parts come to more than ${DEAREST / 100:,.0f}.")
    if rate is not None and rate > DEAREST_HOUR:
        raise BadCell(f"The labor_rate must be between $0 and ${DEAREST_HOUR / 100:,.0f}.")
    if total is None:
        if rate is None and hours:
            raise BadCell("Of labor_rate and total one is needed.")
        return parts or 0, rate or 0, round_half_up(round(hours * (rate or 0), 6))
    if rate is None or not hours:
        return _by_total(parts or 0, hours, rate, total)
    labor = round_half_up(round(hours * rate, 6))
    slack = 1 + hours / 2
    if parts is None:
        if labor > total + slack:
            raise BadCell("The labor comes to more than the total.")
        return max(0, total - labor), rate, min(labor, total)
    if abs(parts + labor - total) > slack or parts > total:
        raise BadCell(f"The total is not parts and labor: they come to ${(parts + labor) / 100:,.2f}.")
    return parts, rate, total - parts


def _by_total(parts: Cents, hours: float, rate: Cents | None, total: Cents) -> tuple[Cents, Cents, Cents]:
    """Take for labor what the parts leave of the total."""
    labor = total - parts
    if labor < 0:
        raise BadCell("The parts come to more than the total.")
    derived = round_half_up(labor / hours) if hours and rate is None else rate or 0
    if derived > DEAREST_HOUR:
        raise BadCell(f"The total makes a labor_rate of more than ${DEAREST_HOUR / 100:,.0f}.")
    return parts, derived, labor
