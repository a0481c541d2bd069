"""What the port ``Descriptions`` promises, on both databases."""

from datetime import timedelta

import pytest
from attrs import evolve
from tests.contracts.conftest import NOW

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.book.model import Description
from repaircore.kernel.callers import Environment

LIVE, TEST = Environment.LIVE, Environment.TEST
ONE = Description(
    problem_id=101,
    edition="e1",
    text="Ü, „plain“ text; 5% 'quoted'.",
    generated_by="openai",
    generated_at=NOW,
)
OTHER = evolve(ONE, text="Another text.", generated_by="anthropic", generated_at=NOW + timedelta(seconds=1))


def kept(database: Database, environment: Environment = LIVE, problem_id: int = 101) -> Description | None:
    with work.open_work(database, write=False) as unit:
        return unit.descriptions.find(environment, problem_id)


def keep(
    database: Database,
    description: Description,
    *,
    environment: Environment = LIVE,
    replaces: Description | None = None,
) -> Description:
    with work.open_work(database, write=True) as unit:
        return unit.descriptions.save(environment, description, replaces=replaces)


def test_nothing_is_stored_at_first(database: Database) -> None:
    assert kept(database) is None
    assert kept(database, problem_id=2**31) is None


def test_description_is_loaded_as_stored(database: Database) -> None:
    assert keep(database, ONE) == ONE
    assert kept(database) == ONE


def test_first_of_two_stays(database: Database) -> None:
    keep(database, ONE)

    assert keep(database, OTHER) == ONE
    assert kept(database) == ONE


def test_description_takes_the_place_of_the_one_that_it_was_written_for(database: Database) -> None:
    keep(database, ONE)

    assert keep(database, OTHER, replaces=ONE) == OTHER
    assert kept(database) == OTHER


def test_description_does_not_replace_a_concurrent_one(database: Database) -> None:
    keep(database, ONE)
    keep(database, OTHER, replaces=ONE)
    late = evolve(ONE, edition="e2", generated_at=NOW + timedelta(seconds=2))

    assert keep(database, late, replaces=ONE) == OTHER
    assert kept(database) == OTHER


def test_environments_and_repairs_are_separate(database: Database) -> None:
    keep(database, ONE)
    keep(database, OTHER, environment=TEST)

    assert (kept(database), kept(database, TEST), kept(database, LIVE, 102)) == (ONE, OTHER, None)


def test_failed_unit_leaves_nothing(database: Database) -> None:
    def fail() -> None:
        with work.open_work(database, write=True) as unit:
            unit.descriptions.save(LIVE, ONE, replaces=None)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert kept(database) is None
