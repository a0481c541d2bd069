"""What the ports ``Evidence`` and ``Adjustment`` promise beside the sums, on both databases."""

import sqlalchemy as sa
from tests.unit.estimates.jobs import ACCORD, problem

from repaircore.adapters.sql import work
from repaircore.adapters.sql.database import Database
from repaircore.adapters.sql.tables import variances
from repaircore.estimates.model import History
from repaircore.estimates.variances import Variances
from repaircore.kernel.callers import Environment
from repaircore.transactions.evidence import NO_LEVELS, NOTHING
from repaircore.transactions.tally import NO_ERRORS, START_ALPHA

FITTED = Variances(within=0.1 + 0.2, make=1e-300, model=1 / 3, years=0.0, center=-12_345)


def test_without_a_past_everything_is_empty(database: Database) -> None:
    with work.begin(database, write=False) as unit:
        assert unit.evidence.history(Environment.LIVE, problem(), ACCORD) == History(
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
        assert unit.evidence.variances(Environment.LIVE, 7) is None


def test_what_a_refit_found_comes_back_to_the_last_bit(database: Database) -> None:
    with work.begin(database, write=True) as unit:
        unit._connection.execute(
            sa.insert(variances).values(
                environment=Environment.LIVE,
                problem_id=7,
                within=FITTED.within,
                make=FITTED.make,
                model=FITTED.model,
                years=FITTED.years,
                center=FITTED.center,
            )
        )
    with work.begin(database, write=False) as unit:
        assert unit.evidence.variances(Environment.LIVE, 7) == FITTED
        assert unit.evidence.variances(Environment.LIVE, 8) is None
        assert unit.evidence.variances(Environment.TEST, 7) is None


def test_the_adjustment_is_nothing_before_it_is_set(database: Database) -> None:
    with work.begin(database, write=True) as unit:
        assert unit.adjustment.get() == 0.0
        for percent in (0.1 + 0.2, -90.0, 500.0):
            unit.adjustment.set(percent)
            assert unit.adjustment.get() == percent
