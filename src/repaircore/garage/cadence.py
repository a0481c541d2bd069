"""When a service is due next, and how often within a period: by miles or by months, whichever comes first."""

from collections.abc import Iterator
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.garage.driving import DAYS_A_MONTH, Driving
from repaircore.schedules.due import Due, Interval, add_months

_MOST: Final = 60
"""The maximum number of occurrences of one service in a forecast; no service recurs more often."""


class DueBy(StrEnum):
    """The limit that is reached first."""

    MILES = "miles"
    MONTHS = "months"


@frozen(kw_only=True)
class Done:
    """When a service was last done; ``miles`` is None if it was not recorded."""

    on: date
    miles: int | None = None


@frozen(kw_only=True)
class Start:
    """Where the count of services starts: the day of first use, and the day and mileage at which tracking started."""

    used_on: date
    tracked_on: date
    tracked_miles: int


@frozen(kw_only=True)
class NextService:
    """When a service is due: the day, the odometer reading (if limited by miles), and a name for this occurrence.

    The name, ``period``, stays the same until the service is done, so that no owner is reminded of it twice.
    """

    on: date
    miles: int | None
    by: DueBy
    period: str


def months_between(interval: Interval, pace: float) -> float:
    """Return the months between two occurrences of a recurring service, at ``pace`` miles per month."""
    by_miles = float("inf") if interval.miles is None else interval.miles / pace
    return min(by_miles, float("inf") if interval.months is None else interval.months)


def next_after(done: Done, interval: Interval, driving: Driving) -> NextService:
    """Return when a service is due next, given when it was last done."""
    miles = driving.miles_on(done.on) if done.miles is None else done.miles
    target = None if interval.miles is None else miles + interval.miles
    by_months = None if interval.months is None else add_months(done.on, interval.months)
    return _first(target, by_months, driving, period=f"after {done.on.isoformat()}")


def next_on_plan(start: Start, interval: Interval, driving: Driving) -> NextService:
    """Return when a service without a record is due: at the next multiple of its interval.

    An occurrence before the vehicle was tracked counts as done; a later one stays due until it is done.
    """
    if interval.miles is not None and _counts_miles(interval, driving.pace):
        target = (start.tracked_miles // interval.miles + 1) * interval.miles
        return NextService(on=driving.day_of(target), miles=target, by=DueBy.MILES, period=f"{target} miles")
    months = interval.months or 1
    used = (start.tracked_on.year - start.used_on.year) * 12 + start.tracked_on.month - start.used_on.month
    turn = max(0, used) // months
    on = add_months(start.used_on, turn * months)
    while on <= start.tracked_on:
        turn += 1
        on = add_months(start.used_on, turn * months)
    return NextService(on=on, miles=None, by=DueBy.MONTHS, period=f"{turn * months} months")


def next_scheduled(due: Due, driving: Driving, *, period: str) -> NextService:
    """Return when a planned service is due."""
    return _first(due.mileage, due.on, driving, period=period)


def occurrences(first: date, interval: Interval, pace: float, *, today: date, until: date) -> Iterator[date]:
    """Yield ``first``, then the later days before ``until`` on which a recurring service is due.

    If ``first`` is in the past, the later days are counted from ``today``.
    """
    yield first
    if not interval.recurs:
        return
    step = months_between(interval, pace) * DAYS_A_MONTH
    start = max(first, today)
    for turn in range(1, _MOST):
        days = round(turn * step)
        if days >= (until - start).days:
            return
        yield start + timedelta(days=days)


def _counts_miles(interval: Interval, pace: float) -> bool:
    return interval.months is None or (
        interval.miles is not None and interval.miles / pace <= interval.months
    )


def _first(miles: int | None, on: date | None, driving: Driving, *, period: str) -> NextService:
    by_miles = None if miles is None else driving.day_of(miles)
    if by_miles is not None and (on is None or by_miles <= on):
        return NextService(on=by_miles, miles=miles, by=DueBy.MILES, period=period)
    if on is None:
        msg = "A service must be due by mileage or by date."
        raise ValueError(msg)
    return NextService(on=on, miles=miles, by=DueBy.MONTHS, period=period)
