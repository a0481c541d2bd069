"""The services of a vehicle: planned by its owner, done before, or due by its plan."""

from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import pytest
from attrs import evolve

from repaircore.adapters.shipped.book import book
from repaircore.fleet.model import FleetVehicle
from repaircore.garage.cadence import Done, DueBy
from repaircore.garage.driving import Driving, PaceBasis, Reading
from repaircore.garage.forecast import Forecast, forecast, usual_year
from repaircore.garage.model import (
    DoneService,
    DueService,
    GarageVehicle,
    Labels,
    ServiceBasis,
    VehicleRecords,
)
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import PriceRange
from repaircore.schedules.due import Due, Interval
from repaircore.schedules.model import ScheduledProblem, ServiceSchedule
from repaircore.testing.builders import a_vehicle

TODAY: Final = date(2026, 6, 1)
NOW: Final = datetime(2026, 6, 1, tzinfo=UTC)
BOOK: Final = {problem.slug: problem for problem in book().problems}
CAR: Final = FleetVehicle(
    id=UUID(int=1),
    environment=Environment.LIVE,
    owner_id=1,
    vin="1HGCV1F30JA000001",
    vehicle=a_vehicle(),
    created_at=NOW,
)
VEHICLE: Final = GarageVehicle(
    vehicle=CAR, labels=Labels(in_service_on=date(2018, 6, 1)), added_at=NOW, tracked_miles=81_000
)
DRIVING: Final = Driving(since=Reading(day=TODAY, miles=81_000), pace=1_000.0, basis=PaceBasis.LOG)
FLUID: Final = "brake-fluid-flush"


def found(vehicle: GarageVehicle = VEHICLE, driving: Driving = DRIVING, **records: Any) -> Forecast:
    return forecast(vehicle, VehicleRecords(**records), BOOK, driving=driving, today=TODAY)


def service(forecast: Forecast, slug: str) -> DueService:
    (one,) = [one for one in forecast.services if one.slug == slug]
    return one


def schedule(slug: str | None = None, **fields: Any) -> ServiceSchedule:
    problem = (
        None
        if slug is None
        else ScheduledProblem(id=BOOK[slug].id, slug=slug, display_name=BOOK[slug].display_name)
    )
    usual: dict[str, Any] = {"title": "Wash", "due": Due(on=date(2026, 7, 1)), "created_at": NOW}
    return ServiceSchedule(**{"id": UUID(int=9), "vehicle": CAR, "problem": problem, **usual, **fields})


def done(slug: str, on: date, miles: int | None = None) -> DoneService:
    return DoneService(slug=slug, done=Done(on=on, miles=miles))


def test_services_without_records_follow_the_plan_by_day_and_title() -> None:
    services = found().services

    assert {one.basis for one in services} == {ServiceBasis.PLAN}
    order = [(one.due.on, one.title) for one in services]
    assert order == sorted(order)
    assert FLUID in [one.slug for one in services]
    assert all(one.days[0] == one.due.on for one in services)


def test_forecast_has_the_problems_of_its_services() -> None:
    result = found(planned=[schedule("radiator"), schedule(id=UUID(int=8))])

    assert set(result.problems) == {one.slug for one in result.services} - {None}
    assert result.problems["radiator"] == BOOK["radiator"]


def test_own_schedule_replaces_the_service_of_the_plan() -> None:
    own = schedule(FLUID, title="Brake fluid", interval=Interval(months=6))
    one = service(found(planned=[own], done=[done(FLUID, TODAY)]), FLUID)

    assert (one.basis, one.title, one.schedule_id, one.due.period) == (
        ServiceBasis.SCHEDULE,
        "Brake fluid",
        own.id,
        f"schedule {own.id}",
    )
    assert [day.month for day in one.days] == [7, 12, 7]


def test_own_schedule_of_any_oil_change_replaces_that_of_the_plan() -> None:
    services = found(planned=[schedule("oil-change")]).services

    assert [one.slug for one in services if (one.slug or "").startswith("oil-change")] == ["oil-change"]


def test_schedule_of_no_repair_replaces_nothing() -> None:
    result = found(planned=[schedule()])

    assert len(result.services) == len(found().services) + 1
    (own,) = [one for one in result.services if one.slug is None]
    assert (own.title, own.key, own.days) == ("Wash", str(UUID(int=9)), (date(2026, 7, 1),))


def test_service_that_was_done_is_due_an_interval_after_the_latest_time() -> None:
    early, late = date(2024, 1, 1), date(2026, 3, 1)
    for records in (
        [done(FLUID, early), done(FLUID, late)],
        [done(FLUID, late), done(FLUID, early)],
        [done("coolant-flush", TODAY), done(FLUID, late)],
    ):
        one = service(found(done=records), FLUID)
        assert (one.basis, one.due.period) == (ServiceBasis.HISTORY, "after 2026-03-01")


def test_later_record_of_a_day_counts() -> None:
    records = [done(FLUID, TODAY, 100), done(FLUID, TODAY, 40_000)]
    interval = service(found(done=records), FLUID).interval

    assert service(found(done=records), FLUID).due.miles == 40_000 + (interval.miles or 0)


def test_another_oil_change_counts_as_one() -> None:
    result = found(done=[done("oil-change", date(2026, 5, 1), 80_000)])
    (oil,) = [one for one in result.services if (one.slug or "").startswith("oil-change")]

    assert (oil.slug, oil.basis) == ("oil-change-synthetic", ServiceBasis.HISTORY)


def test_plan_counts_from_the_mileage_at_which_tracking_began() -> None:
    interval = service(found(), FLUID).interval.miles or 0

    def target(tracked: int | None, added_at: datetime = NOW) -> int | None:
        vehicle = evolve(VEHICLE, tracked_miles=tracked, added_at=added_at)
        fast = evolve(DRIVING, pace=10_000.0)
        return service(found(vehicle, fast), FLUID).due.miles

    assert target(0) == interval
    assert target(interval) == 2 * interval
    assert target(None) == (81_000 // interval + 1) * interval
    month_ago = NOW - timedelta(days=61)
    assert target(None, month_ago) == (round(81_000 - 61 / (365.25 / 12) * 10_000) // interval + 1) * interval


def test_days_reach_a_month_beyond_the_year() -> None:
    def days(first: date, months: int) -> int:
        own = schedule(due=Due(on=first), interval=Interval(months=months))
        return len(next(one for one in found(planned=[own]).services if one.slug is None).days)

    assert days(TODAY, 12) == 2
    assert days(TODAY, 13) == 1 + (round(13 * 365.25 / 12) < 365 + 31)
    assert days(TODAY, 14) == 1


def test_vehicle_used_before_its_first_day_counts_from_when_it_was_added() -> None:
    later = evolve(VEHICLE, labels=Labels(in_service_on=date(2027, 1, 1)))
    slow = evolve(DRIVING, pace=50.0)
    one = service(found(later, slow), FLUID)

    assert one.due.by is DueBy.MONTHS
    assert (one.due.on.month, one.due.on.day) == (6, 1)


PRICE: Final = PriceRange(low=50_00, average=100_00, high=200_00)


@pytest.mark.parametrize(
    ("interval", "slug", "cost"),
    [
        (Interval(months=6), FLUID, 200_00),
        (Interval(months=24), FLUID, 50_00),
        (Interval(miles=4_000), FLUID, 300_00),
        (Interval(), FLUID, 0.0),
        (Interval(months=6), "other", 0.0),
        (Interval(months=6), None, 0.0),
    ],
)
def test_usual_year_has_the_average_price_of_each_time(
    interval: Interval, slug: str | None, cost: float
) -> None:
    one = evolve(found().services[0], slug=slug, interval=interval)

    assert usual_year([one], {FLUID: PRICE}, 1_000.0) == cost
    assert usual_year([one, one], {FLUID: PRICE}, 1_000.0) == 2 * cost
