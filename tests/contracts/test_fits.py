"""What the port ``Fits`` promises, on both databases."""

import sqlalchemy as sa
from tests.contracts.test_lessons import LIVE, ONE, TEST, kept

from repaircore.adapters.sql import work
from repaircore.adapters.sql.database import Database
from repaircore.adapters.sql.tables import cells
from repaircore.estimates.refit import Refit
from repaircore.estimates.variances import variances_of
from repaircore.transactions.evidence import EVERY_PROBLEM, Cell, CellKey, Kind, Level

FOUND = Refit(
    variances={7: variances_of(0.2, center=11), 8: variances_of(0.4)},
    shared={CellKey(EVERY_PROBLEM, Kind.PRICE, Level.MAKE, "honda"): Cell(1, -16, 256)},
)


def test_what_is_kept_takes_the_place_of_what_was(database: Database) -> None:
    with work.begin(database, write=True) as unit:
        unit.lessons.learn(LIVE, ONE, bin=2, alpha_step=0)
        unit.lessons.learn(TEST, ONE, bin=2, alpha_step=0)
        before = kept(unit, LIVE), kept(unit, TEST)
        unit.fits.keep(LIVE, Refit(variances={9: variances_of(0.1)}, shared={}))
        unit.fits.keep(LIVE, FOUND)
        assert unit.fits.variances(LIVE) == FOUND.variances
        assert unit.fits.variances(TEST) == {}
        own = {key: cell for key, cell in before[0].cells.items() if key.problem_id != EVERY_PROBLEM}
        assert kept(unit, LIVE).cells == {**own, **FOUND.shared}
        assert kept(unit, TEST) == before[1]


def test_the_price_cells_of_an_environment_are_given(database: Database) -> None:
    with work.begin(database, write=True) as unit:
        unit.lessons.learn(LIVE, ONE, bin=2, alpha_step=0)
        told = dict(unit.fits.cells(LIVE))
        price = {key: cell for key, cell in kept(unit, LIVE).cells.items() if key.kind is Kind.PRICE}
        assert told == price
        assert dict(unit.fits.cells(TEST)) == {}


def test_what_is_learned_later_goes_by_the_new_center(database: Database) -> None:
    with work.begin(database, write=True) as unit:
        unit.fits.keep(LIVE, Refit(variances=FOUND.variances, shared={}))
        lesson = unit.lessons.learn(LIVE, ONE, bin=2, alpha_step=0)
        shared = sa.select(cells.c.s).where(cells.c.problem_id == EVERY_PROBLEM).distinct()
        assert unit._connection.execute(shared).scalars().all() == [ONE.price - 11]
        unit.lessons.unlearn(LIVE, lesson)
        assert kept(unit, LIVE).cells == {}
