"""The contract of the port ``PriorRecords``, and how evidence uses a prior, on both databases."""

from attrs import evolve
from tests.contracts.test_lessons import LIVE, ONE, TEST, stored_sums
from tests.unit.pricing.jobs import ACCORD, problem

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.pricing.places import PlaceCells
from repaircore.pricing.priors import Prior, PriorFit, PriorStanding, with_prior
from repaircore.pricing.variances import variances_of
from repaircore.transactions.evidence import (
    EVERY_PROBLEM,
    Cell,
    CellKey,
    History,
    Kind,
    Levels,
    Place,
    PlaceEvidence,
    part_key,
)
from repaircore.transactions.levels import Level

PADS = problem(parts=[("Pad set", 1, 65_00)])
NUMBER, PAD_SET = PADS.id, part_key(PADS.parts[0].name)
FOUND, OF_ALL = variances_of(0.2, center=11), variances_of(1.5, center=70)
PROBLEM = Cell(90, 900, 9_000)
CELLS = {
    CellKey(NUMBER, Kind.PRICE, Level.PROBLEM, ""): PROBLEM,
    CellKey(NUMBER, Kind.PRICE, Level.MAKE, "honda"): Cell(30, 600, 12_000),
    CellKey(NUMBER, Kind.HOURS, Level.PROBLEM, ""): Cell(80, 160, 320),
    CellKey(NUMBER, Kind.SHARE, Level.PROBLEM, ""): Cell(50, 2_500_000, 125_000_000_000),
    CellKey(NUMBER, Kind.PART, Level.PROBLEM, PAD_SET): Cell(10, 100, 1_000),
    CellKey(EVERY_PROBLEM, Kind.PRICE, Level.PROBLEM, ""): Cell(200, 0, 0),
    CellKey(EVERY_PROBLEM, Kind.PRICE, Level.MAKE, "honda"): Cell(60, 6_000, 600_000),
    CellKey(EVERY_PROBLEM, Kind.RATE, Level.COUNTRY, ""): Cell(100, 1_000, 10_000),
    CellKey(EVERY_PROBLEM, Kind.RATE, Level.STATE, "NV"): Cell(10, 500, 25_000),
}
FITS = {EVERY_PROBLEM: OF_ALL, NUMBER: FOUND}


def test_prior_is_empty_by_default(database: Database) -> None:
    with work.open_work(database, write=False) as unit:
        assert unit.priors.standing(LIVE) is None
        assert unit.priors.weight(LIVE) == 0
        assert unit.priors.fits(LIVE) == {}
        assert unit.priors.centers(LIVE) == {}


def test_prior_is_stored_replaced_and_removed(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.priors.replace(LIVE, FITS, CELLS, weight=20)

        assert unit.priors.standing(LIVE) == PriorStanding(weight=20, repairs=1, cells=9)
        assert unit.priors.fits(LIVE) == {
            EVERY_PROBLEM: PriorFit(variances=OF_ALL),
            NUMBER: PriorFit(variances=FOUND, cell=Cell(20, 200, 2_000)),
        }
        assert unit.priors.centers(LIVE) == {EVERY_PROBLEM: 70, NUMBER: 11}
        assert unit.priors.standing(TEST) is None

        unit.priors.replace(TEST, FITS, CELLS, weight=5)
        unit.priors.replace(LIVE, {EVERY_PROBLEM: FOUND}, {}, weight=7)

        assert unit.priors.standing(LIVE) == PriorStanding(weight=7, repairs=0, cells=0)
        unit.priors.replace(LIVE, {}, {}, weight=0)

        assert unit.priors.standing(LIVE) is None
        assert unit.priors.standing(TEST) == PriorStanding(weight=5, repairs=1, cells=9)


def test_history_uses_the_prior(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        before = unit.evidence.get_history(LIVE, PADS, ACCORD)
        unit.priors.replace(LIVE, FITS, CELLS, weight=20)
    with work.open_work(database, write=False) as unit:
        found = unit.evidence.get_history(LIVE, PADS, ACCORD)

        assert isinstance(before, History)
        assert found == with_prior(
            before,
            Prior(
                weight=20,
                center=11,
                price=Levels(problem=PROBLEM, make=Cell(30, 600, 12_000)),
                shared=Levels(problem=Cell(200, 0, 0), make=Cell(60, 6_000, 600_000)),
                hours=Levels(problem=Cell(80, 160, 320)),
                share=Cell(50, 2_500_000, 125_000_000_000),
                parts={PAD_SET: Cell(10, 100, 1_000)},
            ),
        )
        assert found.price == before.price
        assert found.prior.make == Cell(20, 400, 8_000)
        assert unit.evidence.get_history(TEST, PADS, ACCORD) == before


def test_rates_of_a_place_use_the_prior(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.priors.replace(LIVE, FITS, CELLS, weight=20)

        assert unit.evidence.get_place_cells(LIVE, Place(state="NV", area="895"), [1]) == PlaceCells(
            taken_country=Cell(20, 200, 2_000), taken_state=Cell(10, 500, 25_000)
        )
        assert unit.evidence.get_place_cells(LIVE, Place(state="OH"), []).taken_state == Cell()
        assert unit.evidence.get_place_cells(TEST, Place(state="NV"), []) == PlaceCells()


def test_batches_find_the_prior_by_the_same_keys(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.priors.replace(LIVE, FITS, CELLS, weight=20)
        wanted = {(NUMBER, "price", "make", "honda"), (NUMBER, "price", "make", "ford")}

        assert unit.batches.prior_cells(LIVE, wanted) == {
            (NUMBER, "price", "make", "honda"): Cell(30, 600, 12_000)
        }
        assert unit.batches.prior_cells(TEST, wanted) == {}
        assert unit.batches.cells(LIVE, wanted) == {}


def test_unlearning_is_exact_after_a_new_prior(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        before = stored_sums(unit, LIVE)
        lesson = unit.lessons.learn(LIVE, ONE, bin=2, alpha_step=5)
        unit.priors.replace(LIVE, FITS, CELLS, weight=20)
        unit.fits.save(LIVE, {ONE.problem_id: FOUND})
        unit.lessons.unlearn(LIVE, lesson)
        after = stored_sums(unit, LIVE)

        assert (after.cells, after.alpha) == (before.cells, before.alpha)


def test_learned_cells_omit_months_areas_and_shops(database: Database) -> None:
    here = PlaceEvidence(
        place=Place(state="NV", area="895", shop=7),
        rate=10,
        rate_off_table=11,
        parts=12,
        hours=13,
        rate_drift=14,
    )
    with work.open_work(database, write=True) as unit:
        unit.lessons.learn(LIVE, evolve(ONE, here=here, month="2026-01", drift=9), bin=2, alpha_step=0)
        result = dict(unit.priors.learned(LIVE))

        assert result
        assert not {key.level for key in result} & {Level.AREA, Level.SHOP}
        assert not {key.kind for key in result} & {Kind.DRIFT, Kind.RATE_DRIFT}
        assert result[CellKey(EVERY_PROBLEM, Kind.RATE, Level.STATE, "NV")] == Cell(1, 10, 100)
        assert result.items() <= stored_sums(unit, LIVE).cells.items()
        assert dict(unit.priors.learned(TEST)) == {}
        assert unit.priors.drifts(TEST) == (0.0, 0.0)
        assert [*unit.priors.repaired(TEST)] == []
