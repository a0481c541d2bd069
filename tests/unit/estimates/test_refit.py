import math
import random

import pytest
from tests.unit.estimates.jobs import ACCORD, BATTERY, PADS, PILOT, Past, evidence

from repaircore.estimates.refit import refit
from repaircore.estimates.variances import variances_of
from repaircore.transactions.evidence import EVERY_PROBLEM, CellKey, Evidence, Kind, Level, Lineage, grains

SPREADS = {PADS: 0.3, BATTERY: 0.2}


def _drawn(*, make: float, model: float, years: float, within: float, seed: int) -> list[Evidence]:
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


def test_it_finds_the_variances_that_invoices_were_drawn_with() -> None:
    past = Past().with_evidence(*_drawn(make=0.2, model=0.12, years=0.08, within=0.25, seed=5))
    found = refit(past.cells.items(), SPREADS).variances[PADS]
    assert math.sqrt(found.within) == pytest.approx(0.25, rel=0.05)
    assert math.sqrt(found.make) == pytest.approx(0.2, rel=0.35)
    assert math.sqrt(found.model) == pytest.approx(0.12, rel=0.25)
    assert math.sqrt(found.years) == pytest.approx(0.08, rel=0.3)


def test_makes_that_do_not_differ_are_found_not_to() -> None:
    past = Past().with_evidence(*_drawn(make=0, model=0, years=0, within=0.25, seed=6))
    found = refit(past.cells.items(), SPREADS).variances[PADS]
    assert max(found.make, found.model, found.years) < 0.08 * found.within


def test_one_invoice_leaves_nearly_what_the_book_says() -> None:
    found = refit(Past().with_evidence(evidence(10_000)).cells.items(), SPREADS).variances[PADS]
    assert found.within == pytest.approx(variances_of(0.3).within)
    assert found.center == 2_500


def test_nothing_gives_nothing() -> None:
    told = refit([], SPREADS)
    assert (told.variances, told.shared) == ({}, {})


def test_the_shared_cells_are_those_that_inserting_at_the_new_centers_gives() -> None:
    pads = [evidence(30_000 + n, ACCORD) for n in range(9)]
    batteries = [evidence(-8_000 - n, PILOT, BATTERY) for n in range(5)]
    told = refit(Past().with_evidence(*pads, *batteries).cells.items(), SPREADS)
    anew = Past()
    for one in (*pads, *batteries):
        anew = anew.with_evidence(one, center=told.variances[one.problem_id].center)
    assert told.shared == {k: c for k, c in anew.cells.items() if k.problem_id == EVERY_PROBLEM}


def test_after_a_refit_an_invoice_can_still_be_taken_out_without_a_trace() -> None:
    kept, gone = [evidence(20_000 + n) for n in range(4)], evidence(77_777, PILOT)
    before = Past().with_evidence(*kept, gone)
    told = refit(before.cells.items(), SPREADS)
    own = {k: c for k, c in before.cells.items() if k.problem_id != EVERY_PROBLEM}
    center = told.variances[PADS].center
    after = Past(cells={**own, **told.shared}).without_evidence(gone, center=center)
    assert after == Past().with_evidence(*kept, center=center)
    assert CellKey(PADS, Kind.PRICE, Level.MODEL, "honda|pilot") not in after.cells
