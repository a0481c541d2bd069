"""What a past repair adds to the estimates: three whole-number sums in a handful of cells.

A cell gathers the invoices of one repair on one kind of vehicle: how many (``w``), the sum of their
residuals (``s``) and the sum of the squares (``q``). A residual says how far an invoice is from what
the repair book expects, as a natural logarithm in whole hundred-thousandths (``Grain``). Whole
numbers make taking an invoice out the exact inverse of putting it in, in whatever order.

Stored as one row per cell and environment:

    environment, problem_id, kind, level, key -> w, s, q        (64-bit integers)

and changed by ``w = w + :w, s = s + :s, q = q + :q`` alone, so that writers need no lock of ours.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from attrs import frozen

from repaircore.kernel.money import round_half_up

# How far the past is shared: by vehicle (all, a make, a model, its years) or by place (country, state, area, shop).


class Level(StrEnum):
    """How closely the invoices of a cell resemble a vehicle, from all to its own years."""

    PROBLEM = "problem"
    MAKE = "make"
    MODEL = "model"
    YEARS = "years"
    COUNTRY = "country"
    STATE = "state"
    AREA = "area"
    """The first three digits of a ZIP code."""
    SHOP = "shop"


Grain: TypeAlias = int
"""A hundred-thousandth of a natural logarithm (or of a share): 0.001 % of a price."""

GRAIN = 1e-5

LARGEST: Grain = 700_000
"""No residual lies further out than e^7, a thousandfold; ten million such squares still fit 64 bits."""

EVERY_PROBLEM = 0
"""The problem id of the cells that all repairs of a make or model share: its price index."""

_LONGEST_NAME = 80
YEARS_IN_A_BAND = 4


def grains(value: float) -> Grain:
    """Turn a logarithm or a share into whole grains, the nearest, no further out than ``LARGEST``."""
    found = round_half_up(value / GRAIN)
    return found if -LARGEST <= found <= LARGEST else max(-LARGEST, min(LARGEST, found))


class Kind(StrEnum):
    """What a cell adds up."""

    PRICE = "price"
    """ln of the standardized total, relative to the book's price of the repair on that vehicle."""
    HOURS = "hours"
    """ln of the labor hours, relative to the book's on that vehicle."""
    SHARE = "share"
    """The part of the standardized total that is labor, 0 to 1. Only at the problem level."""
    PART = "part"
    """ln of a part's unit price, relative to the book's on that vehicle. ``key`` is the part's name."""
    RATE = "rate"
    """ln of the labor rate, relative to the national rate of its day (at the country's level: to the table's). By place."""
    PARTS_LEVEL = "parts_level"
    """ln of what the parts came to, relative to what is expected without the price level of the place. By place."""
    HOURS_LEVEL = "hours_level"
    """ln of the hours, relative to what is expected without the price level of the place. By place."""
    DRIFT = "drift"
    """ln of the standardized total, relative to what was expected before it. ``key`` is the month."""
    RATE_DRIFT = "rate_drift"
    """ln of the labor rate, relative to what was expected before it. ``key`` is the month."""


@frozen(kw_only=True)
class Lineage:
    """The make, model and model year that a vehicle shares with others."""

    make: str
    model: str
    year: int

    @property
    def first_year(self) -> int:
        """Give the first model year of its band of four."""
        return self.year // YEARS_IN_A_BAND * YEARS_IN_A_BAND

    @property
    def last_year(self) -> int:
        """Give the last model year of its band of four."""
        return self.first_year + YEARS_IN_A_BAND - 1

    def path(self) -> tuple[tuple[Level, str], ...]:
        """Give the level and key text of each cell on the way from all vehicles to this one's years.

        ``("problem", "")``, ``("make", "honda")``, ``("model", "honda|accord")``,
        ``("years", "honda|accord|2012")``.
        """
        make = _plain(self.make)
        model = f"{make}|{_plain(self.model)}"
        years = f"{model}|{self.first_year}"
        return ((Level.PROBLEM, ""), (Level.MAKE, make), (Level.MODEL, model), (Level.YEARS, years))


@frozen(kw_only=True)
class Place:
    """Where an invoice was written: a state, the first three digits of a ZIP code, a shop; empty where unknown."""

    state: str = ""
    area: str = ""
    shop: int | None = None

    def path(self) -> tuple[tuple[Level, str], ...]:
        """Return the level and key text of each known cell on the way from the state to the shop."""
        levels = (
            (Level.STATE, self.state),
            (Level.AREA, self.area),
            (Level.SHOP, "" if self.shop is None else str(self.shop)),
        )
        return tuple((level, key) for level, key in levels if key)

    def level_path(self) -> tuple[tuple[Level, str], ...]:
        """Return those of them that price levels are added up in: no area's, and the country's where the state is known."""
        path = tuple((level, key) for level, key in self.path() if level is not Level.AREA)
        return ((Level.COUNTRY, ""), *path) if self.state else path


NOWHERE = Place()


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("|", " ").split())[:_LONGEST_NAME]


@lru_cache(maxsize=8192)
def part_key(name: str) -> str:
    """Give the key text of a part: its name without case and superfluous space."""
    return _plain(name)


@frozen
class CellKey:
    """The key of one stored row, within an environment."""

    problem_id: int
    kind: Kind
    level: Level
    key: str


@frozen
class Cell:
    """How many invoices, the sum of their residuals in grains, and the sum of the squares."""

    w: int = 0
    s: Grain = 0
    q: int = 0

    def plus(self, y: Grain) -> "Cell":
        """Put one residual in."""
        return Cell(self.w + 1, self.s + y, self.q + y * y)

    def minus(self, y: Grain) -> "Cell":
        """Take one residual out that was put in before: the exact inverse of ``plus``."""
        return Cell(self.w - 1, self.s - y, self.q - y * y)

    def joined(self, other: "Cell") -> "Cell":
        """Add another cell's sums to these."""
        if other is NOTHING:  # most often there is no other installation
            return self
        return Cell(self.w + other.w, self.s + other.s, self.q + other.q)

    def without(self, other: "Cell") -> "Cell":
        """Leave out the sums of a cell that is contained in this one."""
        return Cell(self.w - other.w, self.s - other.s, self.q - other.q)

    def recentered(self, center: Grain) -> "Cell":
        """Give the sums that the same residuals would have, had ``center`` been taken from each."""
        if not center:
            return self
        return Cell(
            self.w,
            self.s - self.w * center,
            self.q - 2 * center * self.s + self.w * center * center,
        )

    @property
    def mean(self) -> float:
        """Give the mean residual as a logarithm; 0 of an empty cell."""
        return self.s * GRAIN / self.w if self.w else 0.0

    @property
    def within(self) -> float:
        """Give the sum of squares around the cell's own mean, as squared logarithms; never negative."""
        return (self.q - self.s * self.s / self.w) * GRAIN * GRAIN if self.w > 1 else 0.0


NOTHING = Cell()


@frozen
class Levels:
    """The cells of one kind on the way from all vehicles to one vehicle's years."""

    problem: Cell = NOTHING
    make: Cell = NOTHING
    model: Cell = NOTHING
    years: Cell = NOTHING

    def joined(self, other: "Levels") -> "Levels":
        """Add other cells' sums to these, level by level."""
        return Levels(
            self.problem.joined(other.problem),
            self.make.joined(other.make),
            self.model.joined(other.model),
            self.years.joined(other.years),
        )


NO_LEVELS = Levels()


@frozen
class Delta:
    """What to add to the sums of one row; a row that is not there counts as zeros."""

    key: CellKey
    w: int
    s: int
    q: int


@frozen(kw_only=True)
class PartEvidence:
    """The residual of one part's unit price; ``key`` as ``part_key`` gives it."""

    key: str
    price: Grain


@frozen(kw_only=True)
class PlaceEvidence:
    """What an invoice says of its place; None where it says nothing.

    ``rate`` is relative to the national rate of its day, ``rate_off_table`` to the table's rate of its place, ``rate_drift`` to what
    the invoices before it let expect; that counts in the month that the invoice was written in.
    """

    place: Place
    rate: Grain | None = None
    rate_off_table: Grain | None = None
    parts: Grain | None = None
    hours: Grain | None = None
    rate_drift: Grain | None = None


@frozen(kw_only=True)
class Evidence:
    """What one invoice put into the cells. Stored on its row, so that it can be taken out exactly.

    ``price`` and ``hours`` are residuals after clipping; ``hours`` is None of an invoice without
    labor. ``share`` is the labor's part of the standardized total, in grains. ``drift`` is how far the price
    lay from what was expected, in ``month`` (2026-01; empty: not counted).
    """

    problem_id: int
    lineage: Lineage
    price: Grain
    hours: Grain | None
    share: Grain
    parts: tuple[PartEvidence, ...] = ()
    here: PlaceEvidence | None = None
    month: str = ""
    drift: Grain = 0


def deltas(evidence: Evidence, *, center: Grain) -> tuple[Delta, ...]:
    """Give what the invoice adds to each of its rows: four of price, three shared, and a few more.

    ``center`` is the problem's mean residual at the last refit (``Variances.center``). The cells that
    all repairs of a make share hold residuals less their problem's center, so that a make does not
    look dear because the book is too cheap for the repairs that it happens to need.
    """
    return tuple(_rows(evidence, center))


def removal(evidence: Evidence, *, center: Grain) -> tuple[Delta, ...]:
    """Give what takes the invoice out again, whatever came in between.

    ``center`` is today's: a refit that moves a center rewrites the shared rows to match it.
    """
    return tuple(Delta(d.key, -d.w, -d.s, -d.q) for d in _rows(evidence, center))


def _rows(evidence: Evidence, center: Grain) -> Iterable[Delta]:
    own, y = evidence.problem_id, evidence.price
    keys = evidence.lineage.path()
    for level, key in keys:
        yield _one(CellKey(own, Kind.PRICE, level, key), y)
        if level is not Level.YEARS:
            yield _one(CellKey(EVERY_PROBLEM, Kind.PRICE, level, key), y - center)
        if evidence.hours is not None:
            yield _one(CellKey(own, Kind.HOURS, level, key), evidence.hours)
    yield _one(CellKey(own, Kind.SHARE, Level.PROBLEM, ""), evidence.share)
    for part in evidence.parts:
        yield _one(CellKey(own, Kind.PART, Level.PROBLEM, part.key), part.price)
    if evidence.month:
        yield _one(CellKey(EVERY_PROBLEM, Kind.DRIFT, Level.PROBLEM, evidence.month), evidence.drift)
    if evidence.here is not None:
        yield from _place_rows(evidence.here, evidence.month)


def _place_rows(here: PlaceEvidence, month: str) -> Iterable[Delta]:
    if month and here.rate_drift is not None:
        yield _one(CellKey(EVERY_PROBLEM, Kind.RATE_DRIFT, Level.PROBLEM, month), here.rate_drift)
    if here.rate_off_table is not None:
        yield _one(CellKey(EVERY_PROBLEM, Kind.RATE, Level.COUNTRY, ""), here.rate_off_table)
    if here.rate is not None:
        for level, key in here.place.path():
            yield _one(CellKey(EVERY_PROBLEM, Kind.RATE, level, key), here.rate)
    for kind, y in ((Kind.PARTS_LEVEL, here.parts), (Kind.HOURS_LEVEL, here.hours)):
        if y is not None:
            for level, key in here.place.level_path():
                yield _one(CellKey(EVERY_PROBLEM, kind, level, key), y)


def _one(key: CellKey, y: Grain) -> Delta:
    return Delta(key, 1, y, y * y)


def applied(cells: Mapping[CellKey, Cell], changes: Iterable[Delta]) -> dict[CellKey, Cell]:
    """Give the cells with the changes made; a cell without an invoice is left out."""
    after = dict(cells)
    for change in changes:
        cell = after.get(change.key, NOTHING).joined(Cell(change.w, change.s, change.q))
        if cell == NOTHING:
            after.pop(change.key, None)
        else:
            after[change.key] = cell
    return after
