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

from repaircore.kernel.money import half_up
from repaircore.transactions.level import Level

__all__ = [
    "EVERY_PROBLEM",
    "GRAIN",
    "LARGEST",
    "NOTHING",
    "NO_LEVELS",
    "Cell",
    "CellKey",
    "Delta",
    "Evidence",
    "Grain",
    "Kind",
    "Level",
    "Levels",
    "Lineage",
    "PartEvidence",
    "applied",
    "deltas",
    "grains",
    "part_key",
    "removal",
]

Grain: TypeAlias = int
"""A hundred-thousandth of a natural logarithm (or of a share): 0.001 % of a price."""

GRAIN = 1e-5

LARGEST: Grain = 700_000
"""No residual lies further out than e^7, a thousandfold; ten million such squares still fit 64 bits."""

EVERY_PROBLEM = 0
"""The problem id of the cells that all repairs of a make or model share: its price index."""

_LONGEST_NAME = 80
_YEARS_IN_A_BAND = 4


def grains(value: float) -> Grain:
    """Turn a logarithm or a share into whole grains, the nearest, no further out than ``LARGEST``."""
    found = half_up(value / GRAIN)
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


@frozen(kw_only=True)
class Lineage:
    """The make, model and model year that a vehicle shares with others."""

    make: str
    model: str
    year: int

    @property
    def first_year(self) -> int:
        """Give the first model year of its band of four."""
        return self.year // _YEARS_IN_A_BAND * _YEARS_IN_A_BAND

    @property
    def last_year(self) -> int:
        """Give the last model year of its band of four."""
        return self.first_year + _YEARS_IN_A_BAND - 1

    def path(self) -> tuple[tuple[Level, str], ...]:
        """Give the level and key text of each cell on the way from all vehicles to this one's years.

        ``("problem", "")``, ``("make", "honda")``, ``("model", "honda|accord")``,
        ``("years", "honda|accord|2012")``.
        """
        make = _plain(self.make)
        model = f"{make}|{_plain(self.model)}"
        years = f"{model}|{self.first_year}"
        return ((Level.PROBLEM, ""), (Level.MAKE, make), (Level.MODEL, model), (Level.YEARS, years))


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
        return Cell(self.w + other.w, self.s + other.s, self.q + other.q)

    def without(self, other: "Cell") -> "Cell":
        """Leave out the sums of a cell that is contained in this one."""
        return Cell(self.w - other.w, self.s - other.s, self.q - other.q)

    def recentered(self, center: Grain) -> "Cell":
        """Give the sums that the same residuals would have, had ``center`` been taken from each."""
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
class Evidence:
    """What one invoice put into the cells. Stored on its row, so that it can be taken out exactly.

    ``price`` and ``hours`` are residuals after clipping; ``hours`` is None of an invoice without
    labor. ``share`` is the labor's part of the standardized total, in grains.
    """

    problem_id: int
    lineage: Lineage
    price: Grain
    hours: Grain | None
    share: Grain
    parts: tuple[PartEvidence, ...] = ()


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
