"""A batch learns from each invoice what a single recorded invoice teaches, and adds up the same rows."""

from collections.abc import Sequence
from typing import Any

import pytest
from attrs import evolve
from tests.unit.pricing.jobs import ACCORD, BATTERY, BOOK, CAMRY, LABOR_ONLY, PADS, RATE, Past, evidence

from repaircore.learning.appraisal import Appraisal, Invoice, InvoicePart, appraise
from repaircore.learning.batch import Batch, BatchHistory, BatchVehicle, PlaceAndTime
from repaircore.learning.invoice_file import InvoiceRow
from repaircore.learning.ports import CellRow, LearnedRow
from repaircore.pricing.book_price import BookPrice
from repaircore.pricing.places import NO_CELLS, Market, PlacePrices, place_levels
from repaircore.pricing.priors import Prior, with_prior
from repaircore.pricing.variances import fitted, variances_of
from repaircore.transactions.evidence import (
    EVERY_PROBLEM,
    NOTHING,
    NOWHERE,
    Cell,
    CellKey,
    Delta,
    Kind,
    Place,
    applied,
    deltas,
)
from repaircore.transactions.levels import Level
from repaircore.transactions.tally import NO_ERRORS, Tally, bin_of, capacity
from repaircore.vehicle_facts.model import Factors

PLAIN = Factors(labor=1.0, parts=1.0)
HONDA = BatchVehicle(vehicle_id="h", make_key="honda", lineage=ACCORD, factors=PLAIN)
TOYOTA = BatchVehicle(vehicle_id="t", make_key="toyota", lineage=CAMRY, factors=PLAIN)
SHOP = Place(state="NV", area="895", shop=7)
CENTERS = {PADS: 3_000, BATTERY: -2_000}
VARIANCES = {problem: variances_of(0.3, center=center) for problem, center in CENTERS.items()}
BEFORE = Past().with_evidence(
    *(evidence(10_000 * n, ACCORD) for n in range(-1, 4)),
    *(evidence(5_000 * n, CAMRY) for n in range(3)),
    *(evidence(7_000 * n, CAMRY, BATTERY) for n in range(4)),
)
ELSEWHERE = Past().with_evidence(*(evidence(20_000 + n, ACCORD) for n in range(9)))


def _row(
    number: int,
    problem_id: int = PADS,
    *,
    shop: int | None = 7,
    day: str = "2025-11-03",
    parts: tuple[tuple[str, int, int], ...] = (),
    hours: float = 1.5,
    in_parts: int = 210_00,
    in_labor: int = 240_00,
) -> InvoiceRow:
    return (
        number,
        "1HGCM82633A",
        problem_id,
        shop,
        None,
        day,
        None,
        parts,
        hours,
        160_00,
        in_parts,
        in_labor,
        None,
        None,
        None,
    )


ROWS: Sequence[tuple[InvoiceRow, BatchVehicle]] = (
    (_row(1), HONDA),
    (_row(2, parts=(("Rotor", 90_00, 2), ("Rags", 3_00, 1)), in_parts=183_00), HONDA),
    (_row(3, BATTERY, in_parts=0, in_labor=190_00, hours=1.2), TOYOTA),
    (_row(4, shop=None, day="2025-12-30", in_labor=0, hours=0), TOYOTA),
    (_row(5, in_parts=0, in_labor=0), HONDA),
    (_row(6, in_parts=9_000_00), HONDA),
    (_row(7, day="2025-12-01", in_parts=100_00, in_labor=120_00), TOYOTA),
)


def _book_of(problem_id: int, _: Factors, day: str) -> BookPrice:
    book = BOOK if problem_id == PADS else LABOR_ONLY
    return evolve(book, hours=book.hours * (1 + (int(day[:4]) - 2025) / 10))


def _prices_of(shop: int | None) -> PlacePrices:
    place = NOWHERE if shop is None else SHOP
    return PlacePrices(place=place, levels=place_levels(NO_CELLS, table=0.0 if shop is None else 0.1))


def _market_of(prices: PlacePrices, day: str) -> Market:
    level = 1.1 if day[:7] == "2025-12" else 1.05
    return Market(
        rate=RATE if prices.place == NOWHERE else RATE + 15_00, national_rate=RATE, price_level=level
    )


def _prices_and_market(key: PlaceAndTime) -> tuple[PlacePrices, Market]:
    shop, _, _, month = key
    prices = _prices_of(shop)
    return prices, _market_of(prices, month)


def _rows(past: Past) -> dict[CellRow, Cell]:
    return {
        (key.problem_id, key.kind.value, key.level.value, key.key): cell for key, cell in past.cells.items()
    }


def _history(**changes: Any) -> BatchHistory:
    plain = BatchHistory(drift=0.02, cells=_rows(BEFORE), variances=VARIANCES, tallies={}, alpha=20_000)
    return evolve(plain, **changes)


def _learned(
    past: BatchHistory, rows: Sequence[tuple[InvoiceRow, BatchVehicle]] = ROWS
) -> tuple[Batch, list[LearnedRow]]:
    batch = Batch(rows)
    return batch, [*batch.learn(past, book_of=_book_of, market_of=_prices_and_market)]


def _appraised(row: InvoiceRow, line: BatchVehicle, prior: Prior | None, *, alpha: int) -> Appraisal | None:
    """Appraise an invoice alone, as if it were recorded by hand."""
    past = evolve(BEFORE.of(line.lineage, row[2]), drift=0.02, alpha=alpha)
    book = _book_of(row[2], line.factors, row[5])
    prices = _prices_of(row[3])
    return appraise(
        Invoice(
            parts_total=row[10],
            labor_total=row[11],
            labor_hours=row[8],
            parts=tuple(InvoicePart(name=name, unit_price=each) for name, each, _ in row[7]),
        ),
        book,
        past if prior is None else with_prior(past, prior),
        problem_id=row[2],
        market=_market_of(prices, row[5]),
        variances=fitted(VARIANCES, row[2], spread=book.spread),
        prices=prices,
        month=row[5][:7],
    )


def _prior_of(row: InvoiceRow, line: BatchVehicle) -> Prior:
    seen = ELSEWHERE.of(line.lineage, row[2])
    shared = evolve(seen.shared, years=NOTHING)
    return Prior(weight=20, center=1_500, price=seen.price, hours=seen.hours, share=seen.share, shared=shared)


@pytest.mark.parametrize("with_priors", [False, True], ids=["own", "priors"])
def test_batch_learns_what_single_invoices_teach(*, with_priors: bool) -> None:
    past = _history(
        **({"prior_weight": 20, "prior_cells": _rows(ELSEWHERE), "prior_centers": {PADS: 1_500, BATTERY: 1_500}} if with_priors else {})
    )  # fmt: skip
    batch, learned = _learned(past)
    alpha, changes = 20_000, list[Delta]()
    for (row, line), found in zip(ROWS, learned, strict=True):
        alone = _appraised(row, line, _prior_of(row, line) if with_priors else None, alpha=alpha)

        assert (found.row, found.vehicle_id, found.make_key) == (row, line.vehicle_id, line.make_key)
        if alone is None:
            assert (found.lesson, found.review) == (None, False)
            continue
        lesson, shown = found.lesson, alone.evidence
        assert lesson is not None
        assert (lesson.price, lesson.hours, lesson.share) == (shown.price, shown.hours, shown.share)
        assert list(lesson.parts) == [(part.key, part.price) for part in shown.parts]
        assert (lesson.here, lesson.month, lesson.drift) == (shown.here, shown.month, shown.drift)
        assert (lesson.bin, lesson.alpha_step, found.review) == (alone.bin, alone.alpha_step, alone.review)
        assert lesson.lineage == line.lineage
        alpha += alone.alpha_step
        changes += deltas(shown, center=CENTERS[row[2]])

    assert [one.lesson is None for one in learned] == [False, False, False, False, True, False, False]
    assert [one.review for one in learned].count(True) == 1
    assert batch.alpha_step == alpha - 20_000 != 0
    expected = applied({}, changes)
    sums = {
        CellKey(problem, Kind(kind), Level(level), key): Cell(w, s, q)
        for (problem, kind, level, key), w, s, q in batch.cell_sums()
    }

    assert sums == expected


def test_batch_adds_up_every_invoice_by_month() -> None:
    batch, _ = _learned(_history())

    assert batch.sums_moved() == [
        ("all", "", "2025-11", 5, 9_393_00, 910_00),
        ("all", "", "2025-12", 2, 310_00, 120_00),
        ("facility", "7", "2025-11", 5, 9_393_00, 910_00),
        ("facility", "7", "2025-12", 1, 100_00, 120_00),
        ("make", "honda", "2025-11", 4, 9_393_00, 720_00),
        ("make", "toyota", "2025-11", 1, 0, 190_00),
        ("make", "toyota", "2025-12", 2, 310_00, 120_00),
        ("problem", str(PADS), "2025-11", 4, 9_393_00, 720_00),
        ("problem", str(PADS), "2025-12", 2, 310_00, 120_00),
        ("problem", str(BATTERY), "2025-11", 1, 0, 190_00),
    ]


def test_batch_reads_the_cells_of_its_repairs_and_vehicles() -> None:
    batch = Batch(ROWS)
    own = {
        (problem_id, kind.value, level.value, key)
        for problem_id, line in ((PADS, HONDA), (BATTERY, TOYOTA), (PADS, TOYOTA))
        for level, key in line.lineage.path()
        for kind in (Kind.PRICE, Kind.HOURS)
    }
    shares = {(problem_id, "share", "problem", "") for problem_id in (PADS, BATTERY)}
    shared = {
        (EVERY_PROBLEM, "price", level.value, key)
        for line in (HONDA, TOYOTA)
        for level, key in line.lineage.path()[:3]
    }

    assert batch.problem_ids == {EVERY_PROBLEM, PADS, BATTERY}
    assert batch.cell_rows == own | shares | shared


def _full(generation: int, *, free: int) -> Tally:
    tally = NO_ERRORS
    for _ in range(capacity(generation) - free):
        tally = tally.plus(bin_of(0.0))
    return tally


@pytest.mark.parametrize(
    ("stored", "free", "generations"),
    [(3, 3, [3, 3, 3]), (3, 2, [3, 3, 4]), (3, 1, [3, 4, 4]), (3, 0, [4, 4, 4])],
)
def test_errors_fill_one_generation_after_another(stored: int, free: int, generations: list[int]) -> None:
    newest = _full(stored, free=free)
    tallies = {PADS: [(stored, newest), (stored - 1, _full(stored - 1, free=0))]}
    batch, learned = _learned(_history(tallies=tallies), [(_row(n), HONDA) for n in range(3)])
    lessons = [one.lesson for one in learned if one.lesson is not None]

    assert [lesson.generation for lesson in lessons] == generations
    assert [lesson.generation_of_all for lesson in lessons] == [0, 0, 0]
    expected: dict[tuple[int, int], Tally] = {}
    for lesson in lessons:
        for problem_id, number in ((PADS, lesson.generation), (EVERY_PROBLEM, 0)):
            start = newest if (problem_id, number) == (PADS, stored) else NO_ERRORS
            counted = expected.get((problem_id, number), start)
            expected[problem_id, number] = counted.plus(lesson.bin)

    assert [*batch.tallies()] == sorted((*key, tally) for key, tally in expected.items())


def test_batch_starts_with_the_first_generation() -> None:
    count = capacity(0) + 1
    batch, learned = _learned(_history(), [(_row(n), HONDA) for n in range(count)])

    assert [one.lesson.generation for one in learned if one.lesson is not None] == [0] * capacity(0) + [1]
    assert [(problem_id, number, tally.w) for problem_id, number, tally in batch.tallies()] == [
        (EVERY_PROBLEM, 0, capacity(0)),
        (EVERY_PROBLEM, 1, 1),
        (PADS, 0, capacity(0)),
        (PADS, 1, 1),
    ]


def test_price_of_the_book_depends_on_the_year_of_the_invoice() -> None:
    asked: list[tuple[int, str]] = []

    def book_of(problem_id: int, factors: Factors, day: str) -> BookPrice:
        asked.append((problem_id, day))
        return _book_of(problem_id, factors, day)

    rows = [(_row(n, day=day), HONDA) for n, day in enumerate(("2024-12-31", "2025-01-01", "2025-12-31"))]
    learned = [*Batch(rows).learn(_history(), book_of=book_of, market_of=_prices_and_market)]

    assert asked == [(PADS, "2024"), (PADS, "2025")]
    assert len(learned) == 3
