"""Learn from many invoices at once.

All invoices in a batch are compared with the history before it, so that expectations are computed once for each repair
and vehicle line. Their evidence is summed here, so that each row of the database is written once. Integer sums do not
depend on the order of the invoices.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from attrs import field, frozen

from repaircore.kernel.money import Cents
from repaircore.learning.invoice_file import InvoiceRow
from repaircore.learning.ports import CellRow, CellSum, LearnedRow, PlainLesson, SumMoved
from repaircore.pricing.book_price import BookPrice
from repaircore.pricing.expectation import ErrorSpread, Expectation, expectation
from repaircore.pricing.places import Market, PlacePrices, place_evidence
from repaircore.pricing.priors import Prior, with_prior
from repaircore.pricing.ranges import alpha_step, distribution
from repaircore.pricing.variances import Variances, fitted
from repaircore.transactions.evidence import (
    EVERY_PROBLEM,
    NOTHING,
    Cell,
    Grain,
    History,
    Kind,
    Levels,
    Lineage,
    PlaceEvidence,
)
from repaircore.transactions.levels import Level
from repaircore.transactions.sums import Dimension
from repaircore.transactions.tally import NO_ERRORS, Tally, capacity, latest
from repaircore.vehicle_facts.model import Factors

# Plain strings hash far faster than members of an enumeration.
_PRICE, _HOURS, _SHARE, _PART = (kind.value for kind in (Kind.PRICE, Kind.HOURS, Kind.SHARE, Kind.PART))
_RATE, _OFF_TABLE, _PARTS_LEVEL, _HOURS_LEVEL, _DRIFT, _RATE_DRIFT = (
    kind.value
    for kind in (
        Kind.RATE,
        Kind.RATE_OFF_TABLE,
        Kind.PARTS_LEVEL,
        Kind.HOURS_LEVEL,
        Kind.DRIFT,
        Kind.RATE_DRIFT,
    )
)
_STATE = Level.STATE.value
_PROBLEM, _MAKE, _MODEL, _YEARS = (
    level.value for level in (Level.PROBLEM, Level.MAKE, Level.MODEL, Level.YEARS)
)

PlaceAndTime: TypeAlias = tuple[int | None, str | None, Cents, str]
"""A row's shop, ZIP code, labor rate and month, which determine the prices that it is compared at."""

_Keys = tuple[str, str, str]
"""The keys of a vehicle's cells: those of its make, model and years."""


@frozen(kw_only=True)
class BatchVehicle:
    """A stored vehicle, as far as learning needs it: the cells of its invoices, and the factors of its book prices."""

    vehicle_id: str
    make_key: str
    lineage: Lineage
    factors: Factors
    keys: _Keys = field(init=False)

    @keys.default
    def _keys(self) -> _Keys:
        _, (_, make), (_, model), (_, years) = self.lineage.path()
        return make, model, years


@frozen(kw_only=True)
class BatchHistory:
    """The history before a batch, as far as the batch needs it."""

    drift: float
    cells: Mapping[CellRow, Cell]
    variances: Mapping[int, Variances]
    tallies: Mapping[int, Sequence[tuple[int, Tally]]]
    alpha: int
    prior_weight: int = 0
    prior_cells: Mapping[CellRow, Cell] = field(factory=dict)
    prior_centers: Mapping[int, Grain] = field(factory=dict)


class _Pair:
    """The invoices of one repair on one vehicle line: their expectation, and their sums."""

    __slots__ = ("center", "expected", "hours", "keys", "price", "problem_id", "share")

    def __init__(self, problem_id: int, keys: _Keys) -> None:
        self.problem_id = problem_id
        self.keys = keys
        self.expected: Expectation
        self.center = 0
        self.price = [0, 0, 0]
        self.hours = [0, 0, 0]
        self.share = [0, 0, 0]


class _Errors:
    """The generations of one problem's errors, which fill one after another."""

    def __init__(self, stored: Sequence[tuple[int, Tally]]) -> None:
        self.generation, newest = stored[0] if stored else (0, NO_ERRORS)
        self._counts = [*newest.counts]
        self._free = capacity(self.generation) - newest.w
        self._touched: dict[int, list[int]] = {}

    def count(self, number: int) -> int:
        """Count an error in a bin; return its generation."""
        if self._free <= 0:
            self.generation += 1
            self._counts = [0] * len(self._counts)
            self._free = capacity(self.generation)
        self._counts[number] += 1
        self._free -= 1
        self._touched[self.generation] = self._counts
        return self.generation

    def touched(self) -> Iterator[tuple[int, Tally]]:
        """Return the generations that changed."""
        return ((generation, Tally(tuple(counts))) for generation, counts in self._touched.items())


class Batch:
    """Invoices that are learned from together: grouped first, then compared with the history."""

    def __init__(self, rows: Sequence[tuple[InvoiceRow, BatchVehicle]]) -> None:
        self._rows = rows
        self._pairs: dict[tuple[int, _Keys, Factors, str], _Pair] = {}
        self._of: list[_Pair] = []
        self._errors: dict[int, _Errors] = {}
        self._parts: dict[CellRow, list[int]] = defaultdict(lambda: [0, 0, 0])
        self._sums: dict[tuple[int, str, int | None, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        self.alpha_step = 0
        pairs = self._pairs
        for row, line in rows:
            key = (row[2], line.keys, line.factors, row[5][:4])  # the book's price depends on the age
            pair = pairs.get(key)
            if pair is None:
                pair = pairs[key] = _Pair(row[2], line.keys)
            self._of.append(pair)

    @property
    def problem_ids(self) -> Collection[int]:
        """Return the ids of the problems whose errors are needed: those on the invoices, and ``EVERY_PROBLEM``."""
        return {EVERY_PROBLEM, *(problem_id for problem_id, *_ in self._pairs)}

    @property
    def cell_rows(self) -> Collection[CellRow]:
        """Return the keys of the cells that expectations are computed from."""
        wanted: set[CellRow] = {(EVERY_PROBLEM, _PRICE, _PROBLEM, "")}
        for problem_id, (make, model, years), _, _ in self._pairs:
            wanted |= {
                (problem_id, _SHARE, _PROBLEM, ""),
                (problem_id, _PRICE, _PROBLEM, ""),
                (problem_id, _PRICE, _MAKE, make),
                (problem_id, _PRICE, _MODEL, model),
                (problem_id, _PRICE, _YEARS, years),
                (problem_id, _HOURS, _PROBLEM, ""),
                (problem_id, _HOURS, _MAKE, make),
                (problem_id, _HOURS, _MODEL, model),
                (problem_id, _HOURS, _YEARS, years),
                (EVERY_PROBLEM, _PRICE, _MAKE, make),
                (EVERY_PROBLEM, _PRICE, _MODEL, model),
            }
        return wanted

    def learn(
        self,
        past: BatchHistory,
        *,
        book_of: Callable[[int, Factors, str], BookPrice],
        market_of: Callable[[PlaceAndTime], tuple[PlacePrices, Market]],
    ) -> Iterator[LearnedRow]:
        """Yield each invoice with its lesson, in order.

        ``market_of`` returns the prices of an invoice's place, and the market there in its month. Lessons are computed
        lazily, while the database stores the earlier ones; the sums are complete after the last one.
        """
        self._expect(past, book_of)
        errors = self._errors = {number: _Errors(past.tallies.get(number, ())) for number in self.problem_ids}
        of_all = errors[EVERY_PROBLEM]
        sums, alpha = self._sums, past.alpha
        for (row, line), pair in zip(self._rows, self._of, strict=True):
            _, _, problem_id, shop, _, day, _, parts, hours, rate, in_parts, in_labor, _, _, code = row
            month = day[:7]
            added = sums[problem_id, line.make_key, shop, month]
            added[0] += 1
            added[1] += in_parts
            added[2] += in_labor
            prices, market = market_of((shop, code, rate, month))
            comparison = pair.expected.judge(
                in_parts, in_labor, hours, market, alpha, prices.standardizing_rate(market, in_labor, hours)
            )
            if comparison is None:
                yield LearnedRow(row, line.vehicle_id, line.make_key, None, False)
                continue
            price, worked, share, off, _, number, missed, _, review, aside, parts_off, hours_off = comparison
            _put(pair.price, price)
            if worked is not None:
                _put(pair.hours, worked)
            _put(pair.share, share)
            of_parts: Sequence[tuple[str, int]] = ()
            if parts:
                of_parts = pair.expected.parts_judged(
                    [part[:2] for part in parts], market.price_level * market.parts_level
                )
                for key, residual in of_parts:
                    _put(self._parts[problem_id, _PART, _PROBLEM, key], residual)
            here = place_evidence(
                prices, market, labor_total=in_labor, labor_hours=hours, parts=parts_off, hours=hours_off
            )
            self._put_place(here, month)
            _put(self._parts[EVERY_PROBLEM, _DRIFT, _PROBLEM, month], off)
            step = alpha_step(missed=missed, aside=aside)
            alpha += step
            yield LearnedRow(
                row,
                line.vehicle_id,
                line.make_key,
                PlainLesson(
                    line.lineage,
                    price,
                    worked,
                    share,
                    of_parts,
                    number,
                    errors[problem_id].count(number),
                    of_all.count(number),
                    step,
                    here,
                    month,
                    off,
                ),
                review,
            )
        self.alpha_step = alpha - past.alpha

    def _put_place(self, here: PlaceEvidence, month: str) -> None:
        sums = self._parts
        if here.rate_drift is not None:
            _put(sums[EVERY_PROBLEM, _RATE_DRIFT, _PROBLEM, month], here.rate_drift)
        for level, key, rate in here.rates():
            _put(sums[EVERY_PROBLEM, _RATE, level.value, key], rate)
        if here.off_table_in and here.rate_off_table is not None:
            _put(sums[EVERY_PROBLEM, _OFF_TABLE, _STATE, here.off_table_in], here.rate_off_table)
        for kind, off in ((_PARTS_LEVEL, here.parts), (_HOURS_LEVEL, here.hours)):
            if off is not None:
                for level, key in here.place.level_path():
                    _put(sums[EVERY_PROBLEM, kind, level.value, key], off)

    def cell_sums(self) -> list[CellSum]:
        """Return the changes to the cells, sorted by key, so that the database visits each page once."""
        found: dict[CellRow, list[int]] = defaultdict(lambda: [0, 0, 0])
        for pair in self._pairs.values():
            own, (make, model, years), center = pair.problem_id, pair.keys, pair.center
            w, s, q = pair.price
            shared = (w, s - w * center, q - 2 * center * s + w * center * center)
            for level, key in ((_PROBLEM, ""), (_MAKE, make), (_MODEL, model), (_YEARS, years)):
                _join(found[own, _PRICE, level, key], pair.price)
                if level is not _YEARS:
                    _join(found[EVERY_PROBLEM, _PRICE, level, key], shared)
                if pair.hours[0]:
                    _join(found[own, _HOURS, level, key], pair.hours)
            _join(found[own, _SHARE, _PROBLEM, ""], pair.share)
        found |= self._parts
        return [(row, w, s, q) for row, (w, s, q) in sorted(found.items()) if w]

    def sums_moved(self) -> list[SumMoved]:
        """Return the changes to the sums, sorted by key."""
        found: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        for (problem_id, make, shop, month), moved in self._sums.items():
            _join(found[Dimension.ALL.value, "", month], moved)
            _join(found[Dimension.PROBLEM.value, str(problem_id), month], moved)
            _join(found[Dimension.MAKE.value, make, month], moved)
            if shop is not None:
                _join(found[Dimension.FACILITY.value, str(shop), month], moved)
        return [(*row, n, parts, labor) for row, (n, parts, labor) in sorted(found.items())]

    def tallies(self) -> Iterable[tuple[int, int, Tally]]:
        """Return the generations of errors that changed, sorted by problem and generation."""
        return sorted(
            ((number, *touched) for number, errors in self._errors.items() for touched in errors.touched()),
            key=lambda generation: generation[:2],
        )

    def _expect(self, past: BatchHistory, book_of: Callable[[int, Factors, str], BookPrice]) -> None:
        everywhere = _latest(past, EVERY_PROBLEM)
        known: dict[tuple[int, float], tuple[Tally, ErrorSpread]] = {}
        for (problem_id, _, factors, day), pair in self._pairs.items():
            book = book_of(problem_id, factors, day)
            variances = fitted(past.variances, problem_id, spread=book.spread)
            if (problem_id, variances.normal) not in known:
                here = _latest(past, problem_id)
                errors_of = distribution(here, everywhere, normal=variances.normal)
                known[problem_id, variances.normal] = here, ErrorSpread(errors_of)
            errors, errors_known = known[problem_id, variances.normal]
            pair.center = variances.center
            price, hours, shared = _levels(past.cells, problem_id, pair.keys)
            history = History(
                lineage=_NO_LINEAGE,
                price=price,
                hours=hours,
                shared=shared,
                share=past.cells.get((problem_id, _SHARE, _PROBLEM, ""), NOTHING),
                errors=errors,
                drift=past.drift,
            )
            if past.prior_weight:
                history = with_prior(history, _prior(past, problem_id, pair.keys))
            pair.expected = expectation(book, history, variances=variances, errors=errors_known)


_NO_LINEAGE = Lineage(make="", model="", year=0)
"""Expectations do not depend on the names of their cells."""


def _levels(cells: Mapping[CellRow, Cell], problem_id: int, keys: _Keys) -> tuple[Levels, Levels, Levels]:
    """Return a repair's price cells and hours cells, and the price cells of all repairs."""
    cell = cells.get
    make, model, years = keys
    return (
        Levels(
            cell((problem_id, _PRICE, _PROBLEM, ""), NOTHING),
            cell((problem_id, _PRICE, _MAKE, make), NOTHING),
            cell((problem_id, _PRICE, _MODEL, model), NOTHING),
            cell((problem_id, _PRICE, _YEARS, years), NOTHING),
        ),
        Levels(
            cell((problem_id, _HOURS, _PROBLEM, ""), NOTHING),
            cell((problem_id, _HOURS, _MAKE, make), NOTHING),
            cell((problem_id, _HOURS, _MODEL, model), NOTHING),
            cell((problem_id, _HOURS, _YEARS, years), NOTHING),
        ),
        Levels(
            cell((EVERY_PROBLEM, _PRICE, _PROBLEM, ""), NOTHING),
            cell((EVERY_PROBLEM, _PRICE, _MAKE, make), NOTHING),
            cell((EVERY_PROBLEM, _PRICE, _MODEL, model), NOTHING),
        ),
    )


def _prior(past: BatchHistory, problem_id: int, keys: _Keys) -> Prior:
    price, hours, shared = _levels(past.prior_cells, problem_id, keys)
    return Prior(
        weight=past.prior_weight,
        center=past.prior_centers.get(problem_id, 0),
        price=price,
        hours=hours,
        shared=shared,
        share=past.prior_cells.get((problem_id, _SHARE, _PROBLEM, ""), NOTHING),
    )


def _latest(past: BatchHistory, problem_id: int) -> Tally:
    return latest([tally for _, tally in past.tallies.get(problem_id, ())])


def _put(sums: list[int], y: int) -> None:
    sums[0] += 1
    sums[1] += y
    sums[2] += y * y


def _join(sums: list[int], other: Sequence[int]) -> None:
    sums[0] += other[0]
    sums[1] += other[1]
    sums[2] += other[2]
