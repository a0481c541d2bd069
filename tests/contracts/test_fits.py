"""The contract of the port ``Fits``, on both databases."""

import pytest
from attrs import evolve
from tests.contracts.test_lessons import LIVE, ONE, TEST, stored_sums

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.pricing.variances import Variances, variances_of
from repaircore.transactions.evidence import EVERY_PROBLEM, CellKey, Kind
from repaircore.transactions.levels import Level

FOUND = variances_of(0.2, center=11)
MAKE = CellKey(EVERY_PROBLEM, Kind.PRICE, Level.MAKE, "honda")


def test_variances_are_set_replaced_and_removed(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.fits.save(LIVE, {7: variances_of(0.4)})
        unit.fits.save(LIVE, {7: FOUND})
        unit.fits.save(LIVE, {8: FOUND})
        unit.fits.save(LIVE, {8: None})

        assert unit.fits.variances(LIVE) == {7: FOUND}
        assert unit.fits.variances(TEST) == {}


def test_cells_are_an_environments_price_cells(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.lessons.learn(LIVE, ONE, bin=2, alpha_step=0)
        result = dict(unit.fits.cells(LIVE))
        price = {key: cell for key, cell in stored_sums(unit, LIVE).cells.items() if key.kind is Kind.PRICE}

        assert result == price
        assert dict(unit.fits.cells(TEST)) == {}


def test_shared_cells_move_with_the_center(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.lessons.learn(LIVE, ONE, bin=2, alpha_step=0)
        unit.lessons.learn(TEST, ONE, bin=2, alpha_step=0)
        before = stored_sums(unit, TEST)
        unit.fits.save(LIVE, {ONE.problem_id: FOUND})
        y = ONE.price - FOUND.center
        shared = [
            cell for key, cell in stored_sums(unit, LIVE).cells.items() if key.problem_id == EVERY_PROBLEM
        ]

        assert [(cell.w, cell.s, cell.q) for cell in shared] == [(1, y, y * y)] * 3
        assert stored_sums(unit, TEST) == before


def test_repair_without_a_fit_moves_with_the_overall_center(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        lesson = unit.lessons.learn(LIVE, ONE, bin=2, alpha_step=0)
        unit.fits.save(LIVE, {EVERY_PROBLEM: evolve(FOUND, center=500)})

        assert stored_sums(unit, LIVE).cells[MAKE].s == ONE.price - 500
        unit.fits.save(LIVE, {ONE.problem_id: FOUND})

        assert stored_sums(unit, LIVE).cells[MAKE].s == ONE.price - FOUND.center
        unit.lessons.unlearn(LIVE, lesson)

        assert stored_sums(unit, LIVE).cells == {}


@pytest.mark.parametrize("first", [{}, {ONE.problem_id: FOUND}])
def test_fits_saved_together_equal_those_saved_one_by_one(
    database: Database, first: dict[int, Variances]
) -> None:
    other = evolve(ONE, problem_id=ONE.problem_id + 1, price=ONE.price + 70)
    unfitted = evolve(ONE, problem_id=ONE.problem_id + 2, price=ONE.price - 30)
    fitted = {
        ONE.problem_id: None if first else FOUND,
        other.problem_id: evolve(FOUND, center=-40),
        EVERY_PROBLEM: evolve(FOUND, center=500),
    }
    with work.open_work(database, write=True) as unit:
        for environment in (LIVE, TEST):
            for evidence in (ONE, other, unfitted):
                unit.lessons.learn(environment, evidence, bin=2, alpha_step=0)
            unit.fits.save(environment, first)
        unit.fits.save(LIVE, fitted)
        for problem_id, found in fitted.items():
            unit.fits.save(TEST, {problem_id: found})
        moved = sum(
            evidence.price - center
            for evidence, center in ((ONE, 500 if first else FOUND.center), (other, -40), (unfitted, 500))
        )

        assert stored_sums(unit, LIVE) == stored_sums(unit, TEST)
        assert unit.fits.variances(LIVE) == unit.fits.variances(TEST)
        assert stored_sums(unit, LIVE).cells[MAKE].s == moved


def test_later_lessons_use_the_new_center(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.fits.save(LIVE, {ONE.problem_id: FOUND})
        lesson = unit.lessons.learn(LIVE, ONE, bin=2, alpha_step=0)

        assert stored_sums(unit, LIVE).cells[MAKE].s == ONE.price - FOUND.center
        unit.lessons.unlearn(LIVE, lesson)

        assert stored_sums(unit, LIVE).cells == {}


def test_mark_stores_the_invoice_count_of_a_refit(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        assert (unit.fits.invoices(LIVE), unit.fits.fitted(LIVE)) == (0, 0)
        unit.lessons.learn(LIVE, ONE, bin=2, alpha_step=0)
        unit.fits.mark(LIVE, 1)

        assert (unit.fits.invoices(LIVE), unit.fits.fitted(LIVE)) == (1, 1)
        assert (unit.fits.invoices(TEST), unit.fits.fitted(TEST)) == (0, 0)


def test_variances_are_loaded_as_stored(database: Database) -> None:
    each = Variances(
        within=0.1,
        book=0.2,
        make=0.3,
        model=0.4,
        years=0.5,
        make_index=0.6,
        model_index=0.7,
        unit=0.8,
        center=9,
        root=10,
    )

    with work.open_work(database, write=True) as unit:
        unit.fits.save(LIVE, {7: each})

        assert unit.fits.variances(LIVE) == {7: each}
        assert unit.evidence.get_variances(LIVE, 7, spread=0.3) == each
