"""Jobs, invoices and a history in memory for the tests of estimates."""

from collections.abc import Iterable, Mapping

from attrs import evolve, field, frozen

from repaircore.book.model import PartNeed, Problem
from repaircore.kernel.money import round_half_up
from repaircore.learning.appraisal import Appraisal, Invoice, appraise
from repaircore.pricing.book_price import BookPart, BookPrice
from repaircore.pricing.estimator import LocalEstimate, Outlook, estimate, outlook
from repaircore.pricing.places import Market
from repaircore.pricing.variances import Variances, variances_of
from repaircore.testing.builders import a_problem
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
    applied,
    deltas,
    removal,
)
from repaircore.transactions.levels import Level
from repaircore.transactions.tally import NO_ERRORS, Tally

RATE = 14_400
ACCORD = Lineage(make="Honda", model="Accord", year=2012)
PILOT = Lineage(make="Honda", model="Pilot", year=2019)
CAMRY = Lineage(make="Toyota", model="Camry", year=2015)
PADS = 7
BATTERY = 8
HOME = Market(rate=RATE, national_rate=RATE)


def problem(
    *, hours: float = 1.2, parts: Iterable[tuple[str, int, int]] = (), low: int = 26_000, high: int = 52_000
) -> Problem:
    needs = tuple(PartNeed(name=n, quantity=q, price=p) for n, q, p in parts)
    return a_problem(id=PADS, labor_hours=hours, parts=needs, low=low, high=high)


BOOK = BookPrice(
    hours=1.25,
    parts=(
        BookPart(name="Pad set", quantity=1, price=6_500),
        BookPart(name="Rotor", quantity=2, price=7_250),
    ),
    rate=RATE,
    spread=0.27,
)
LABOR_ONLY = BookPrice(hours=1.0, parts=(), rate=RATE, spread=0.2)


def invoice(total: int, *, labor_share: float = 0.5, rate: int = RATE) -> Invoice:
    labor = round_half_up(total * labor_share)
    return Invoice(parts_total=total - labor, labor_total=labor, labor_hours=labor / rate)


@frozen
class Past:
    """A history in memory, with the rows of a store."""

    cells: Mapping[CellKey, Cell] = field(factory=dict)
    errors: Mapping[int, Tally] = field(factory=dict)
    alpha: int = 20_000

    def of(self, lineage: Lineage, problem_id: int = PADS) -> History:
        return History(
            lineage=lineage,
            price=self._levels(problem_id, Kind.PRICE, lineage),
            hours=self._levels(problem_id, Kind.HOURS, lineage),
            share=self.cells.get(CellKey(problem_id, Kind.SHARE, Level.PROBLEM, ""), NOTHING),
            shared=self._levels(EVERY_PROBLEM, Kind.PRICE, lineage),
            parts={
                k.key: c for k, c in self.cells.items() if (k.problem_id, k.kind) == (problem_id, Kind.PART)
            },
            errors=self.errors.get(problem_id, NO_ERRORS),
            errors_of_all=self.errors.get(EVERY_PROBLEM, NO_ERRORS),
            alpha=self.alpha,
        )

    def _levels(self, problem_id: int, kind: Kind, lineage: Lineage) -> Levels:
        keys = [CellKey(problem_id, kind, level, key) for level, key in lineage.path()]
        return Levels(*(self.cells.get(key, NOTHING) for key in keys))

    def with_evidence(self, *evidence: Evidence, center: int = 0) -> "Past":
        changes = [delta for one in evidence for delta in deltas(one, center=center)]
        return evolve(self, cells=applied(self.cells, changes))

    def without_evidence(self, *evidence: Evidence, center: int = 0) -> "Past":
        changes = [delta for one in evidence for delta in removal(one, center=center)]
        return evolve(self, cells=applied(self.cells, changes))

    def learned(self, actual: Appraisal, *, times: int = 1) -> "Past":
        """Learn from an invoice, or from many equal ones that are appraised together, like those of a file."""
        past = self._learned(actual)
        for _ in range(times - 1):
            past = past._learned(actual)
        return past

    def _learned(self, fields: Appraisal) -> "Past":
        errors = {
            p: self.errors.get(p, NO_ERRORS).plus(fields.bin)
            for p in (fields.evidence.problem_id, EVERY_PROBLEM)
        }
        return evolve(
            self.with_evidence(fields.evidence),
            errors={**self.errors, **errors},
            alpha=self.alpha + fields.alpha_step,
        )


def evidence(y: int, lineage: Lineage = ACCORD, problem_id: int = PADS) -> Evidence:
    return Evidence(problem_id=problem_id, lineage=lineage, price=y, hours=y // 2, share=50_000)


def estimated(
    past: Past = Past(),
    lineage: Lineage = ACCORD,
    *,
    book: BookPrice = BOOK,
    market: Market = HOME,
    variances: Variances | None = None,
) -> LocalEstimate:
    return estimate(
        outlook(book, past.of(lineage), market=market, variances=variances or variances_of(book.spread))
    )


def outlook_of(past: Past, lineage: Lineage, *, book: BookPrice = BOOK) -> Outlook:
    """Return the estimate before rounding, by a book without a refit."""
    return outlook(book, past.of(lineage), market=HOME, variances=variances_of(book.spread))


def appraised(
    paid: Invoice,
    past: Past = Past(),
    lineage: Lineage = ACCORD,
    *,
    book: BookPrice = BOOK,
    market: Market = HOME,
    variances: Variances | None = None,
) -> Appraisal:
    result = appraise(
        paid,
        book,
        past.of(lineage),
        problem_id=PADS,
        market=market,
        variances=variances or variances_of(book.spread),
    )

    assert result is not None
    return result
