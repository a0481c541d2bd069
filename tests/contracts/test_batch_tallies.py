"""Which generations of errors a batch of invoices reads, on both databases."""

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Environment
from repaircore.transactions.tally import NO_ERRORS, START_ALPHA

LIVE, TEST = Environment.LIVE, Environment.TEST
SOME = NO_ERRORS.plus(3)


def test_newest_generation_and_three_with_errors_are_read(database: Database) -> None:
    stored = [
        (101, 0, SOME),
        (101, 1, SOME),
        (101, 2, SOME),
        (101, 3, NO_ERRORS),
        (101, 4, SOME),
        (101, 5, NO_ERRORS),
    ]
    with work.open_work(database, write=True) as unit:
        unit.batches.save_tallies(LIVE, [*stored, (102, 0, NO_ERRORS), (103, 7, SOME)], alpha_step=5)
        unit.batches.save_tallies(TEST, [(101, 9, SOME)], alpha_step=0)
        found = unit.batches.tallies(LIVE, [101, 102])
        alpha = (unit.batches.alpha(LIVE), unit.batches.alpha(TEST))

    assert {number: [generation for generation, _ in read] for number, read in found.items()} == {
        101: [5, 4, 2, 1],
        102: [0],
    }
    assert found[101][0] == (5, NO_ERRORS)
    assert found[101][1] == (4, SOME)
    assert alpha == (START_ALPHA + 5, START_ALPHA)


def test_saved_generation_replaces_its_row(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.batches.save_tallies(LIVE, [(101, 0, SOME)], alpha_step=0)
        unit.batches.save_tallies(LIVE, [(101, 0, SOME.plus(4))], alpha_step=0)
        unit.batches.save_tallies(LIVE, [], alpha_step=2)

        assert unit.batches.tallies(LIVE, [101]) == {101: [(0, SOME.plus(4))]}
        assert unit.batches.alpha(LIVE) == START_ALPHA + 2
