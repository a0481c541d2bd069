"""The contract of the ports ``PastPredictionRecords`` and ``RatingRecords``, on both databases."""

import threading
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest
import sqlalchemy as sa
from attrs import evolve

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.predictions import opinions
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import PageRequest
from repaircore.predictions.model import Answer, Question
from repaircore.predictions.past_predictions import ALL_PREDICTIONS, HistoryFilter, Rating
from repaircore.testing.builders import a_vehicle, some_figures

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
LIVE, TEST = Environment.LIVE, Environment.TEST


def add_prediction(
    database: Database,
    number: int,
    *,
    owner_id: int = 1,
    environment: Environment = LIVE,
    red_flag: bool = False,
) -> UUID:
    question = Question(
        environment=environment, vehicle_key="x", problem_id=101, zip_code="90210", mileage_band=None
    )
    figures = evolve(some_figures(), red_flag=red_flag)
    with work.open_work(database, write=True) as unit:
        unit.vehicles.add(a_vehicle())
        return unit.predictions.add_session(
            session_id=UUID(int=number),
            answer_id=UUID(int=number),
            question=question,
            figures=figures,
            owner_id=owner_id,
            vin="1HGCM82633A",
            mileage=None,
            at=NOW,
        )


def prediction_id(database: Database, session_id: UUID) -> int:
    with work.open_work(database, write=False) as unit:
        found = unit.past_predictions.find(session_id, environment=LIVE, owner_id=None)

    assert found is not None
    return found.id


@pytest.mark.parametrize("per_page", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("owner_id", [1, 2, None])
def test_pages_follow_one_another_without_a_gap(
    database: Database, per_page: int, owner_id: int | None
) -> None:
    for number in range(1, 9):
        add_prediction(database, number, owner_id=1 + number % 3 // 2)
        add_prediction(database, 100 + number, environment=TEST)
    with work.open_work(database, write=False) as unit:
        pages = [
            unit.past_predictions.page(
                environment=LIVE,
                owner_id=owner_id,
                request=PageRequest(number=number, per_page=per_page),
                wanted=ALL_PREDICTIONS,
            )
            for number in range(1, 10)
        ]
    found = [entry.session_id.int for page in pages for entry in page]

    assert found == [n for n in range(8, 0, -1) if owner_id in {None, 1 + n % 3 // 2}]
    assert {page.total for page in pages} == {len(found)}


def test_list_red_flags_returns_the_newest(database: Database) -> None:
    for number in range(1, 9):
        add_prediction(database, number, owner_id=number % 2, red_flag=number > 2)
    with work.open_work(database, write=False) as unit:
        listed = {
            owner_id: [
                entry.session_id.int
                for entry in unit.past_predictions.list_red_flags(
                    environment=LIVE, owner_id=owner_id, limit=3
                )
            ]
            for owner_id in (None, 0, 1)
        }

    assert listed == {None: [8, 7, 6], 0: [8, 6, 4], 1: [7, 5, 3]}


@pytest.mark.parametrize("owner_id", [1, 2, None])
@pytest.mark.parametrize("limit", [1, 3, 100])
def test_list_continues_before_an_id(database: Database, owner_id: int | None, limit: int) -> None:
    for number in range(1, 9):
        add_prediction(database, number, owner_id=1 + number % 2)
        add_prediction(database, 100 + number, environment=TEST)
    found: list[int] = []
    before_id: int | None = None
    with work.open_work(database, write=False) as unit:
        while entries := unit.past_predictions.list_before(
            before_id, environment=LIVE, owner_id=owner_id, wanted=ALL_PREDICTIONS, limit=limit
        ):
            found += [entry.session_id.int for entry in entries]
            before_id = entries[-1].id

    assert found == [number for number in range(8, 0, -1) if owner_id in {None, 1 + number % 2}]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (ALL_PREDICTIONS, [3, 2, 1]),
        (HistoryFilter(red_flag=True), [2]),
        (HistoryFilter(red_flag=False), [3, 1]),
        (HistoryFilter(vehicle="honda"), [3, 2, 1]),
        (HistoryFilter(vehicle="HONDA accord 2018"), [3, 2, 1]),
        (HistoryFilter(vehicle="1hgcm8"), [3, 2, 1]),
        (HistoryFilter(vehicle="hgcm8"), []),
        (HistoryFilter(vehicle="honda 1999"), []),
        (HistoryFilter(vehicle="%"), [3, 2, 1]),
        (HistoryFilter(vehicle="h%a"), []),
        (HistoryFilter(problem="brake PADS"), [3, 2, 1]),
        (HistoryFilter(problem="br_ke"), []),
        (HistoryFilter(date_from=NOW.date(), date_to=NOW.date()), [3, 2, 1]),
        (HistoryFilter(date_from=NOW.date() + timedelta(days=1)), []),
        (HistoryFilter(date_to=NOW.date() - timedelta(days=1)), []),
        (HistoryFilter(date_from=date.min, date_to=date.max), [3, 2, 1]),
    ],
)
def test_filter_applies_to_pages_and_lists(
    database: Database, wanted: HistoryFilter, found: list[int]
) -> None:
    for number in range(1, 4):
        add_prediction(database, number, red_flag=number == 2)
    with work.open_work(database, write=False) as unit:
        page = unit.past_predictions.page(
            environment=LIVE, owner_id=1, request=PageRequest(number=1, per_page=10), wanted=wanted
        )
        listed = unit.past_predictions.list_before(
            None, environment=LIVE, owner_id=1, wanted=wanted, limit=10
        )

    assert [entry.session_id.int for entry in page] == found
    assert [entry.session_id.int for entry in listed] == found
    assert page.total == len(found)


def test_session_of_others_is_hidden(database: Database) -> None:
    session_id = add_prediction(database, 1, owner_id=1)
    with work.open_work(database, write=False) as unit:
        seen = {
            (environment, owner_id)
            for environment in (LIVE, TEST)
            for owner_id in (1, 2, None)
            if unit.past_predictions.find(session_id, environment=environment, owner_id=owner_id)
        }

    assert seen == {(LIVE, 1), (LIVE, None)}


def test_find_record_has_the_answer_while_it_is_stored(database: Database) -> None:
    question = Question(
        environment=LIVE, vehicle_key="1HGCM82633A", problem_id=101, zip_code="90210", mileage_band=None
    )
    answer = Answer(
        id=UUID(int=7), figures=some_figures(), computed_at=NOW, expires_at=NOW + timedelta(days=3)
    )
    with work.open_work(database, write=True) as unit:
        unit.predictions.store(question, answer)
    session_id = add_prediction(database, 7)
    with work.open_work(database, write=False) as unit:
        query = unit.past_predictions.find_record(session_id, environment=LIVE, owner_id=1)

    assert query is not None
    assert (query.vin, query.zip_code, query.problem_slug) == ("1HGCM82633A", "90210", "brake-pads-front")
    assert query.entry.session_id == session_id
    assert query.answer == answer
    with work.open_work(database, write=True) as unit:
        unit.predictions.delete(answer.id)
    with work.open_work(database, write=False) as unit:
        assert unit.past_predictions.find_record(session_id, environment=LIVE, owner_id=1) == evolve(
            query, answer=None
        )


def test_record_of_others_is_hidden(database: Database) -> None:
    session_id = add_prediction(database, 7)
    with work.open_work(database, write=False) as unit:
        seen = {
            (environment, owner_id)
            for environment in (LIVE, TEST)
            for owner_id in (1, 2, None)
            if unit.past_predictions.find_record(session_id, environment=environment, owner_id=owner_id)
        }

    assert seen == {(LIVE, 1), (LIVE, None)}


def test_page_takes_a_fixed_number_of_statements(database: Database) -> None:
    result: list[str] = []

    @sa.event.listens_for(database.engine, "before_cursor_execute")
    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        result.append(statement)

    counts = []
    for number in range(1, 9):
        add_prediction(database, number)
        result.clear()
        with work.open_work(database, write=False) as unit:
            unit.past_predictions.page(
                environment=LIVE, owner_id=1, request=PageRequest(number=1, per_page=100)
            )
        counts.append(len(result))

    assert len(set(counts)) == 1


def _opinions(database: Database) -> list[tuple[int, int]]:
    with database.transaction(write=False) as connection:
        return [
            (row.good, row.wrong) for row in connection.execute(sa.select(opinions.c.good, opinions.c.wrong))
        ]


def test_concurrent_ratings_leave_one_opinion_per_user(database: Database) -> None:
    rated = prediction_id(database, add_prediction(database, 1))
    start = threading.Barrier(6)

    def rate(number: int) -> None:
        start.wait(10)
        with work.open_work(database, write=True) as unit:
            rating = Rating.GOOD if number % 2 else Rating.WRONG
            unit.ratings.add(rated, user_id=number // 2, rating=rating, comment=None, at=NOW)

    threads = [threading.Thread(target=rate, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with work.open_work(database, write=False) as unit:
        assert unit.ratings.count(rated) == (3, 3)
        listed = unit.ratings.list_latest(rated, limit=10)

    assert len(listed) == 6
    ((good, wrong),) = _opinions(database)

    assert good + wrong == 3


def test_list_latest_is_newest_first_and_limited(database: Database) -> None:
    rated = prediction_id(database, add_prediction(database, 1))
    for comment in ("one", "two", "three"):
        with work.open_work(database, write=True) as unit:
            unit.ratings.add(rated, user_id=1, rating=Rating.GOOD, comment=comment, at=NOW)
    with work.open_work(database, write=False) as unit:
        listed = unit.ratings.list_latest(rated, limit=2)

    assert [one.comment for one in listed] == ["three", "two"]
    assert {one.created_at for one in listed} == {NOW}
