"""The contract of the port ``PastRepairs``, on both databases."""

from collections.abc import Sequence
from datetime import date, timedelta
from uuid import UUID

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contracts.test_lessons import rolled_back
from tests.contracts.test_transactions import invoice

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.work import SqlWork
from repaircore.kernel.callers import Environment
from repaircore.repair_intervals.past_repairs import PastRepair
from repaircore.repair_intervals.sequence import RepairDone
from repaircore.testing.builders import a_vehicle

LIVE, TEST = Environment.LIVE, Environment.TEST
FIRST = date(2020, 1, 1)
PADS, ROTORS = 101, 103
CIVIC = evolve(a_vehicle(), id=UUID(int=2), vin="2HGFC2F53JH", specs=evolve(a_vehicle().specs, model="Civic"))


@pytest.fixture(autouse=True)
def _add_vehicles(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.vehicles.add(a_vehicle())
        unit.vehicles.add(CIVIC)


def day(number: int) -> date:
    return FIRST + timedelta(days=number)


def add(
    unit: SqlWork,
    car: int | None,
    on: int,
    problem_id: int = PADS,
    *,
    miles: int | None = None,
    environment: Environment = LIVE,
    vehicle_id: UUID | None = None,
) -> None:
    result = invoice(
        car=car,
        performed_on=day(on),
        problem_id=problem_id,
        mileage=miles,
        environment=environment,
        lesson=None,
        vehicle_id=vehicle_id or a_vehicle().id,
    )
    unit.transactions.add(result)


def test_repairs_are_ordered_by_car_and_day_with_its_model(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        add(unit, 7, 30, miles=500)
        add(unit, 3, 20, vehicle_id=CIVIC.id)
        add(unit, 7, 10, miles=100)
        add(unit, 7, 15, ROTORS)
        add(unit, None, 12)
        add(unit, 7, 11, environment=TEST)
        found = unit.past_repairs.of_problem(PADS, environment=LIVE, limit=9)

    assert found == [
        PastRepair(3, day(20), None, "honda", "civic"),
        PastRepair(7, day(10), 100, "honda", "accord"),
        PastRepair(7, day(30), 500, "honda", "accord"),
    ]


def test_only_the_latest_repairs_are_returned(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        for number in range(10):
            add(unit, number % 3, number)
        found = unit.past_repairs.of_problem(PADS, environment=LIVE, limit=4)

    assert sorted(one.day for one in found) == [day(number) for number in range(6, 10)]


def test_car_without_recent_repairs_is_gone(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        add(unit, 1, 10)
        add(unit, 1, 50, ROTORS)
        add(unit, 2, 10)
        add(unit, 2, 500, ROTORS)
        add(unit, 3, 500)
        add(unit, 4, 10)
        add(unit, 4, 500, environment=TEST)
        add(unit, 5, 10, ROTORS)
        found = unit.past_repairs.gone(PADS, environment=LIVE, limit=9, before=day(100))

        assert found == {1: day(50), 4: day(10)}
        assert unit.past_repairs.gone(PADS, environment=TEST, limit=9, before=day(100)) == {}


def test_trails_have_all_repairs_of_the_chosen_cars(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        add(unit, 9, 1)
        add(unit, 2, 5)
        add(unit, 2, 3, ROTORS)
        add(unit, 2, 4, environment=TEST)
        add(unit, 1, 2)
        add(unit, 5, 8, ROTORS)
        two = unit.past_repairs.trails_with(PADS, environment=LIVE, cars=2)
        none = unit.past_repairs.trails_with(PADS, environment=LIVE, cars=0)

    assert two == [[RepairDone(day(2), PADS)], [RepairDone(day(3), ROTORS), RepairDone(day(5), PADS)]]
    assert none == []


_repairs = st.lists(
    st.tuples(
        st.none() | st.integers(0, 6), st.integers(0, 40), st.sampled_from([PADS, ROTORS]), st.booleans()
    ),
    max_size=30,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(repairs=_repairs, cars=st.integers(1, 8))
def test_trails_are_complete_for_any_number_of_cars(
    database: Database, repairs: Sequence[tuple[int | None, int, int, bool]], cars: int
) -> None:
    with rolled_back(database) as unit:
        for car, on, problem_id, live in repairs:
            add(unit, car, on, problem_id, environment=LIVE if live else TEST)
        found = unit.past_repairs.trails(environment=LIVE, cars=cars)
    chosen = sorted({car for car, *_, live in repairs if car is not None and live})[:cars]
    expected = [
        sorted((day(on), problem_id) for other, on, problem_id, live in repairs if live and other == car)
        for car in chosen
    ]

    assert [[(done.day, done.problem_id) for done in trail] for trail in found] == expected
