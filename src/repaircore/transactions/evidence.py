"""Evidence: what estimates learn from invoices, stored as three integer sums in each of a few cells.

A cell sums up the invoices for one repair on one kind of vehicle: their number (``w``), the sum of their residuals
(``s``) and the sum of the squares (``q``). A residual is how far an invoice is from the repair book's expectation, as a
natural logarithm in whole hundred-thousandths (``Grain``). With integers, removing an invoice is the exact inverse of
adding it, in any order.

Each cell in each environment is one row:

    environment, problem_id, kind, level, key -> w, s, q        (64-bit integers)

A row is changed only by ``w = w + :w, s = s + :s, q = q + :q``, so that writers need no lock of their own.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from attrs import field, frozen

from repaircore.kernel.money import round_half_up
from repaircore.transactions.levels import Level
from repaircore.transactions.tally import NO_ERRORS, START_ALPHA, Tally

Grain: TypeAlias = int
"""A hundred-thousandth of a natural logarithm (or of a share), which is 0.001% of a price."""

GRAIN = 1e-5

LARGEST: Grain = 700_000
"""The largest residual: e^7, or about a thousandfold; ten million of its squares still fit in 64 bits."""

UNPLACED = "unplaced"
"""The key of the country's cell for labor rates without a known place; the cell for known places has an empty key."""

EVERY_PROBLEM = 0
"""The problem id of the cells that all repairs share, such as the price index of a make or model."""

_LONGEST_NAME = 80
YEARS_IN_A_BAND = 4


def grains(value: float) -> Grain:
    """Round a logarithm or a share to whole grains, clipped to ``LARGEST``."""
    found = round_half_up(value / GRAIN)
    return found if -LARGEST <= found <= LARGEST else max(-LARGEST, min(LARGEST, found))


class Kind(StrEnum):
    """The quantity that a cell sums up."""

    PRICE = "price"
    """ln of the standardized total, relative to the book's price for the repair on that vehicle."""
    HOURS = "hours"
    """ln of the labor hours, relative to the book's hours on that vehicle."""
    SHARE = "share"
    """The labor share (0 to 1) of the standardized total. Only at the problem level."""
    PART = "part"
    """ln of a part's unit price, relative to the book's price on that vehicle. ``key`` is the part's name."""
    RATE = "rate"
    """ln of the labor rate, relative to that day's national rate (at the country level: to the table's). By place."""
    RATE_OFF_TABLE = "rate_off_table"
    """ln of the labor rate, relative to the table's rate for its place. By state, because rates vary within a state."""
    PARTS_LEVEL = "parts_level"
    """ln of the parts total, relative to what is expected without the place's price level. By place."""
    HOURS_LEVEL = "hours_level"
    """ln of the hours, relative to what is expected without the place's price level. By place."""
    DRIFT = "drift"
    """ln of the standardized total, relative to the expectation before that invoice. ``key`` is the month."""
    RATE_DRIFT = "rate_drift"
    """ln of the labor rate, relative to the expectation before that invoice. ``key`` is the month."""


@frozen(kw_only=True)
class Lineage:
    """The make, model and model year that a vehicle shares with others."""

    make: str
    model: str
    year: int

    @property
    def first_year(self) -> int:
        """Return the first model year of the vehicle's band of four."""
        return self.year // YEARS_IN_A_BAND * YEARS_IN_A_BAND

    @property
    def last_year(self) -> int:
        """Return the last model year of the vehicle's band of four."""
        return self.first_year + YEARS_IN_A_BAND - 1

    def path(self) -> tuple[tuple[Level, str], ...]:
        """Return the level and key of each cell, from all vehicles down to this vehicle's years.

        ``("problem", "")``, ``("make", "honda")``, ``("model", "honda|accord")``,
        ``("years", "honda|accord|2012")``.
        """
        make = _plain(self.make)
        model = f"{make}|{_plain(self.model)}"
        years = f"{model}|{self.first_year}"
        return ((Level.PROBLEM, ""), (Level.MAKE, make), (Level.MODEL, model), (Level.YEARS, years))


@frozen(kw_only=True)
class Place:
    """The place of an invoice: a state, the first three digits of a ZIP code, and a shop.

    An unknown state or area is empty, and an unknown shop is None.
    """

    state: str = ""
    area: str = ""
    shop: int | None = None

    def path(self) -> tuple[tuple[Level, str], ...]:
        """Return the level and key of each known cell, from the state down to the shop."""
        levels = (
            (Level.STATE, self.state),
            (Level.AREA, self.area),
            (Level.SHOP, "" if self.shop is None else str(self.shop)),
        )
        return tuple((level, key) for level, key in levels if key)

    def level_path(self) -> tuple[tuple[Level, str], ...]:
        """Return the level and key of each cell for price levels: no area, but the country if the state is known."""
        path = tuple((level, key) for level, key in self.path() if level is not Level.AREA)
        return ((Level.COUNTRY, ""), *path) if self.state else path


NOWHERE = Place()


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("|", " ").split())[:_LONGEST_NAME]


@lru_cache(maxsize=8192)
def part_key(name: str) -> str:
    """Return the key of a part: its name, case-folded, with single spaces."""
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
    """The number of invoices, the sum of their residuals in grains, and the sum of the squares."""

    w: int = 0
    s: Grain = 0
    q: int = 0

    def plus(self, y: Grain) -> "Cell":
        """Return the sums with one more residual."""
        return Cell(self.w + 1, self.s + y, self.q + y * y)

    def minus(self, y: Grain) -> "Cell":
        """Return the sums without one residual that was added earlier: the exact inverse of ``plus``."""
        return Cell(self.w - 1, self.s - y, self.q - y * y)

    def joined(self, other: "Cell") -> "Cell":
        """Return the sums of both cells."""
        if other is NOTHING:  # the usual case: nothing was imported
            return self
        return Cell(self.w + other.w, self.s + other.s, self.q + other.q)

    def without(self, other: "Cell") -> "Cell":
        """Return the sums minus those of a cell that is part of this one."""
        return Cell(self.w - other.w, self.s - other.s, self.q - other.q)

    def recentered(self, center: Grain) -> "Cell":
        """Return the sums of the same residuals, each minus ``center``."""
        if not center:
            return self
        return Cell(
            self.w,
            self.s - self.w * center,
            self.q - 2 * center * self.s + self.w * center * center,
        )

    @property
    def mean(self) -> float:
        """Return the mean residual as a logarithm, or 0 if the cell is empty."""
        return self.s * GRAIN / self.w if self.w else 0.0

    @property
    def within(self) -> float:
        """Return the sum of squared deviations from the cell's own mean, as squared logarithms; never negative."""
        return (self.q - self.s * self.s / self.w) * GRAIN * GRAIN if self.w > 1 else 0.0


NOTHING = Cell()


@frozen
class Levels:
    """The cells of one kind, from all vehicles down to one vehicle's years."""

    problem: Cell = NOTHING
    make: Cell = NOTHING
    model: Cell = NOTHING
    years: Cell = NOTHING

    def joined(self, other: "Levels") -> "Levels":
        """Return the sums of both, level by level."""
        return Levels(
            self.problem.joined(other.problem),
            self.make.joined(other.make),
            self.model.joined(other.model),
            self.years.joined(other.years),
        )

    def apart(self) -> "Levels":
        """Return at each level only the invoices that are not in the next narrower one, so each is counted once."""
        return Levels(
            _rest(self.problem, self.make),
            _rest(self.make, self.model),
            _rest(self.model, self.years),
            self.years,
        )

    def nested(self) -> "Levels":
        """Return the sums at each level including the narrower levels; this is the inverse of ``apart``."""
        model = self.years.joined(self.model)
        make = model.joined(self.make)
        return Levels(make.joined(self.problem), make, model, self.years)


def _rest(cell: Cell, closer: Cell) -> Cell:
    if closer is NOTHING:
        return cell
    rest = cell.without(closer)
    return rest if rest.w > 0 else NOTHING


NO_LEVELS = Levels()


@frozen(kw_only=True)
class History:
    """The history of one repair on one vehicle: a handful of rows, each read by its key.

    ``shared`` are the price cells of all problems (``EVERY_PROBLEM``; its ``years`` stay empty), and ``parts`` the
    cells of the book's parts by ``part_key``. ``alpha`` belongs to the environment; ``good`` and ``wrong`` count the
    ratings of this problem's predictions. ``drift`` is the correction from the latest invoices (``drift.drift``).

    ``prior`` are price cells imported from another installation, and ``prior_index`` its makes and models relative to
    all its vehicles; they count as a number of invoices (``priors.with_prior``).
    """

    lineage: Lineage
    price: Levels = NO_LEVELS
    hours: Levels = NO_LEVELS
    share: Cell = NOTHING
    shared: Levels = NO_LEVELS
    parts: Mapping[str, Cell] = field(factory=dict)
    errors: Tally = NO_ERRORS
    errors_of_all: Tally = NO_ERRORS
    alpha: int = START_ALPHA
    good: int = 0
    wrong: int = 0
    drift: float = 0.0
    prior: Levels = NO_LEVELS
    prior_index: Levels = NO_LEVELS


@frozen
class Delta:
    """A change to the sums of one row; a missing row counts as zeros."""

    key: CellKey
    w: int
    s: int
    q: int


@frozen(kw_only=True)
class PartEvidence:
    """The residual of one part's unit price; ``key`` is its ``part_key``."""

    key: str
    price: Grain


@frozen(kw_only=True)
class PlaceEvidence:
    """The residuals that an invoice contributes to its place; each is None if there is none.

    ``rate`` is relative to that day's national rate, ``rate_off_table`` to the table's rate for the place, and
    ``rate_drift`` to what earlier invoices predicted; it counts in the month of the invoice. If the place is unknown,
    there is no table rate and no prediction, and only ``rate`` is set.
    """

    place: Place
    rate: Grain | None = None
    rate_off_table: Grain | None = None
    parts: Grain | None = None
    hours: Grain | None = None
    rate_drift: Grain | None = None

    def rates(self) -> Iterable[tuple[Level, str, Grain]]:
        """Yield the level, key and residual of each labor rate cell that the invoice adds to."""
        if self.rate_off_table is not None:
            yield Level.COUNTRY, "", self.rate_off_table
        if self.rate is None:
            return
        if (
            self.place == NOWHERE and self.rate_off_table is None
        ):  # older invoices were compared with the national rate
            yield Level.COUNTRY, UNPLACED, self.rate
        for level, key in self.place.path():
            yield level, key, self.rate

    @property
    def off_table_in(self) -> str:
        """Return the state in which the rate is compared with the table's rate, or an empty string if it is unknown."""
        return "" if self.rate is None or self.rate_off_table is None else self.place.state


@frozen(kw_only=True)
class Evidence:
    """The evidence that one invoice added to the cells, stored with the invoice so that it can be removed exactly.

    ``price`` and ``hours`` are residuals after clipping; ``hours`` is None for an invoice without labor. ``share`` is
    the labor share of the standardized total, in grains. ``drift`` is how far the price was from the expectation; it
    counts in ``month`` (such as 2026-01), or not at all if ``month`` is empty.
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
    """Return the changes that an invoice makes to its rows: four for its price, three shared ones, and a few more.

    ``center`` is the problem's mean residual at the last refit (``Variances.center``). The cells that all repairs share
    hold residuals minus their problem's center, so that a make does not look expensive only because the book is too low
    for the repairs that it happens to need.
    """
    return tuple(_rows(evidence, center))


def removal(evidence: Evidence, *, center: Grain) -> tuple[Delta, ...]:
    """Return the changes that remove an invoice, whatever happened since it was added.

    ``center`` is the current center: a refit that moves a center rewrites the shared rows to match.
    """
    return tuple(Delta(d.key, -d.w, -d.s, -d.q) for d in _rows(evidence, center))


def _rows(evidence: Evidence, center: Grain) -> Iterable[Delta]:
    own, y = evidence.problem_id, evidence.price
    keys = evidence.lineage.path()
    for level, key in keys:
        yield _delta(CellKey(own, Kind.PRICE, level, key), y)
        if level is not Level.YEARS:
            yield _delta(CellKey(EVERY_PROBLEM, Kind.PRICE, level, key), y - center)
        if evidence.hours is not None:
            yield _delta(CellKey(own, Kind.HOURS, level, key), evidence.hours)
    yield _delta(CellKey(own, Kind.SHARE, Level.PROBLEM, ""), evidence.share)
    for part in evidence.parts:
        yield _delta(CellKey(own, Kind.PART, Level.PROBLEM, part.key), part.price)
    if evidence.month:
        yield _delta(CellKey(EVERY_PROBLEM, Kind.DRIFT, Level.PROBLEM, evidence.month), evidence.drift)
    if evidence.here is not None:
        yield from _place_rows(evidence.here, evidence.month)


def _place_rows(here: PlaceEvidence, month: str) -> Iterable[Delta]:
    if month and here.rate_drift is not None:
        yield _delta(CellKey(EVERY_PROBLEM, Kind.RATE_DRIFT, Level.PROBLEM, month), here.rate_drift)
    for level, key, rate in here.rates():
        yield _delta(CellKey(EVERY_PROBLEM, Kind.RATE, level, key), rate)
    if here.off_table_in and here.rate_off_table is not None:
        yield _delta(
            CellKey(EVERY_PROBLEM, Kind.RATE_OFF_TABLE, Level.STATE, here.off_table_in), here.rate_off_table
        )
    for kind, y in ((Kind.PARTS_LEVEL, here.parts), (Kind.HOURS_LEVEL, here.hours)):
        if y is not None:
            for level, key in here.place.level_path():
                yield _delta(CellKey(EVERY_PROBLEM, kind, level, key), y)


def _delta(key: CellKey, y: Grain) -> Delta:
    return Delta(key, 1, y, y * y)


def applied(cells: Mapping[CellKey, Cell], changes: Iterable[Delta]) -> dict[CellKey, Cell]:
    """Return the cells with the changes applied, leaving out empty cells."""
    after = dict(cells)
    for change in changes:
        cell = after.get(change.key, NOTHING).joined(Cell(change.w, change.s, change.q))
        if cell == NOTHING:
            after.pop(change.key, None)
        else:
            after[change.key] = cell
    return after
