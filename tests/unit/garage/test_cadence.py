"""When services are due, and how often they recur."""

from datetime import date, timedelta
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.garage.cadence import (
    Done,
    DueBy,
    Start,
    months_between,
    next_after,
    next_on_plan,
    next_scheduled,
    occurrences,
)
from repaircore.garage.driving import Driving, PaceBasis, Reading
from repaircore.schedules.due import Due, Interval

TODAY = date(2026, 6, 1)
YEAR = TODAY + timedelta(days=365)
OIL = Interval(miles=7_500, months=12)


def driving(miles: int, pace: float = 1_000.0) -> Driving:
    return Driving(since=Reading(day=TODAY, miles=miles), pace=pace, basis=PaceBasis.LOG)


def start(miles: int, used_on: date = date(2016, 6, 1)) -> Start:
    return Start(used_on=used_on, tracked_on=TODAY, tracked_miles=miles)


def test_service_is_due_at_the_next_multiple_of_its_miles() -> None:
    found = next_on_plan(start(81_000), OIL, driving(81_000))

    assert (found.miles, found.by, found.period) == (82_500, DueBy.MILES, "82500 miles")
    assert found.on == driving(81_000).day_of(82_500)


def test_rarely_driven_vehicle_is_serviced_by_months() -> None:
    found = next_on_plan(start(20_000, used_on=date(2016, 9, 15)), OIL, driving(20_000, pace=100))

    assert (found.on, found.miles, found.period) == (date(2026, 9, 15), None, "120 months")


def test_overdue_service_keeps_its_due_miles() -> None:
    found = next_on_plan(start(81_000), OIL, driving(95_000))

    assert found.miles == 82_500
    assert found.on < TODAY


def test_service_is_due_an_interval_after_it_was_done() -> None:
    done = Done(on=date(2026, 3, 1), miles=78_000)

    assert next_after(done, OIL, driving(81_000)).miles == 85_500
    slow = next_after(done, OIL, driving(81_000, pace=100))
    assert (slow.on, slow.by) == (date(2027, 3, 1), DueBy.MONTHS)


def test_schedule_is_due_by_miles_or_date_whichever_is_first() -> None:
    due = Due(on=date(2027, 1, 1), mileage=82_000)

    assert next_scheduled(due, driving(81_000), period="x").by is DueBy.MILES
    assert next_scheduled(Due(on=date(2027, 1, 1)), driving(0), period="x").on == date(2027, 1, 1)
    with pytest.raises(ValueError, match="by miles or by a day"):
        next_scheduled(Due(), driving(0), period="x")


def test_overdue_service_recurs_from_today() -> None:
    first = TODAY - timedelta(days=100)

    days = list(occurrences(first, Interval(months=6), 1_000, today=TODAY, until=YEAR))

    assert days[0] == first
    assert [round((day - TODAY).days, -1) for day in days[1:]] == [180]


def test_service_without_an_interval_occurs_once() -> None:
    assert list(occurrences(TODAY, Interval(), 1_000, today=TODAY, until=YEAR)) == [TODAY]


_INTERVALS = st.builds(
    Interval,
    miles=st.none() | st.integers(500, 200_000),
    months=st.none() | st.integers(1, 240),
).filter(lambda interval: interval.recurs)


@given(
    interval=_INTERVALS,
    pace=st.floats(50, 10_000),
    first=st.dates(TODAY - timedelta(days=4_000), TODAY + timedelta(days=4_000)),
)
def test_occurrences_are_in_order_and_an_interval_apart(interval: Interval, pace: float, first: date) -> None:
    days = list(occurrences(first, interval, pace, today=TODAY, until=YEAR))

    assert days[0] == first
    assert days == sorted(days)
    assert all(day < YEAR for day in days[1:])
    step = months_between(interval, pace) * 30.4375
    assert len(days) <= 60
    assert all(abs((after - before).days - step) <= 1 for before, after in pairwise(days[1:]))


@given(
    interval=_INTERVALS,
    pace=st.floats(50, 10_000),
    miles=st.integers(0, 500_000),
    used=st.dates(date(1950, 1, 1), TODAY),
)
def test_plan_starts_after_tracking_begins(interval: Interval, pace: float, miles: int, used: date) -> None:
    found = next_on_plan(start(miles, used), interval, driving(miles, pace))

    if found.miles is None:
        assert found.on > TODAY
        assert (found.on - TODAY).days <= 31 * (interval.months or 1)
    else:
        assert 0 < found.miles - miles <= (interval.miles or 0)


def test_period_of_a_schedule_is_its_id() -> None:
    period = f"schedule {UUID(int=1)}"

    assert next_scheduled(Due(on=TODAY), driving(0), period=period).period == period
