"""P15 and P4: a fresh estimate in process, and whether a hundredfold history makes it dearer.

Run from the root of the repository: ``python -m bench estimator``.
"""

import random

from bench.table import Row, interleaved, ratio_of, tell
from repaircore.learning.appraisal import Invoice, InvoicePart, appraise
from repaircore.pricing.book_price import BookPart, BookPrice
from repaircore.pricing.estimator import estimate, outlook
from repaircore.pricing.places import Market
from repaircore.pricing.variances import variances_of
from repaircore.transactions.evidence import (
    EVERY_PROBLEM,
    NOTHING,
    Cell,
    CellKey,
    Evidence,
    History,
    Kind,
    Levels,
    Lineage,
    deltas,
    grains,
    part_key,
)
from repaircore.transactions.levels import Level
from repaircore.transactions.tally import BINS, Tally, bin_of

_ADDITIONS = 5_000
"""Additions in a loop that take about 150 µs on a core of 2025: a yardstick that is as slow as its machine."""

_PROBLEMS = range(1, 161)
_BOOK = BookPrice(
    hours=1.32,
    parts=(
        BookPart(name="Pad set", quantity=1, price=7_800),
        BookPart(name="Rotor", quantity=2, price=8_400),
    ),
    rate=14_406,
    spread=0.27,
)
_MARKET = Market(rate=15_600, national_rate=14_406, price_level=1.05)
_VARIANCES = variances_of(_BOOK.spread)
_LINEAGES = [
    Lineage(make=f"Make {a}", model=f"Model {a}-{b}", year=year)
    for a in range(40)
    for b in range(12)
    for year in (2006, 2010, 2014, 2018, 2022)
]


class _Ledger:
    """Cells in memory, changed row by row as a store would."""

    def __init__(self) -> None:
        self.sums: dict[CellKey, list[int]] = {}
        self.errors = {p: [0] * BINS for p in (EVERY_PROBLEM, *_PROBLEMS)}

    def insert(self, evidence: Evidence, z: float) -> None:
        for change in deltas(evidence, center=0):
            row = self.sums.setdefault(change.key, [0, 0, 0])
            row[0] += change.w
            row[1] += change.s
            row[2] += change.q
        for p in (EVERY_PROBLEM, evidence.problem_id):
            self.errors[p][bin_of(z)] += 1

    def history(self, problem_id: int, lineage: Lineage) -> History:
        return History(
            lineage=lineage,
            price=self._levels(problem_id, Kind.PRICE, lineage),
            hours=self._levels(problem_id, Kind.HOURS, lineage),
            share=self._cell(CellKey(problem_id, Kind.SHARE, Level.PROBLEM, "")),
            shared=self._levels(EVERY_PROBLEM, Kind.PRICE, lineage),
            parts={
                key: self._cell(CellKey(problem_id, Kind.PART, Level.PROBLEM, key))
                for key in (part_key(part.name) for part in _BOOK.parts)
            },
            errors=Tally(tuple(self.errors[problem_id])),
            errors_of_all=Tally(tuple(self.errors[EVERY_PROBLEM])),
        )

    def _levels(self, problem_id: int, kind: Kind, lineage: Lineage) -> Levels:
        return Levels(*(self._cell(CellKey(problem_id, kind, level, key)) for level, key in lineage.path()))

    def _cell(self, key: CellKey) -> Cell:
        found = self.sums.get(key)
        return Cell(*found) if found else NOTHING


def _filled(invoices: int) -> _Ledger:
    dice = random.Random(3)  # noqa: S311 - a simulation
    ledger = _Ledger()
    for _ in range(invoices):
        z = dice.gauss(0, 1)
        ledger.insert(
            Evidence(
                problem_id=dice.choice(_PROBLEMS),
                lineage=dice.choice(_LINEAGES),
                price=grains(0.05 + 0.27 * z),
                hours=grains(0.2 * z),
                share=grains(0.44),
            ),
            z,
        )
    return ledger


def _added_up() -> float:
    total = 0.0
    for i in range(_ADDITIONS):
        total += i * 0.5
    return total


def rows(*, small: int = 10_000, large: int = 1_000_000) -> list[Row]:
    tell(f"estimator: filling histories of {small:,} and {large:,} invoices")
    few, many = _filled(small), _filled(large)

    def answer(ledger: _Ledger) -> object:
        past = ledger.history(7, _LINEAGES[1234])
        return estimate(outlook(_BOOK, past, market=_MARKET, variances=_VARIANCES))

    paid = Invoice(
        parts_total=30_000,
        labor_total=20_000,
        labor_hours=1.3,
        parts=(InvoicePart(name="Rotor", unit_price=9_000),),
    )
    past = many.history(7, _LINEAGES[1234])

    def judged() -> object:
        return appraise(paid, _BOOK, past, problem_id=7, market=_MARKET, variances=_VARIANCES)

    tell("estimator: estimating")
    on_few, on_many, appraisal, budget = interleaved(
        lambda: answer(few), lambda: answer(many), judged, _added_up, rounds=40, times=50
    )
    return [
        Row("P15 fresh estimate in process, cells by key", "5,000 additions", ratio_of(on_many, budget), 1),
        Row(
            "P15 appraisal of an invoice before it is learned",
            "5,000 additions",
            ratio_of(appraisal, budget),
            1,
        ),
        Row(
            f"P4 fresh estimate on {large:,} invoices",
            f"the same on {small:,}",
            ratio_of(on_many, on_few),
            1.2,
        ),
    ]
