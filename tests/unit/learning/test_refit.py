import math
import random
from collections.abc import Mapping

import pytest
from tests.unit.pricing.jobs import ACCORD, BATTERY, BOOK, PADS, PILOT, Past, estimated, evidence

from repaircore.learning.refit import recentering, refit
from repaircore.pricing.variances import Variances, fitted, variances_of
from repaircore.transactions.evidence import EVERY_PROBLEM, CellKey, Evidence, Kind, Lineage, grains
from repaircore.transactions.levels import Level

SPREADS = {PADS: 0.3, BATTERY: 0.2}


def _draw_evidence(*, make: float, model: float, years: float, within: float, seed: int) -> list[Evidence]:
    dice = random.Random(seed)  # noqa: S311 - a simulation
    drawn = []
    for a in range(30):
        of_make = dice.gauss(0, make)
        for b in range(4):
            of_model = of_make + dice.gauss(0, model)
            for c in range(3):
                of_years = of_model + dice.gauss(0, years)
                lineage = Lineage(make=f"make{a}", model=f"model{b}", year=2000 + 4 * c)
                drawn += [evidence(grains(of_years + dice.gauss(0, within)), lineage) for _ in range(5)]
    return drawn


def test_fit_finds_the_variances_that_invoices_were_drawn_with() -> None:
    past = Past().with_evidence(*_draw_evidence(make=0.2, model=0.12, years=0.08, within=0.25, seed=5))
    found = refit(past.cells.items(), SPREADS).variances[PADS]

    assert math.sqrt(found.within) == pytest.approx(0.25, rel=0.05)
    assert math.sqrt(found.make) == pytest.approx(0.2, rel=0.35)
    assert math.sqrt(found.model) == pytest.approx(0.12, rel=0.25)
    assert math.sqrt(found.years) == pytest.approx(0.08, rel=0.3)


def test_fit_counts_the_book_as_twenty_invoices() -> None:
    values = (-0.6, -0.1, 0.2, 0.9)
    found = refit(
        Past().with_evidence(*(evidence(grains(value)) for value in values)).cells.items(), SPREADS
    ).variances[PADS]
    squares = sum((value - 0.1) ** 2 for value in values)
    book = variances_of(SPREADS[PADS])

    around = (20 + squares / book.around) / 23
    wider = (20 * around + squares / book.within) / 23
    assert found.within == pytest.approx((20 * book.within * wider + squares) / 23, rel=1e-3)


def test_fit_finds_no_variance_between_equal_makes() -> None:
    past = Past().with_evidence(*_draw_evidence(make=0, model=0, years=0, within=0.25, seed=6))
    found = refit(past.cells.items(), SPREADS).variances[PADS]

    assert max(found.make, found.model, found.years) < 0.08 * found.within


def test_one_invoice_hardly_moves_the_fit_from_the_book() -> None:
    found = refit(Past().with_evidence(evidence(10_000)).cells.items(), SPREADS).variances[PADS]

    assert found.within == pytest.approx(variances_of(0.3).within)
    assert 0 < found.root < found.center < 5_000


def test_no_evidence_gives_no_variances() -> None:
    result = refit([], SPREADS)

    assert result.variances == {}


def recentered(past: Past, variances: Mapping[int, Variances]) -> Past:
    """Return a history whose shared cells are moved from center 0 to the new centers, as a store moves them."""
    changed = dict(past.cells)
    for key, cell in past.cells.items():
        if key.problem_id != EVERY_PROBLEM and key.kind is Kind.PRICE and key.level is not Level.YEARS:
            shared = CellKey(EVERY_PROBLEM, Kind.PRICE, key.level, key.key)
            changed[shared] = changed[shared].joined(recentering(cell, 0, variances[key.problem_id].center))
    return Past(cells=changed)


def test_recentered_cells_equal_cells_inserted_at_the_new_centers() -> None:
    pads = [evidence(30_000 + n, ACCORD) for n in range(9)]
    batteries = [evidence(-8_000 - n, PILOT, BATTERY) for n in range(5)]
    before = Past().with_evidence(*pads, *batteries)
    found = refit(before.cells.items(), SPREADS).variances
    inserted = Past()
    for one in (*pads, *batteries):
        inserted = inserted.with_evidence(one, center=found[one.problem_id].center)

    assert recentered(before, found) == inserted


def test_invoice_can_be_removed_without_a_trace_after_a_refit() -> None:
    remaining, removed = [evidence(20_000 + n) for n in range(4)], evidence(77_777, PILOT)
    before = Past().with_evidence(*remaining, removed)
    found = refit(before.cells.items(), SPREADS).variances
    center = found[PADS].center
    after = recentered(before, found).without_evidence(removed, center=center)

    assert after == Past().with_evidence(*remaining, center=center)
    assert CellKey(PADS, Kind.PRICE, Level.MODEL, "honda|pilot") not in after.cells


def test_invoices_far_off_the_book_move_repairs_without_invoices() -> None:
    dice = random.Random(7)  # noqa: S311 - a simulation
    drawn = [
        evidence(grains(0.4 + offset + dice.gauss(0, 0.2)), PILOT, problem_id)
        for problem_id in range(1, 31)
        for offset in [dice.gauss(0, 0.15)]
        for _ in range(8)
    ]
    past = Past().with_evidence(*drawn)
    unseen = fitted(refit(past.cells.items(), {}).variances, 99, spread=0.3)

    assert unseen.root * 1e-5 == pytest.approx(0.4, abs=0.1)
    assert math.sqrt(unseen.book) == pytest.approx(0.15, rel=0.6)
    assert estimated(past, variances=unseen).average > BOOK.total
