import math
import random
from collections.abc import Mapping

import pytest
from attrs import evolve
from tests.unit.pricing.jobs import ACCORD, BATTERY, BOOK, CAMRY, PADS, PILOT, Past, estimated, evidence

from repaircore.learning.refit import recentering, refit
from repaircore.pricing.priors import NO_PRIORS, PriorFit
from repaircore.pricing.variances import Variances, fitted, variances_of
from repaircore.transactions.evidence import (
    EVERY_PROBLEM,
    NOTHING,
    Cell,
    CellKey,
    Evidence,
    Kind,
    Lineage,
    grains,
)
from repaircore.transactions.levels import Level

SPREADS = {PADS: 0.3, BATTERY: 0.2}

NEWER_ACCORD = evolve(ACCORD, year=2018)
ODYSSEY = Lineage(make="Honda", model="Odyssey", year=2019)
SMALL = Past().with_evidence(
    *(
        evidence(price, lineage, problem_id)
        for problem_id, lineage, prices in (
            (PADS, ACCORD, (40_000, 10_000, 25_000)),
            (PADS, NEWER_ACCORD, (-5_000, 15_000)),
            (PADS, PILOT, (60_000, 35_000)),
            (PADS, CAMRY, (-30_000, -12_000, 4_000)),
            (BATTERY, ACCORD, (20_000, 31_000)),
            (BATTERY, PILOT, (12_000,)),
            (BATTERY, ODYSSEY, (9_000, 30_000)),
            (BATTERY, CAMRY, (-22_000, -6_000)),
        )
        for price in prices
    )
)
"""Few invoices, in which every level differs."""

LIKE_PADS, UNSOLD = 9, 10
PRIORS = {
    EVERY_PROBLEM: PriorFit(variances=evolve(variances_of(1.0), book=0.5, make=0.2, root=9_000)),
    BATTERY: PriorFit(variances=variances_of(0.25), cell=Cell(10, 150_000, 10 * 15_000**2)),
    LIKE_PADS: PriorFit(variances=variances_of(0.4)),
    UNSOLD: PriorFit(variances=variances_of(0.5), cell=Cell(4, -80_000, 4 * 20_000**2)),
}


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


def _figures(found: Variances) -> tuple[float, ...]:
    return (
        found.within,
        found.book,
        found.make,
        found.model,
        found.years,
        found.make_index,
        found.model_index,
        found.unit,
    )


@pytest.mark.parametrize(
    ("priors", "expected"),
    [
        pytest.param(
            NO_PRIORS,
            {
                EVERY_PROBLEM: (
                    (
                        0.4953842,
                        0.1328389,
                        0.1784316,
                        0.008682779,
                        0.02438056,
                        0.04076755,
                        0.04321779,
                        0.8124038,
                    ),
                    (4_164, 4_164),
                ),
                PADS: (
                    (
                        0.04022339,
                        0.01078603,
                        0.014488,
                        0.0007050101,
                        0.001979613,
                        0.003310177,
                        0.003509127,
                        0.2437212,
                    ),
                    (11_474, 4_164),
                ),
                BATTERY: (
                    (
                        0.04054746,
                        0.01087293,
                        0.01460472,
                        0.0007106901,
                        0.001995562,
                        0.003336846,
                        0.003537399,
                        0.2437212,
                    ),
                    (8_344, 4_164),
                ),
            },
            id="book",
        ),
        pytest.param(
            PRIORS,
            {
                EVERY_PROBLEM: (
                    (
                        0.5011518,
                        0.2605558,
                        0.3110509,
                        0.0274016,
                        0.02440199,
                        0.03589119,
                        0.04864671,
                        0.8124038,
                    ),
                    (9_604, 9_604),
                ),
                PADS: (
                    (
                        0.04062269,
                        0.0211203,
                        0.02521337,
                        0.002221137,
                        0.001977992,
                        0.002909292,
                        0.003943237,
                        0.2437212,
                    ),
                    (13_459, 9_604),
                ),
                BATTERY: (
                    (
                        0.02901477,
                        0.01508518,
                        0.01800866,
                        0.001586448,
                        0.001412782,
                        0.002077963,
                        0.002816458,
                        0.203101,
                    ),
                    (12_813, 9_604),
                ),
                LIKE_PADS: (
                    (
                        0.08018429,
                        0.04168892,
                        0.04976815,
                        0.004384256,
                        0.003904318,
                        0.005742591,
                        0.007783474,
                        0.3249615,
                    ),
                    (9_604, 9_604),
                ),
                UNSOLD: (
                    (
                        0.125288,
                        0.06513894,
                        0.07776273,
                        0.0068504,
                        0.006100497,
                        0.008972799,
                        0.01216168,
                        0.4062019,
                    ),
                    (-10_387, 9_604),
                ),
            },
            id="priors",
        ),
    ],
)
def test_fit_of_a_small_history_gives_the_recorded_figures(
    priors: Mapping[int, PriorFit], expected: Mapping[int, tuple[tuple[float, ...], tuple[int, int]]]
) -> None:
    found = refit(SMALL.cells.items(), {PADS: 0.3}, priors).variances  # the battery's spread is unknown

    assert {p: _figures(one) for p, one in found.items()} == {
        p: pytest.approx(figures, rel=1e-6) for p, (figures, _) in expected.items()
    }
    assert {p: (one.center, one.root) for p, one in found.items()} == {
        p: places for p, (_, places) in expected.items()
    }


def test_emptied_and_shared_cells_do_not_change_the_fit() -> None:
    emptied = (CellKey(99, Kind.PRICE, Level.PROBLEM, ""), NOTHING)
    own = [(key, cell) for key, cell in SMALL.cells.items() if key.problem_id != EVERY_PROBLEM]

    assert refit([*own, emptied], SPREADS) == refit(SMALL.cells.items(), SPREADS)


def test_fit_without_invoices_is_that_of_the_priors() -> None:
    assert refit([], SPREADS, PRIORS).variances == {p: prior.variances for p, prior in PRIORS.items()}


def test_spread_of_one_make_leaves_the_indexes_to_the_book() -> None:
    # All invoices of the make are for one repair, so that there is no pair of different repairs.
    past = Past().with_evidence(*(evidence(10_000 * n, CAMRY) for n in range(4)))
    found, book = refit(past.cells.items(), SPREADS).variances[PADS], variances_of(0.3)

    assert found.make_index / found.within == pytest.approx(book.make_index / book.within)
    assert found.model_index / found.within == pytest.approx(book.model_index / book.within)
