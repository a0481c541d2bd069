"""The contract of the port ``LifecyclePredictions``, on both databases."""

from datetime import UTC, date, datetime

import pytest
from attrs import evolve

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Environment
from repaircore.kernel.factors import Factor
from repaircore.kernel.paging import PageRequest
from repaircore.repair_intervals.expected import (
    Basis,
    ExpectedReturn,
    LifecycleAnswer,
    LifecyclePrediction,
    Span,
    WornFirst,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
LIVE, TEST = Environment.LIVE, Environment.TEST
ANSWER = LifecycleAnswer(
    vehicle="2018 Honda Accord EX",
    expected=ExpectedReturn(
        miles=Span(low=1, mid=2, high=3),
        months=Span(low=1.5, mid=2.0, high=3.1),
        first=WornFirst.MONTHS,
        dates=Span(low=date(2026, 1, 1), mid=date(2026, 2, 1), high=date(2026, 3, 1)),
        odometer=None,
    ),
    basis=Basis.HISTORY,
    sample_size=17,
    factors=(
        Factor(name="book", value=48, weight=0.5, effect=1.0),
        Factor(name="miles_a_month", value=None, weight=1.0, effect=1.0),
    ),
    warnings=("vin_check_digit",),
)
BARE = evolve(ANSWER, expected=evolve(ANSWER.expected, dates=None, odometer=Span(low=1, mid=2, high=3)))


def add_prediction(
    database: Database,
    answer: LifecycleAnswer = ANSWER,
    *,
    owner_id: int = 1,
    environment: Environment = LIVE,
    mileage: int | None = None,
    performed_on: date | None = None,
) -> LifecyclePrediction:
    with work.open_work(database, write=True) as unit:
        problem = unit.problems.find(101)
        assert problem is not None
        return unit.lifecycle_predictions.add(
            answer,
            environment=environment,
            owner_id=owner_id,
            vin="1HGCV1F30JA000001",
            problem=problem,
            mileage=mileage,
            performed_on=performed_on,
            at=NOW,
        )


def test_add_stores_an_answer(database: Database) -> None:
    first = add_prediction(database, mileage=90_000, performed_on=date(2025, 12, 31))
    second = add_prediction(database, BARE)
    with work.open_work(database, write=False) as unit:
        page = unit.lifecycle_predictions.page(
            environment=LIVE, owner_id=1, request=PageRequest(number=1, per_page=9)
        )

    assert page.items == (second, first)
    assert first.problem_name == "Brakes > Front Brake Pads"


@pytest.mark.parametrize("per_page", [1, 2, 3, 8])
@pytest.mark.parametrize("owner_id", [1, 2, None])
def test_pages_follow_each_other_without_gaps(
    database: Database, per_page: int, owner_id: int | None
) -> None:
    mine = [add_prediction(database, owner_id=1 + number % 3 // 2).id for number in range(6)]
    add_prediction(database, environment=TEST)
    with work.open_work(database, write=False) as unit:
        pages = [
            unit.lifecycle_predictions.page(
                environment=LIVE, owner_id=owner_id, request=PageRequest(number=number, per_page=per_page)
            )
            for number in range(1, 8)
        ]
    expected = [
        number for place, number in enumerate(mine) if owner_id is None or 1 + place % 3 // 2 == owner_id
    ]

    assert [one.id for page in pages for one in page] == expected[::-1]
    assert {page.total for page in pages} == {len(expected)}
