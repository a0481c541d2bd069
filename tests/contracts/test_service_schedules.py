"""The contract of the port ``ScheduleRecords``, on both databases."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from attrs import evolve

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.fleet import fleet_vehicles, service_schedules
from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.signals import SignalReading, SignalSource
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import Page
from repaircore.schedules.due import DUE_DAYS, DUE_MILES, Due, Interval
from repaircore.schedules.model import ScheduledProblem, ServiceSchedule, Stage, Status
from repaircore.schedules.ports import ScheduleFilter, TrackedSchedule
from repaircore.testing.builders import a_vehicle

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
TODAY = NOW.date()
LIVE, TEST = Environment.LIVE, Environment.TEST
MINE = ScheduleFilter(environment=LIVE, owner_id=7)


def a_car(number: int, *, environment: Environment = LIVE, owner_id: int = 7) -> FleetVehicle:
    return FleetVehicle(
        id=UUID(int=number),
        environment=environment,
        owner_id=owner_id,
        vin=f"1HGCV1F30JA{number:06}",
        vehicle=a_vehicle(),
        created_at=NOW,
    )


CAR = a_car(1)
PADS = ScheduledProblem(id=101, slug="brake-pads-front", display_name="Brakes > Front brake pads")


def a_schedule(number: int = 1, *, vehicle: FleetVehicle = CAR, **changes: Any) -> ServiceSchedule:
    usual: dict[str, Any] = {"title": "Oil", "due": Due(on=TODAY), "created_at": NOW}
    return ServiceSchedule(id=UUID(int=number), vehicle=vehicle, **{**usual, **changes})


def add_schedules(database: Database, *schedules: ServiceSchedule) -> None:
    with work.open_work(database, write=True) as unit:
        unit.vehicles.add(CAR.vehicle)
        for schedule in schedules:
            unit.fleet_vehicles.register(schedule.vehicle)
            unit.service_schedules.add(schedule)


def add_odometer(database: Database, vehicle: FleetVehicle, odometer: int, *, at: datetime = NOW) -> None:
    with work.open_work(database, write=True) as unit:
        unit.signals.add(vehicle.id, SignalReading(odometer=odometer), source=SignalSource.OWNER, at=at)


def find(database: Database, schedule: ServiceSchedule) -> TrackedSchedule | None:
    with work.open_work(database, write=False) as unit:
        return unit.service_schedules.find(schedule.id, environment=LIVE, owner_id=7)


def page(
    database: Database, wanted: ScheduleFilter = MINE, *, number: int = 1, per_page: int = 100
) -> Page[TrackedSchedule]:
    with work.open_work(database, write=False) as unit:
        return unit.service_schedules.page(wanted, today=TODAY, number=number, per_page=per_page)


def ids(found: Page[TrackedSchedule]) -> list[int]:
    return [schedule.id.int for schedule, _ in found]


def test_add_stores_a_schedule(database: Database) -> None:
    bare = a_schedule(1, due=Due(mileage=90_000))
    full = a_schedule(
        2,
        title="Bremsbeläge ✓",
        due=Due(on=date(2026, 3, 1), mileage=95_000),
        problem=PADS,
        interval=Interval(months=12, miles=10_000),
        notes="the quiet ones",
        stage=Stage.COMPLETED,
        completed_on=date(2026, 1, 1),
        completed_mileage=94_321,
        ended_at=NOW,
        version=4,
    )
    add_schedules(database, bare, full)
    assert find(database, bare) == (bare, None)
    found = find(database, full)

    assert found is not None
    assert found[0].problem is not None
    assert found[0].problem.slug == PADS.slug
    assert found == (evolve(full, problem=found[0].problem), None)


def test_find_returns_the_newest_odometer(database: Database) -> None:
    add_schedules(database, a_schedule())
    add_odometer(database, CAR, 50_000, at=NOW - timedelta(days=1))
    add_odometer(database, CAR, 51_000)
    add_odometer(database, CAR, 40_000, at=NOW - timedelta(days=2))

    assert find(database, a_schedule()) == (a_schedule(), 51_000)
    assert [miles for _, miles in page(database)] == [51_000]


def test_find_hides_schedules_of_other_owners(database: Database) -> None:
    add_schedules(database, a_schedule())
    with work.open_work(database, write=False) as unit:
        for environment, owner_id in ((LIVE, 8), (LIVE, 0), (TEST, 7), (TEST, None)):
            found = unit.service_schedules.find(UUID(int=1), environment=environment, owner_id=owner_id)
            assert found is None
            assert page(database, ScheduleFilter(environment=environment, owner_id=owner_id)).total == 0
        assert unit.service_schedules.find(UUID(int=1), environment=LIVE, owner_id=None) is not None
        assert unit.service_schedules.find(UUID(int=9), environment=LIVE, owner_id=7) is None

    assert ids(page(database, ScheduleFilter(environment=LIVE, owner_id=None))) == [1]


def test_page_of_one_vehicle(database: Database) -> None:
    other = a_car(2)
    add_schedules(database, a_schedule(1), a_schedule(2, vehicle=other))

    assert ids(page(database, evolve(MINE, vehicle_id=other.id))) == [2]
    assert ids(page(database, evolve(MINE, vin=CAR.vin))) == [1]
    assert page(database, evolve(MINE, vehicle_id=UUID(int=9))).total == 0


def test_page_is_ordered_by_urgency_then_date(database: Database) -> None:
    ended: dict[str, Any] = {"stage": Stage.CANCELLED, "ended_at": NOW}
    add_schedules(
        database,
        a_schedule(1, due=Due(on=TODAY - timedelta(days=9)), **ended),
        a_schedule(2, due=Due(on=TODAY + timedelta(days=90))),
        a_schedule(3, due=Due(mileage=50_100)),
        a_schedule(4, due=Due(on=TODAY - timedelta(days=1))),
        a_schedule(5, due=Due(on=TODAY - timedelta(days=2))),
        a_schedule(6, due=Due(on=TODAY - timedelta(days=2), mileage=1)),
        a_schedule(7, due=Due(mileage=49_000)),
        a_schedule(8, due=Due(on=TODAY + timedelta(days=3))),
        a_schedule(9, due=Due(on=TODAY), stage=Stage.COMPLETED, completed_on=TODAY, ended_at=NOW),
    )
    add_odometer(database, CAR, 50_000)

    assert ids(page(database)) == [5, 6, 4, 7, 8, 3, 2, 9, 1]


def _random_due(chance: random.Random) -> Due:
    """Return a due date or mileage near the limits that the rule compares with."""
    days = chance.choice([-400, -1, 0, 1, DUE_DAYS - 1, DUE_DAYS, DUE_DAYS + 1, 400])
    miles = chance.choice([-9_000, -1, 0, 1, DUE_MILES - 1, DUE_MILES, DUE_MILES + 1, 9_000])
    on, mileage = TODAY + timedelta(days=days), 50_000 + miles
    return chance.choice([Due(on=on), Due(mileage=mileage), Due(on=on, mileage=mileage)])


def test_page_by_status_agrees_with_the_rule(database: Database) -> None:
    chance = random.Random(2026)  # noqa: S311 - data for a test, the same each time
    cars = [a_car(number) for number in range(1, 9)]
    schedules = [
        a_schedule(
            number,
            vehicle=chance.choice(cars),
            due=_random_due(chance),
            stage=chance.choices(list(Stage), [8, 1, 1])[0],
        )
        for number in range(1, 301)
    ]
    add_schedules(database, *schedules)
    odometers = {car.id: 50_000 + chance.choice([-1, 0, 1, 300]) for car in cars[:6]}
    for car in cars[:6]:
        if any(schedule.vehicle == car for schedule in schedules):
            add_odometer(database, car, odometers[car.id])

    def status(schedule: ServiceSchedule) -> Status:
        return schedule.status(today=TODAY, odometer=odometers.get(schedule.vehicle.id))

    every = ids(page(database, per_page=1000))
    assert sorted(every) == sorted(schedule.id.int for schedule in schedules)
    order = list(Status)
    ranks = [order.index(status(schedules[number - 1])) for number in every]
    assert ranks == sorted(ranks)
    for wanted in Status:
        expected = [number for number in every if status(schedules[number - 1]) is wanted]
        assert expected
        pages = [
            page(database, evolve(MINE, statuses={wanted}), number=number, per_page=7)
            for number in range(1, 46)
        ]
        assert [number for some in pages for number in ids(some)] == expected
        assert {some.total for some in pages} == {len(expected)}
    for days in (0, DUE_DAYS, 365):
        by = TODAY + timedelta(days=days)
        found = page(database, evolve(MINE, due_by=by), per_page=1000)
        assert set(ids(found)) == {
            schedule.id.int
            for schedule in schedules
            if schedule.stage is Stage.PLANNED
            and _is_due(schedule.due, by, odometers.get(schedule.vehicle.id))
        }


def _is_due(due: Due, by: date, odometer: int | None) -> bool:
    by_miles = due.mileage is not None and odometer is not None and due.mileage <= odometer + DUE_MILES
    return by_miles or (due.on is not None and due.on <= by)


def test_list_planned_due_of_a_vehicle(database: Database) -> None:
    gone: dict[str, Any] = {"stage": Stage.CANCELLED, "ended_at": NOW}
    add_schedules(database, a_schedule(1), a_schedule(2, due=Due(mileage=5)), a_schedule(3, **gone))
    with work.open_work(database, write=False) as unit:
        planned = unit.service_schedules.list_planned_due(CAR.id)
        assert unit.service_schedules.list_planned_due(UUID(int=9)) == []

    assert sorted(planned, key=str) == sorted([Due(on=TODAY), Due(mileage=5)], key=str)


def test_update_by_concurrent_callers_refuses_one(database: Database) -> None:
    add_schedules(database, a_schedule())
    with work.open_work(database, write=True) as unit:
        new = unit.service_schedules.update(a_schedule(), a_schedule(title="Oil and filter"))
    assert new == a_schedule(title="Oil and filter", version=2)
    with pytest.raises(Conflict), work.open_work(database, write=True) as unit:
        unit.service_schedules.update(a_schedule(), a_schedule(title="Tires"))
    with pytest.raises(Conflict), work.open_work(database, write=True) as unit:
        unit.service_schedules.delete(a_schedule())
    assert find(database, new) == (new, None)
    with work.open_work(database, write=True) as unit:
        unit.service_schedules.delete(new)

    assert find(database, new) is None


def test_add_with_a_missing_vehicle_or_repair_is_a_conflict(database: Database) -> None:
    add_schedules(database, a_schedule())
    with pytest.raises(Conflict), work.open_work(database, write=True) as unit:
        unit.service_schedules.add(a_schedule(2, vehicle=a_car(9)))
    nothing = ScheduledProblem(id=987_654, slug="x", display_name="x")
    with pytest.raises(Conflict), work.open_work(database, write=True) as unit:
        unit.service_schedules.add(a_schedule(2, problem=nothing))


def test_deleting_a_vehicle_deletes_its_schedules(database: Database) -> None:
    add_schedules(database, a_schedule())
    with database.transaction() as connection:
        connection.execute(sa.delete(fleet_vehicles))
        assert connection.execute(sa.select(service_schedules)).all() == []
