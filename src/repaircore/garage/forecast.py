"""The services of a vehicle: from its schedules, from what was done before, and from its plan."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from attrs import frozen

from repaircore.book.model import Problem
from repaircore.book.oil_changes import OIL_CHANGES
from repaircore.garage.cadence import (
    Done,
    NextService,
    Start,
    months_between,
    next_after,
    next_on_plan,
    next_scheduled,
    occurrences,
)
from repaircore.garage.driving import Driving
from repaircore.garage.expenses import YEAR, year_from
from repaircore.garage.model import DoneService, DueService, GarageVehicle, ServiceBasis, VehicleRecords
from repaircore.garage.plan import plan_for
from repaircore.kernel.money import PriceRange
from repaircore.schedules.due import Interval
from repaircore.schedules.model import ServiceSchedule

_LOOK_AHEAD: Final = 31
"""Outlooks reach this many days beyond the year, so that a list is complete until they are computed again."""


@frozen(kw_only=True)
class Forecast:
    """How a vehicle is driven, and its services; ``problems`` holds the book's repairs among them, by slug."""

    driving: Driving
    services: tuple[DueService, ...]
    problems: Mapping[str, Problem]


def forecast(
    vehicle: GarageVehicle,
    records: VehicleRecords,
    problems: Mapping[str, Problem],
    *,
    driving: Driving,
    today: date,
) -> Forecast:
    """Return how a vehicle is driven and the services that it needs, most urgent first, not yet priced."""
    services = sorted(
        _services(vehicle, records, problems, driving, today), key=lambda item: (item.due.on, item.title)
    )
    named = {service.slug for service in services if service.slug is not None}
    return Forecast(
        driving=driving,
        services=tuple(services),
        problems={slug: problems[slug] for slug in named if slug in problems},
    )


def _services(
    vehicle: GarageVehicle,
    records: VehicleRecords,
    problems: Mapping[str, Problem],
    driving: Driving,
    today: date,
) -> Iterator[DueService]:
    planned = set[str]()
    for schedule in records.planned:
        if schedule.problem is not None:
            planned.add(_kind(schedule.problem.slug))
        yield _scheduled(schedule, driving, today)
    done = _latest(records.done)
    start = _start_of(vehicle, driving)
    for item in plan_for(vehicle.vehicle.specs.profile, problems, miles=driving.miles_on(today)):
        slug = item.problem.slug
        if _kind(slug) in planned:
            continue
        last = done.get(_kind(slug))
        due = (
            next_on_plan(start, item.interval, driving)
            if last is None
            else next_after(last, item.interval, driving)
        )
        yield DueService(
            slug=slug,
            title=item.problem.name,
            due=due,
            interval=item.interval,
            basis=ServiceBasis.PLAN if last is None else ServiceBasis.HISTORY,
            days=_days(due, item.interval, driving, today),
        )


def _scheduled(schedule: ServiceSchedule, driving: Driving, today: date) -> DueService:
    due = next_scheduled(schedule.due, driving, period=f"schedule {schedule.id}")
    return DueService(
        slug=None if schedule.problem is None else schedule.problem.slug,
        title=schedule.title,
        due=due,
        interval=schedule.interval,
        basis=ServiceBasis.SCHEDULE,
        days=_days(due, schedule.interval, driving, today),
        schedule_id=schedule.id,
    )


def _days(due: NextService, interval: Interval, driving: Driving, today: date) -> tuple[date, ...]:
    until = date.fromordinal(year_from(today).toordinal() + _LOOK_AHEAD)
    return tuple(occurrences(due.on, interval, driving.pace, today=today, until=until))


def _start_of(vehicle: GarageVehicle, driving: Driving) -> Start:
    tracked_on = vehicle.added_at.date()
    miles = vehicle.tracked_miles
    return Start(
        used_on=min(vehicle.started_on, tracked_on),
        tracked_on=tracked_on,
        tracked_miles=driving.miles_on(tracked_on) if miles is None else miles,
    )


def _latest(done: Iterable[DoneService]) -> Mapping[str, Done]:
    latest: dict[str, Done] = {}
    for service in done:
        kind = _kind(service.slug)
        if kind not in latest or service.done.on >= latest[kind].on:
            latest[kind] = service.done
    return latest


def _kind(slug: str) -> str:
    """Return the name of the service that a repair belongs to; all kinds of oil change are one service."""
    return "oil-change" if slug in OIL_CHANGES else slug


def usual_year(services: Sequence[DueService], prices: Mapping[str, PriceRange], pace: float) -> float:
    """Return what the recurring services cost in a year on average, in cents."""
    return sum(
        (
            prices[service.slug].average * YEAR / months_between(service.interval, pace)
            for service in services
            if service.slug is not None and service.slug in prices and service.interval.recurs
        ),
        0.0,
    )
