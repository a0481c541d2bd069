"""The contract of the ports ``Evidence`` and ``Adjustment`` besides the sums, on both databases."""

from attrs import evolve
from tests.contracts.test_lessons import ONE
from tests.unit.pricing.jobs import ACCORD, problem

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Environment
from repaircore.pricing.drift import drift, rate_drift
from repaircore.pricing.places import PlaceCells
from repaircore.pricing.variances import Variances, variances_of
from repaircore.transactions.evidence import (
    EVERY_PROBLEM,
    NO_LEVELS,
    NOTHING,
    Cell,
    Evidence,
    History,
    Place,
    PlaceEvidence,
)
from repaircore.transactions.tally import NO_ERRORS, START_ALPHA

FITTED = Variances(
    within=0.1 + 0.2,
    book=1e-5,
    make=1e-300,
    model=1 / 3,
    years=0.0,
    make_index=0.7,
    model_index=2 / 3,
    unit=0.1,
    center=-12_345,
    root=-77,
)


def test_history_is_empty_without_invoices(database: Database) -> None:
    with work.open_work(database, write=False) as unit:
        assert unit.evidence.get_history(Environment.LIVE, problem(), ACCORD) == History(
            lineage=ACCORD,
            price=NO_LEVELS,
            hours=NO_LEVELS,
            share=NOTHING,
            shared=NO_LEVELS,
            parts={},
            errors=NO_ERRORS,
            errors_of_all=NO_ERRORS,
            alpha=START_ALPHA,
        )
        assert unit.evidence.get_variances(Environment.LIVE, 7, spread=0.3) == variances_of(0.3)


def test_fitted_variances_are_loaded_exactly(database: Database) -> None:
    of_all = evolve(variances_of(1.0), root=1_000, center=1_000)
    with work.open_work(database, write=True) as unit:
        unit.fits.save(Environment.LIVE, {7: FITTED})
        unit.fits.save(Environment.LIVE, {EVERY_PROBLEM: of_all})
    with work.open_work(database, write=False) as unit:
        find = unit.evidence.get_variances

        assert find(Environment.LIVE, 7, spread=0.3) == FITTED
        assert find(Environment.LIVE, 8, spread=0.3) == of_all.of_spread(0.3)
        assert find(Environment.TEST, 7, spread=0.3) == variances_of(0.3)


def test_place_cells_merge_the_shops_at_one_place(database: Database) -> None:
    def of(shop: int, rate: int) -> Evidence:
        place = Place(state="NV", area="895", shop=shop)
        here = PlaceEvidence(
            place=place, rate=rate, rate_off_table=rate - 5, parts=7, hours=None, rate_drift=3
        )
        return evolve(ONE, here=here, month="2026-03", drift=11)

    with work.open_work(database, write=True) as unit:
        lessons = [
            unit.lessons.learn(Environment.LIVE, one, bin=2, alpha_step=0) for one in (of(1, 10), of(2, 30))
        ]
        found = unit.evidence.get_place_cells(Environment.LIVE, Place(state="NV", area="895", shop=1), [1, 2])

        assert found == PlaceCells(
            rate_drift=rate_drift([("2026-03", Cell(2, 6, 18))]),
            rate_country=Cell(2, 30, 25 + 625),
            rate_state=Cell(2, 30, 25 + 625),
            rate_area=Cell(2, 40, 1_000),
            rate_shop=Cell(2, 40, 1_000),
            parts_country=Cell(2, 14, 98),
            parts_state=Cell(2, 14, 98),
            parts_shop=Cell(2, 14, 98),
        )
        alone = unit.evidence.get_place_cells(Environment.LIVE, Place(state="NV", area="895", shop=1), [1])

        assert alone.rate_shop == Cell(1, 10, 100)
        assert unit.evidence.get_history(Environment.LIVE, problem(), ONE.lineage).drift == drift(
            [("2026-03", Cell(2, 22, 242))]
        )
        for lesson in lessons:
            unit.lessons.unlearn(Environment.LIVE, lesson)

        assert (
            unit.evidence.get_place_cells(Environment.LIVE, Place(state="NV", area="895"), [1, 2])
            == PlaceCells()
        )


def test_shop_without_a_state_does_not_count_for_the_country(database: Database) -> None:
    known, unknown = Place(state="NV", area="895", shop=1), Place(shop=2)
    with work.open_work(database, write=True) as unit:
        for place, parts in ((known, 7), (unknown, 9)):
            here = PlaceEvidence(place=place, parts=parts, hours=parts + 1)
            unit.lessons.learn(Environment.LIVE, evolve(ONE, here=here), bin=2, alpha_step=0)

        assert unit.evidence.get_place_cells(Environment.LIVE, known, [1]).parts_country == Cell(1, 7, 49)
        assert unit.evidence.get_place_cells(Environment.LIVE, unknown, [2]) == PlaceCells(
            parts_shop=Cell(1, 9, 81), hours_shop=Cell(1, 10, 100)
        )


def test_drift_is_computed_by_month(database: Database) -> None:
    months = ["2024-01", "2025-02", "2025-03", "2025-07", "2025-08", "2025-09", "2026-01"]
    with work.open_work(database, write=True) as unit:
        for month in months:
            for _ in range(9):
                one = evolve(ONE, month=month, drift=2_000)
                unit.lessons.learn(Environment.LIVE, one, bin=2, alpha_step=0)
        found = unit.evidence.get_history(Environment.LIVE, problem(), ONE.lineage).drift

        assert found == drift([(month, Cell(9, 18_000, 36_000_000)) for month in reversed(months)])
        assert found > 0.005
        assert unit.evidence.get_history(Environment.TEST, problem(), ONE.lineage).drift == 0


def test_adjustment_is_zero_until_it_is_set(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        assert unit.adjustment.get() == 0.0
        for percent in (0.1 + 0.2, -90.0, 500.0):
            unit.adjustment.set(percent)

            assert unit.adjustment.get() == percent
