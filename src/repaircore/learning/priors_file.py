"""Priors files: what an installation learned, to be shared with others (data/priors.schema.json).

They identify no person, shop or car: a cell has at least ``FEWEST`` invoices of as many cars, figures are rounded, and
no place is smaller than a state.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from repaircore.kernel.errors import Invalid
from repaircore.learning.refit import LEAST_BOOK, LEAST_INDEX, LEAST_RATIO, MOST_BOOK, MOST_INDEX, MOST_RATIO
from repaircore.transactions.evidence import YEARS_IN_A_BAND, part_key
from repaircore.transactions.levels import Level

FORMAT: Final = "repaircore-priors"
VERSION: Final = 1

FEWEST: Final = 5
"""Cells with fewer invoices, or with invoices of fewer cars, are not exported."""

MOST_CELLS: Final = 100_000
"""The maximum number of cells in a file; inserting this many takes a second or two, while other writers wait."""

_MOST_INVOICES: Final = 10_000_000
"""The sum of this many squares of the furthest mean fits into 64 bits."""

_LONGEST: Final = 80
_FURTHEST: Final = 7.0

LARGEST_SPREAD: Final = 4.5
"""The largest spread of all repairs, which is relative to a book spread of 1; a single repair's is at most 3."""

_RATIO_BOUNDS: Final = {
    "book": (LEAST_BOOK, MOST_BOOK),
    **dict.fromkeys(("make", "model", "years"), (LEAST_RATIO, MOST_RATIO)),
    **dict.fromkeys(("make_index", "model_index"), (LEAST_INDEX, MOST_INDEX)),
}
"""The bounds of a refit, which every file written by this program respects."""

_MOST_ERRORS: Final = 50
"""Beyond this many, bad fields are only counted: a file of another kind would have one on every line."""

_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_FINE: Final = 20


@frozen(kw_only=True)
class SharedCell:
    """The mean residual (ln) of a cell's invoices, by vehicle or place.

    ``invoices`` is rounded down. For a labor share ``mean`` is the share itself. ``book`` is the price of a part, in
    dollars, in the exporting installation's book.
    """

    level: Level
    key: str
    invoices: int
    mean: float
    book: float | None = None


@frozen(kw_only=True)
class Ratios:
    """The fit of all repairs together; ``spread`` is the spread of invoices, relative to the book's.

    The fields from ``book`` to ``model_index`` are variances relative to that of the invoices. ``off_book`` is the mean
    distance (ln) of all repairs from the book.
    """

    spread: float
    book: float
    make: float
    model: float
    years: float
    make_index: float
    model_index: float
    off_book: float


@frozen(kw_only=True)
class RepairPrior:
    """The priors of a repair, relative to the exporting installation's book.

    ``hours`` are that book's, and ``price`` is its price in dollars at the national labor rate.
    """

    slug: str
    hours: float
    price: float
    spread: float
    off_book: float
    prices: Sequence[SharedCell]
    worked: Sequence[SharedCell]
    share: SharedCell | None
    parts: Sequence[SharedCell]


@frozen(kw_only=True)
class PriorsFile:
    """A whole priors file.

    ``made_in`` is a month; ``vehicles`` are cells for all repairs together, ``rates`` labor rates by state.
    """

    made_in: str
    ratios: Ratios
    repairs: Sequence[RepairPrior]
    vehicles: Sequence[SharedCell]
    rates: Sequence[SharedCell]

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        of_repairs = sum(
            len(repair.prices) + len(repair.worked) + len(repair.parts) + (repair.share is not None)
            for repair in self.repairs
        )
        return of_repairs + len(self.vehicles) + len(self.rates)


def rounded_count(invoices: int) -> int:
    """Return a count rounded down: to a multiple of five if it is below 20, otherwise to two significant digits."""
    if invoices < _FINE:
        return invoices - invoices % FEWEST
    step: int = 10 ** max(0, len(str(invoices)) - 2)
    return invoices - invoices % step


def priors_document(file: PriorsFile) -> dict[str, Any]:
    """Return a file as JSON values."""
    ratios = file.ratios
    return {
        "format": FORMAT,
        "version": VERSION,
        "made_in": file.made_in,
        "spread": {name: getattr(ratios, name) for name in _RATIOS},
        "repairs": [
            {
                "repair": repair.slug,
                "book": {"hours": repair.hours, "price": repair.price},
                "spread": repair.spread,
                "off_book": repair.off_book,
                "prices": [_vehicle_cell(cell) for cell in repair.prices],
                "hours": [_vehicle_cell(cell) for cell in repair.worked],
                "labor_share": None if repair.share is None else _figures(repair.share),
                "parts": [
                    {"part": cell.key, "book_price": cell.book, **_figures(cell)} for cell in repair.parts
                ],
            }
            for repair in file.repairs
        ],
        "vehicles": [_vehicle_cell(cell) for cell in file.vehicles],
        "labor_rates": [
            {**({"state": cell.key} if cell.level is Level.STATE else {}), **_figures(cell)}
            for cell in file.rates
        ],
    }


_RATIOS: Final = ("spread", "book", "make", "model", "years", "make_index", "model_index", "off_book")
_VEHICLE: Final = ("make", "model", "first_year")


def _vehicle_cell(cell: SharedCell) -> dict[str, Any]:
    named: dict[str, Any] = dict(zip(_VEHICLE, cell.key.split("|") if cell.key else (), strict=False))
    if "first_year" in named:
        named["first_year"] = int(named["first_year"])
    return {**named, **_figures(cell)}


def _figures(cell: SharedCell) -> dict[str, Any]:
    return {"invoices": cell.invoices, "mean": cell.mean}


def parse_priors(data: Any) -> PriorsFile:
    """Parse a priors file from its JSON values.

    Raises:
        Invalid: with every bad field, up to fifty; with ``format`` alone if it is not a priors file, or ``version``
            alone if it is of a later version.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise Invalid({"format": [f'This is not a priors file: its "format" must be "{FORMAT}".']})
    version = data.get("version")
    if type(version) is int and version > VERSION:
        text = (
            f"The file has version {version}, but this program supports only versions up to {VERSION}."
            " Update the program first."
        )
        raise Invalid({"version": [text]})
    reading = _Reading()
    if type(version) is not int or version < 1:
        reading.fail("version", f"must be {VERSION}")
    file = PriorsFile(
        made_in=reading.text(data, "made_in", ""),
        ratios=reading.ratios(data),
        repairs=reading.repairs(data),
        vehicles=reading.vehicle_cells(data, "vehicles", ""),
        rates=reading.rates(data),
    )
    if file.cells > MOST_CELLS:
        reading.fail("file", f"must not have more than {MOST_CELLS:,} cells; it has {file.cells:,}")
    reading.finish()
    return file


class _Reading:
    """Reads values and collects errors; a bad value is replaced by a harmless one."""

    def __init__(self) -> None:
        self._wrong: dict[str, list[str]] = {}
        self._more = 0

    def fail(self, field: str, text: str) -> None:
        if field not in self._wrong and len(self._wrong) >= _MOST_ERRORS:
            self._more += 1
            return
        self._wrong.setdefault(field, []).append(f"It {text}.")

    def finish(self) -> None:
        """Raise ``Invalid`` if anything was wrong."""
        if self._more:
            self._wrong["file"] = [*self._wrong.get("file", ()), f"{self._more:,} more fields are invalid."]
        if self._wrong:
            raise Invalid(self._wrong)

    def text(self, data: Mapping[str, Any], name: str, within: str) -> str:
        field, value = _under(within, name), data.get(name)
        if not isinstance(value, str) or not value.strip():
            self.fail(field, "must be a non-empty string" if name in data else "is required")
            return ""
        if len(value) > _LONGEST or not value.isprintable() or "|" in value:
            self.fail(field, f"must be at most {_LONGEST} printable characters without |")
            return ""
        return value

    def number(self, data: Mapping[str, Any], name: str, within: str, *, least: float, most: float) -> float:
        field, value = _under(within, name), data.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(field, "must be a number" if name in data else "is required")
            return least
        if not least <= value <= most or not math.isfinite(value):
            self.fail(field, f"must be between {least:,g} and {most:,g}")
            return least
        return float(value)

    def count(self, data: Mapping[str, Any], name: str, within: str, *, least: int, most: int) -> int:
        field, value = _under(within, name), data.get(name)
        if type(value) is not int:
            self.fail(field, "must be an integer" if name in data else "is required")
            return least
        if not least <= value <= most:
            self.fail(field, f"must be between {least:,} and {most:,}")
            return least
        return value

    def year(self, data: Mapping[str, Any], within: str) -> int:
        """Read the first year of a band as ``Lineage.first_year`` returns it."""
        value = data["first_year"]
        if type(value) is int and _FIRST_YEAR <= value <= _LAST_YEAR and value % YEARS_IN_A_BAND == 0:
            return value
        text = f"must be a year from {_FIRST_YEAR} to {_LAST_YEAR} that is divisible by {YEARS_IN_A_BAND}"
        self.fail(_under(within, "first_year"), text)
        return _FIRST_YEAR

    def objects(
        self, data: Mapping[str, Any], name: str, within: str
    ) -> Iterable[tuple[str, dict[str, Any]]]:
        field, value = _under(within, name), data.get(name)
        if not isinstance(value, list):
            self.fail(field, "must be a list" if name in data else "is required")
            return
        for number, item in enumerate(value):
            if isinstance(item, dict):
                yield f"{field}.{number}", item
            else:
                self.fail(f"{field}.{number}", "must be an object")

    def object(self, data: Mapping[str, Any], name: str, within: str) -> Mapping[str, Any] | None:
        value = data.get(name)
        if isinstance(value, dict):
            return value
        self.fail(_under(within, name), "must be an object" if name in data else "is required")
        return None

    def once(self, seen: set[str], key: str, field: str) -> None:
        if key in seen:
            self.fail(field, "is in the list twice")
        seen.add(key)

    def ratios(self, data: Mapping[str, Any]) -> Ratios:
        spread = self.object(data, "spread", "")
        if spread is None:
            return Ratios(**dict.fromkeys(_RATIOS, 1.0))
        return Ratios(
            spread=self.number(spread, "spread", "spread", least=0.01, most=LARGEST_SPREAD),
            **{
                name: self.number(spread, name, "spread", least=least, most=most)
                for name, (least, most) in _RATIO_BOUNDS.items()
            },
            off_book=self.number(spread, "off_book", "spread", least=-_FURTHEST, most=_FURTHEST),
        )

    def repairs(self, data: Mapping[str, Any]) -> Sequence[RepairPrior]:
        seen: set[str] = set()
        found = []
        for field, item in self.objects(data, "repairs", ""):
            found.append(self._repair(item, field))
            self.once(seen, found[-1].slug, f"{field}.repair")
        return found

    def _repair(self, item: Mapping[str, Any], field: str) -> RepairPrior:
        book = self.object(item, "book", field) or {}
        share = item.get("labor_share")
        if share is not None and not isinstance(share, dict):
            self.fail(f"{field}.labor_share", "must be an object or null")
            share = None
        return RepairPrior(
            slug=self.text(item, "repair", field),
            hours=self.number(book, "hours", f"{field}.book", least=0.0, most=1_000.0),
            price=self.number(book, "price", f"{field}.book", least=0.01, most=1_000_000.0),
            spread=self.number(item, "spread", field, least=0.01, most=3.0),
            off_book=self.number(item, "off_book", field, least=-_FURTHEST, most=_FURTHEST),
            prices=self.vehicle_cells(item, "prices", field),
            worked=self.vehicle_cells(item, "hours", field),
            share=None
            if share is None
            else self._cell(share, Level.PROBLEM, "", f"{field}.labor_share", least=0.0, most=1.0),
            parts=self._parts(item, field),
        )

    def _parts(self, item: Mapping[str, Any], field: str) -> Sequence[SharedCell]:
        seen: set[str] = set()
        found = []
        for place, part in self.objects(item, "parts", field):
            name = part_key(self.text(part, "part", place))
            self.once(seen, name, f"{place}.part")
            price = self.number(part, "book_price", place, least=0.01, most=1_000_000.0)
            found.append(self._cell(part, Level.PROBLEM, name, place, book=price))
        return found

    def vehicle_cells(self, data: Mapping[str, Any], name: str, within: str) -> Sequence[SharedCell]:
        """Read cells for all vehicles, for a make, for a model, or for a band of its years."""
        seen: set[str] = set()
        found = []
        for field, item in self.objects(data, name, within):
            named = [self.text(item, part, field) for part in ("make", "model") if part in item]
            if "model" in item and "make" not in item:
                self.fail(f"{field}.make", "is required with a model")
            if "first_year" in item:
                if "model" not in item:
                    self.fail(f"{field}.model", "is required with a first year")
                year = self.year(item, field)
                named.append(str(year))
            key = "|".join(map(part_key, named))
            if all(named):
                self.once(seen, key, field)
            level = (Level.PROBLEM, Level.MAKE, Level.MODEL, Level.YEARS)[len(named)]
            found.append(self._cell(item, level, key, field))
        return found

    def rates(self, data: Mapping[str, Any]) -> Sequence[SharedCell]:
        seen: set[str] = set()
        found = []
        for field, item in self.objects(data, "labor_rates", ""):
            state = self.text(item, "state", field) if "state" in item else ""
            if state and not (len(state) == 2 and state.isascii() and state.isupper()):  # noqa: PLR2004 - OH
                self.fail(f"{field}.state", "must be a two-letter state code")
            self.once(seen, state, field)
            found.append(self._cell(item, Level.STATE if state else Level.COUNTRY, state, field))
        return found

    def _cell(
        self,
        item: Mapping[str, Any],
        level: Level,
        key: str,
        field: str,
        *,
        least: float = -_FURTHEST,
        most: float = _FURTHEST,
        book: float | None = None,
    ) -> SharedCell:
        return SharedCell(
            level=level,
            key=key,
            invoices=self.count(item, "invoices", field, least=FEWEST, most=_MOST_INVOICES),
            mean=self.number(item, "mean", field, least=least, most=most),
            book=book,
        )


def _under(within: str, name: str) -> str:
    return f"{within}.{name}" if within else name


def shareable(name: str) -> bool:
    """Return whether a cell's key may be shared.

    A long number in the name of a make or model may be a license plate, a VIN or a phone number.
    """
    words = "".join(name.split("|")[:2])
    return sum(letter.isdigit() for letter in words) <= _MOST_DIGITS and "@" not in name


_MOST_DIGITS: Final = 5
