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
    with pytest.raises(ValueError, match="by mileage or by date"):
        next_scheduled(Due(), driving(0), period="x")


@pytest.mark.parametrize(
    ("miles", "target"), [(82_499, 82_500), (82_500, 90_000), (0, 7_500), (7_499, 7_500)]
)
def test_multiple_that_was_reached_before_tracking_counts_as_done(miles: int, target: int) -> None:
    assert next_on_plan(start(miles), OIL, driving(miles)).miles == target


@pytest.mark.parametrize(
    ("used_on", "on", "period"),
    [
        (date(2016, 6, 1), date(2027, 6, 1), "132 months"),
        (date(2016, 6, 2), date(2026, 6, 2), "120 months"),
        (date(2016, 5, 31), date(2027, 5, 31), "132 months"),
        (date(2026, 6, 1), date(2027, 6, 1), "12 months"),
        (date(2025, 1, 1), date(2027, 1, 1), "24 months"),
    ],
)
def test_day_of_a_plan_is_after_the_one_of_tracking(used_on: date, on: date, period: str) -> None:
    found = next_on_plan(start(0, used_on), Interval(months=12), driving(0))

    assert (found.on, found.by, found.miles, found.period) == (on, DueBy.MONTHS, None, period)


@pytest.mark.parametrize(("pace", "by"), [(625.0, DueBy.MILES), (624.0, DueBy.MONTHS)])
def test_miles_count_on_a_plan_if_they_come_no_later_than_months(pace: float, by: DueBy) -> None:
    assert next_on_plan(start(0), OIL, driving(0, pace)).by is by
    assert next_on_plan(start(0), Interval(miles=7_500), driving(0, 1.0)).by is DueBy.MILES


def test_miles_of_a_service_without_a_reading_are_estimated() -> None:
    month_ago = TODAY - timedelta(days=61)
    found = next_after(Done(on=month_ago), OIL, driving(81_000))

    assert found.miles == driving(81_000).miles_on(month_ago) + 7_500
    assert found.period == f"after {month_ago.isoformat()}"
    assert next_after(Done(on=TODAY, miles=5), Interval(months=6), driving(5)).miles is None
    assert next_after(Done(on=TODAY, miles=5), Interval(miles=600), driving(5)).miles == 605


def test_limit_of_miles_comes_first_on_the_same_day() -> None:
    day = driving(0).day_of(1_000)

    assert next_scheduled(Due(on=day, mileage=1_000), driving(0), period="x").by is DueBy.MILES
    earlier = next_scheduled(Due(on=day - timedelta(days=1), mileage=1_000), driving(0), period="x")
    assert (earlier.by, earlier.miles) == (DueBy.MONTHS, 1_000)


def test_service_recurs_by_the_limit_that_comes_first() -> None:
    assert months_between(OIL, 1_000) == 7.5
    assert months_between(OIL, 100) == 12
    assert months_between(Interval(miles=500), 1_000) == 0.5
    assert months_between(Interval(months=6), 1_000) == 6


def test_service_recurs_within_the_time_and_sixty_times_at_most() -> None:
    monthly = Interval(months=1)

    assert [*occurrences(TODAY, monthly, 1_000, today=TODAY, until=TODAY + timedelta(days=30))] == [TODAY]
    assert [*occurrences(TODAY, monthly, 1_000, today=TODAY, until=TODAY + timedelta(days=31))] == [
        TODAY,
        TODAY + timedelta(days=30),
    ]
    assert len([*occurrences(TODAY, monthly, 1_000, today=TODAY, until=date(2036, 1, 1))]) == 60
    later = TODAY + timedelta(days=10)
    assert [*occurrences(later, monthly, 1_000, today=TODAY, until=TODAY + timedelta(days=45))] == [
        later,
        later + timedelta(days=30),
    ]


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
