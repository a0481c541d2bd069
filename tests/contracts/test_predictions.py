"""The contract of the ports ``Predictions`` and ``Memory`` together, on both databases."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from attrs import evolve
from tests.contracts.conftest import NOW
from tests.threads import at_once
from tests.writes import rows

from repaircore.adapters.fast_path.driver import Driver
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.prediction_cache import SqlPredictionCache
from repaircore.adapters.sql.predictions import EXPIRED_DELETED_AT_ONCE
from repaircore.kernel.callers import Environment
from repaircore.predictions.model import Answer, CachedAnswer, Figures, Question
from repaircore.testing.builders import a_vehicle, some_figures
from repaircore.testing.ids import CountingIds

QUESTION = Question(
    environment=Environment.LIVE,
    vehicle_key="1HGCV1F34JA",
    problem_id=101,
    zip_code="43004",
    mileage_band=None,
)
LIFE = timedelta(days=3)
ADA, EVE = 1, 2
FIGURES = some_figures()
new_id = CountingIds()


@pytest.fixture(autouse=True)
def _add_vehicle(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.vehicles.add(a_vehicle())


def store_answer(
    database: Database, question: Question = QUESTION, figures: Figures = FIGURES, at: datetime = NOW
) -> UUID:
    with work.open_work(database, write=True) as unit:
        return unit.predictions.store(question, answer(figures, at)).id


def answer(figures: Figures = FIGURES, at: datetime = NOW) -> Answer:
    return Answer(id=new_id(), figures=figures, computed_at=at, expires_at=at + LIFE)


def add(database: Database, answer_id: UUID, owner_id: int = ADA, question: Question = QUESTION) -> UUID:
    with work.open_work(database, write=True) as unit:
        return unit.predictions.add_session(
            session_id=new_id(),
            answer_id=answer_id,
            question=question,
            figures=some_figures(),
            owner_id=owner_id,
            vin=None,
            mileage=None,
            at=NOW,
        )


def find_cached(
    driver: Driver, question: Question = QUESTION, owner_id: int = ADA, now: datetime = NOW
) -> CachedAnswer | None:
    return SqlPredictionCache(driver).find(question, owner_id=owner_id, now=now)


ODD = some_figures(
    warnings=("one", "two"),
    red_flag=True,
    red_flag_reason="AI $1,200 against $240 “far” ✓",
    ai_average=None,
    match=None,
    model_a=evolve(some_figures().model_a, average=None, match=None, unavailable_reason="timed out"),
    partial=True,
)


@pytest.mark.parametrize("figures", [some_figures(), ODD])
def test_answer_is_loaded_as_stored(database: Database, driver: Driver, figures: Figures) -> None:
    remembered_id = store_answer(database, figures=figures)
    assert find_cached(driver) == CachedAnswer(
        id=remembered_id,
        figures=figures,
        computed_at=NOW,
        expires_at=NOW + LIFE,
        session_id=None,
        adjusted=figures,
    )


def test_expired_answer_is_not_found(database: Database, driver: Driver) -> None:
    assert find_cached(driver) is None
    store_answer(database)
    assert find_cached(driver, now=NOW + LIFE - timedelta(microseconds=1)) is not None
    assert find_cached(driver, now=NOW + LIFE) is None


@pytest.mark.parametrize(
    "other",
    [
        evolve(QUESTION, environment=Environment.TEST),
        evolve(QUESTION, vehicle_key="1HGCV1F35JA"),
        evolve(QUESTION, problem_id=102),
        evolve(QUESTION, zip_code="43005"),
        evolve(QUESTION, mileage_band=0),
    ],
)
def test_another_question_has_another_answer(database: Database, driver: Driver, other: Question) -> None:
    store_answer(database)
    assert find_cached(driver, other) is None
    theirs = store_answer(database, other, ODD)
    assert find_cached(driver, other) == find_cached(driver, other, owner_id=EVE)
    found = find_cached(driver, other)
    assert found is not None
    assert (found.id, found.figures) == (theirs, ODD)


def test_new_answer_replaces_an_expired_one_and_has_no_session(
    database: Database, driver: Driver, database_url: str
) -> None:
    add(database, store_answer(database))
    newer = store_answer(database, figures=ODD, at=NOW + LIFE)
    found = find_cached(driver, now=NOW + LIFE)
    assert found is not None
    assert (found.id, found.session_id, found.figures) == (newer, None, ODD)
    assert (rows(database_url)["remembered"], rows(database_url)["predictions"]) == (1, 1)


def test_earlier_of_two_answers_stays_until_it_expires(database: Database) -> None:
    first, second = answer(), answer(ODD, NOW + LIFE - timedelta(microseconds=1))
    with work.open_work(database, write=True) as unit:
        assert unit.predictions.store(QUESTION, first) == first
        assert unit.predictions.store(QUESTION, second) == first


def test_concurrent_callers_all_get_the_first_answer(
    database: Database, driver: Driver, database_url: str
) -> None:
    def store_mine() -> Answer:
        mine = answer()
        with work.open_work(database, write=True) as unit:
            return unit.predictions.store(QUESTION, mine)

    stored = at_once(8, store_mine)
    found = find_cached(driver)
    assert found is not None
    assert {one.id for one in stored} == {found.id}
    assert rows(database_url)["remembered"] == 1


def test_store_deletes_some_expired_answers(database: Database, database_url: str) -> None:
    for number in range(EXPIRED_DELETED_AT_ONCE + 2):
        store_answer(database, evolve(QUESTION, mileage_band=number))
    store_answer(database, at=NOW + LIFE - timedelta(microseconds=1))
    assert rows(database_url)["remembered"] == EXPIRED_DELETED_AT_ONCE + 3
    store_answer(database, evolve(QUESTION, problem_id=102), at=NOW + LIFE)
    assert rows(database_url)["remembered"] == 4


def test_each_owner_has_one_session_per_answer(database: Database, driver: Driver) -> None:
    remembered_id = store_answer(database)
    first = add(database, remembered_id)
    assert add(database, remembered_id) == first
    assert add(database, remembered_id, EVE) != first
    found = find_cached(driver)
    assert found is not None
    assert found.session_id == first


def test_concurrent_requests_of_an_owner_share_a_session(database: Database, database_url: str) -> None:
    remembered_id = store_answer(database)
    assert len(set(at_once(6, lambda: add(database, remembered_id)))) == 1
    assert rows(database_url)["predictions"] == 1


def test_adjustment_changes_the_answer_but_not_what_is_stored(database: Database, driver: Driver) -> None:
    store_answer(database)
    cache = SqlPredictionCache(driver)
    for percent in (12.5, -90.0, 0.0):
        with work.open_work(database, write=True) as unit:
            unit.adjustment.set(percent)
            assert unit.adjustment.get() == percent
        found = cache.find(QUESTION, owner_id=ADA, now=NOW)
        assert found is not None
        assert (found.adjusted, found.figures) == (FIGURES.adjusted(percent), FIGURES)


def test_cache_tells_callers_and_adjustments_of_one_answer_apart(database: Database, driver: Driver) -> None:
    remembered_id = store_answer(database)
    cache = SqlPredictionCache(driver)
    sessions = {owner: add(database, remembered_id, owner) for owner in (ADA, EVE)}
    found = []
    for percent in (0.0, 10.0):
        with work.open_work(database, write=True) as unit:
            unit.adjustment.set(percent)
        found += [
            (owner, percent, cache.find(QUESTION, owner_id=owner, now=NOW)) for owner in (ADA, ADA, EVE, ADA)
        ]

    for owner, percent, cached in found:
        assert cached is not None
        assert (cached.session_id, cached.adjusted) == (sessions[owner], FIGURES.adjusted(percent))


def test_rolled_back_store_leaves_nothing(database: Database, driver: Driver) -> None:
    def fail() -> None:
        with work.open_work(database, write=True) as unit:
            unit.predictions.store(QUESTION, answer())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert find_cached(driver) is None
