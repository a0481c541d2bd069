"""The contract of the port ``Samples``, on both databases."""

from collections.abc import Mapping

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Environment
from repaircore.transactions.evidence import Evidence, Lineage
from repaircore.transactions.model import Lesson

LIVE, TEST = Environment.LIVE, Environment.TEST


def learn(database: Database, problem_id: int, make: str, *, environment: Environment = LIVE) -> Lesson:
    lineage = Lineage(make=make, model="M", year=2015)
    evidence = Evidence(problem_id=problem_id, lineage=lineage, price=1, hours=1, share=1)
    with work.open_work(database, write=True) as unit:
        return unit.lessons.learn(environment, evidence, bin=3, alpha_step=0)


def counts(database: Database, environment: Environment = LIVE) -> Mapping[int, int]:
    with work.open_work(database, write=False) as unit:
        return unit.samples.counts(environment)


def test_nothing_is_counted_at_first(database: Database) -> None:
    assert counts(database) == {}


def test_invoices_are_counted_once_for_each_repair(database: Database) -> None:
    for problem_id, make in ((101, "Honda"), (101, "Ford"), (101, "Honda"), (205, "Honda")):
        learn(database, problem_id, make)

    assert counts(database) == {101: 3, 205: 1}


def test_environments_are_separate(database: Database) -> None:
    learn(database, 101, "Honda", environment=TEST)

    assert counts(database) == {}
    assert counts(database, TEST) == {101: 1}


def test_removed_invoices_are_not_counted(database: Database) -> None:
    lesson = learn(database, 101, "Honda")
    with work.open_work(database, write=True) as unit:
        unit.lessons.unlearn(LIVE, lesson)

    assert counts(database) == {}
