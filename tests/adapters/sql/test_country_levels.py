"""Migration 0014 adds the states' price levels up, on both databases."""

from collections.abc import Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve

from repaircore.adapters.sql.engine.storage import Storage
from repaircore.adapters.sql.schema.learning import cells
from repaircore.kernel.callers import Environment
from repaircore.transactions.evidence import Evidence, Level, Lineage, Place, PlaceEvidence

BEFORE = "0013"
ONE = Evidence(
    problem_id=101, lineage=Lineage(make="Honda", model="Accord", year=2012), price=5, hours=3, share=2
)


def _levels(storage: Storage) -> Sequence[Any]:
    query = sa.select(cells).where(cells.c.level == Level.COUNTRY).order_by(*cells.primary_key.columns)
    with storage.database.transaction(write=False) as connection:
        return connection.execute(query).all()


@pytest.fixture
def storage(empty_url: str) -> Any:
    made = Storage(empty_url)
    made.upgrade()
    yield made
    made.close()


def test_the_country_is_what_learning_makes_it_and_an_invoice_can_be_taken_out(storage: Storage) -> None:
    places = Place(state="NV", area="895", shop=1), Place(state="CA", area="902"), Place(shop=2)
    taught = [
        (environment, evolve(ONE, here=PlaceEvidence(place=place, parts=7 + number, hours=-number)))
        for environment in Environment
        for number, place in enumerate(places)
    ]
    with storage.transaction() as work:
        lessons = [(of, work.lessons.learn(of, one, bin=2, alpha_step=0)) for of, one in taught]
    learned = _levels(storage)
    assert len(learned) == 4
    storage.downgrade(BEFORE)
    assert _levels(storage) == []
    storage.upgrade()
    assert _levels(storage) == learned
    with storage.transaction() as work:
        for environment, lesson in lessons:
            work.lessons.unlearn(environment, lesson)
    assert _levels(storage) == []


def test_a_history_without_price_levels_has_none_of_the_country(storage: Storage) -> None:
    storage.downgrade(BEFORE)
    storage.upgrade()
    assert _levels(storage) == []
