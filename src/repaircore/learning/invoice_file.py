"""Parse invoice files: see docs/reference/transactions-csv.md.

Files may have a million rows, so a valid row takes one fast path: its cells are looked up in caches of parsed values.
Only a row for which that fails is parsed again, cell by cell, to report every error.
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
"""Our names for the columns, each with the names that are accepted in files, in lower case."""

_SPECS: Final = ("year", "make", "model", "trim")
_NEEDED: Final = frozenset({"problem", "date"})
_NO_COMMAS: Final = {";": "semicolons", "\t": "tabs"}
"""Separators other than commas: those in some countries' spreadsheets, and in copied tables."""

_PART: Final = re.compile(r"part_([1-9][0-9]{0,2})_(name|price|quantity)", re.ASCII)
_VIN: Final = re.compile(r"[A-HJ-NPR-Z0-9]{11}(?:[A-HJ-NPR-Z0-9]{6})?")
_PRINT: Final = re.compile(r"[0-9]{1,19}", re.ASCII)
_LARGEST_PRINT: Final = 2**63 - 1

Specs: TypeAlias = tuple[str, str, str, str]
"""Year, make, model and trim, as in the row."""

VehicleKey: TypeAlias = str | Specs
"""The first 11 characters of a VIN, or specs."""

PartRow: TypeAlias = tuple[str, Cents, int]
"""A part's name, the price of a piece, and the quantity."""

InvoiceRow: TypeAlias = tuple[
    int,  # the fingerprint
    VehicleKey,
    int,  # the problem's id
    int | None,  # the facility's id
    int | None,  # the prediction's id
    str,  # the day, 2026-03-14
    int | None,  # miles
    tuple[PartRow, ...],
    float,  # hours
    Cents,  # the rate
    Cents,  # parts total
    Cents,  # labor total
    str | None,  # notes
    int | None,  # the number of the car
    str | None,  # the ZIP code of a row without a facility
]
"""A valid row. A plain tuple, because a million of them are made and spooled."""


@frozen(kw_only=True)
class Lookups:
    """Functions that look up the records that rows refer to. Each raises ``BadCell`` for an unknown record.

    ``vehicle`` only checks that the vehicle exists; ``shop`` takes the cells ``facility`` and ``zip``, ``prediction`` a
    session id and the problem's id.
    """

    vehicle: Callable[[VehicleKey], object]
    problem: Callable[[str], int]
    shop: Callable[[tuple[str, str]], int | None]
    prediction: Callable[[tuple[str, int]], int]


def read_invoices(lines: Iterable[str], known: Lookups, *, last: date) -> Iterator[InvoiceRow | RejectedRow]:
    """Yield each parsed row, or the reasons for rejecting it; ``last`` is the latest allowed date.

    Raises:
        Invalid: on ``file``: it lacks required columns, or is not a table.
    """
    rows = read_table(lines)
    _, head = next(rows, (0, []))
    parser = _RowParser(_layout(head), known, last)
    for line, row in rows:
        row.append("")  # the cell of missing columns
        try:
            yield parser.parse(row)
        except BadCell:
            row.pop()
            yield rejected(line, row, parser.errors(row))


@frozen
class _Layout:
    """The layout of a row: ``pick`` returns its cells in the order of ``COLUMNS``.

    ``parts`` has the number of each part and the positions of its three cells.
    """

    width: int
    pick: Callable[[Sequence[str]], tuple[str, ...]]
    parts: tuple[tuple[str, int, int, int], ...]


def _layout(head: Sequence[str]) -> _Layout:
    if len(head) == 1 and is_text(head[0]):
        for mark, name in _NO_COMMAS.items():
            if mark in head[0]:
                raise Invalid({"file": [f"The columns are separated by {name}; use commas."]})
    found = column_positions(head, COLUMNS, optional=[name for name in COLUMNS if name not in _NEEDED])
    if "vin" not in found and not {"year", "make", "model"} <= found.keys():
        raise Invalid({"file": ["The file needs a vin column, or the columns year, make and model."]})
    columns: dict[str, dict[str, int]] = {}
    for at, name in enumerate(head):
        if form := _PART.fullmatch(name.strip().casefold()):
            columns.setdefault(form[1], {}).setdefault(form[2], at)
    if len(columns) > MOST_LINES:
        raise Invalid({"file": [f"The file has columns for more than {MOST_LINES} parts."]})
    return _Layout(
        len(head),
        itemgetter(*(found.get(name, -1) for name in COLUMNS)),
        tuple(
            (number, part.get("name", -1), part.get("price", -1), part.get("quantity", -1))
            for number, part in sorted(columns.items(), key=lambda column: int(column[0]))
        ),
    )


class _RowParser:
    """Parses rows, with caches of the values parsed so far."""

    def __init__(self, layout: _Layout, known: Lookups, last: date) -> None:
        self._layout = layout
        self._vehicles = BoundedCache[VehicleKey](partial(_checked_key, known.vehicle))
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

    def parse(self, row: Sequence[str]) -> InvoiceRow:
        """Parse a row that has an extra empty cell at its end.

        Raises:
            BadCell: a cell is invalid.
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
            given_print,
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
            _print_in(given_print)
            if given_print
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

    def errors(self, row: Sequence[str]) -> list[str]:
        """Return everything that is wrong with an invalid row."""
        if len(row) != self._layout.width:
            return [WRONG_WIDTH]
        if not all(map(is_text, row)):
            return [NOT_TEXT]
        errors, padded = _RowErrors(), [*row, ""]
        cells = dict(zip(COLUMNS, self._layout.pick(padded), strict=True))
        if cells["vin"]:
            if (vin := errors.parse("vin", self._vin, cells["vin"])) and not cells["make"]:
                errors.parse("vin", self._vehicles.__getitem__, vin[:11])
        else:
            errors.parse("vehicle", self._vehicles.__getitem__, tuple(cells[name] for name in _SPECS))
        problem_id = errors.parse("problem", self._problems.__getitem__, cells["problem"])
        errors.parse("date", self._days.__getitem__, cells["date"])
        if cells["facility"] or cells["zip"]:
            errors.parse("facility", self._shops.__getitem__, (cells["facility"], cells["zip"]))
        if cells["session_id"] and problem_id is not None:
            errors.parse("session_id", self._predictions, (cells["session_id"], problem_id))
        if cells["fingerprint"]:
            errors.parse("fingerprint", _print_in, cells["fingerprint"])
        errors.parse("notes", notes_in, cells["notes"])
        self._check_money(errors, cells, padded)
        return errors.sentences

    def _check_money(self, errors: "_RowErrors", cells: Mapping[str, str], padded: Sequence[str]) -> None:
        lines: int | None = None
        before = len(errors.sentences)
        for number, name, price, quantity in self._layout.parts:
            if padded[name] or padded[price]:
                errors.parse(f"part_{number}_name", self._names.__getitem__, padded[name])
                each = errors.parse(f"part_{number}_price", self._money.__getitem__, padded[price])
                some = errors.parse(f"part_{number}_quantity", self._pieces.__getitem__, padded[quantity])
                lines = (lines or 0) + (each or 0) * (some or 0)
        readers: dict[str, Callable[[str], Any]] = {
            "mileage": self._miles.__getitem__,
            "labor_hours": self._hours.__getitem__,
            "parts_total": self._money.__getitem__,
            "labor_rate": self._money.__getitem__,
            "total": self._money.__getitem__,
        }
        _, hours, parts_total, rate, total = (
            errors.parse(name, read, cells[name]) if cells[name] else None for name, read in readers.items()
        )
        if len(errors.sentences) == before:
            errors.parse("total", amounts, lines, parts_total, hours or 0.0, rate, total)

    @staticmethod
    def _vin(text: str) -> str:
        if _VIN.fullmatch(text):
            return text
        vin = vins.normalize(text)
        if errors := vins.validate(vin):
            raise BadCell(*errors)
        return vin


class _RowErrors:
    """Collects the errors of a row."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def parse(self, column: str, read: Callable[..., Any], *values: Any) -> Any:
        """Return what ``read`` parses; collect its errors and return None if it fails."""
        try:
            return read(*values)
        except BadCell as bad:
            # A whole sentence begins with a capital letter; a predicate of the column does not.
            self.sentences += [
                reason if reason[0].isupper() else f"The {column} {reason}." for reason in bad.reasons
            ]
            return None


def _checked_key(require: Callable[[VehicleKey], object], key: VehicleKey) -> VehicleKey:
    if not isinstance(key, str):
        year, make, model, trim = (" ".join(cell.casefold().split()) for cell in key)
        key = (year, make, model, trim)
    require(key)
    return key


def _print_in(text: str) -> int:
    if not _PRINT.fullmatch(text) or int(text) > _LARGEST_PRINT:
        raise BadCell("must be a fingerprint from an export, unchanged")
    return int(text)


def fingerprint_of(*values: object) -> int:
    """Return a 63-bit number that identifies a row by its parsed values, however they were written."""
    return (
        int.from_bytes(blake2b(repr(values).encode("utf-8", "replace"), digest_size=8).digest(), "big") >> 1
    )


def amounts(
    lines: Cents | None, parts_total: Cents | None, hours: float, rate: Cents | None, total: Cents | None
) -> tuple[Cents, Cents, Cents]:
    """Return the parts total, the labor rate and the labor total of a row.

    ``lines`` is the sum of its parts, or None if it lists none. A given total is what was paid: missing amounts
    are derived from it, and the results always add up to it. The given amounts may miss it by a cent, plus half a cent
    for each hour, because rates are in whole cents.

    Raises:
        BadCell: amounts are missing, are too large, or do not add up.
    """
    parts = lines if parts_total is None else parts_total
    if lines is not None and parts is not None and lines > parts:
        raise BadCell("The parts add up to more than parts_total.")
    if parts is not None and parts > DEAREST:
        raise BadCell(f"The parts exceed ${DEAREST / 100:,.0f}.")
    if rate is not None and rate > DEAREST_HOUR:
        raise BadCell(f"The labor_rate must be between $0 and ${DEAREST_HOUR / 100:,.0f}.")
    if total is None:
        if rate is None and hours:
            raise BadCell("The row needs a labor_rate or a total.")
        return parts or 0, rate or 0, round_half_up(round(hours * (rate or 0), 6))
    if rate is None or not hours:
        return _by_total(parts or 0, hours, rate, total)
    labor = round_half_up(round(hours * rate, 6))
    slack = 1 + hours / 2
    if parts is None:
        if labor > total + slack:
            raise BadCell("The labor is more than the total.")
        return max(0, total - labor), rate, min(labor, total)
    if abs(parts + labor - total) > slack or parts > total:
        raise BadCell(f"The total must be the sum of parts and labor, ${(parts + labor) / 100:,.2f}.")
    return parts, rate, total - parts


def _by_total(parts: Cents, hours: float, rate: Cents | None, total: Cents) -> tuple[Cents, Cents, Cents]:
    """Return the amounts, with labor as what remains of the total after parts."""
    labor = total - parts
    if labor < 0:
        raise BadCell("The parts exceed the total.")
    derived = round_half_up(labor / hours) if hours and rate is None else rate or 0
    if derived > DEAREST_HOUR:
        raise BadCell(f"The total implies a labor_rate of more than ${DEAREST_HOUR / 100:,.0f}.")
    return parts, derived, labor
