"""The contract of the port ``Descriptions``, on both databases."""

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


def find(database: Database, environment: Environment = LIVE, problem_id: int = 101) -> Description | None:
    with work.open_work(database, write=False) as unit:
        return unit.descriptions.find(environment, problem_id)


def save(
    database: Database,
    description: Description,
    *,
    environment: Environment = LIVE,
    replaces: Description | None = None,
) -> Description:
    with work.open_work(database, write=True) as unit:
        return unit.descriptions.save(environment, description, replaces=replaces)


def test_nothing_is_stored_at_first(database: Database) -> None:
    assert find(database) is None
    assert find(database, problem_id=2**31) is None


def test_description_is_loaded_as_stored(database: Database) -> None:
    assert save(database, ONE) == ONE
    assert find(database) == ONE


def test_first_of_two_descriptions_stays(database: Database) -> None:
    save(database, ONE)

    assert save(database, OTHER) == ONE
    assert find(database) == ONE


def test_description_replaces_the_one_it_names(database: Database) -> None:
    save(database, ONE)

    assert save(database, OTHER, replaces=ONE) == OTHER
    assert find(database) == OTHER


def test_description_does_not_replace_a_concurrent_one(database: Database) -> None:
    save(database, ONE)
    save(database, OTHER, replaces=ONE)
    late = evolve(ONE, edition="e2", generated_at=NOW + timedelta(seconds=2))

    assert save(database, late, replaces=ONE) == OTHER
    assert find(database) == OTHER


def test_environments_and_repairs_are_separate(database: Database) -> None:
    save(database, ONE)
    save(database, OTHER, environment=TEST)

    assert (find(database), find(database, TEST), find(database, LIVE, 102)) == (ONE, OTHER, None)


def test_rolled_back_save_stores_nothing(database: Database) -> None:
    def fail() -> None:
        with work.open_work(database, write=True) as unit:
            unit.descriptions.save(LIVE, ONE, replaces=None)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert find(database) is None
