from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.schedules.due import Due, DueStatus, Interval, add_months, due_status, next_due

TODAY = date(2026, 3, 31)
DAYS = st.integers(-2000, 2000)
MILES = st.integers(0, 400_000)


@pytest.mark.parametrize(
    ("days", "result"),
    [(31, "upcoming"), (30, "due"), (0, "due"), (-1, "overdue"), (-400, "overdue")],
)
def test_due_status_by_date(days: int, result: str) -> None:
    assert due_status(Due(on=TODAY + timedelta(days=days)), today=TODAY, odometer=None) == result


@pytest.mark.parametrize(
    ("miles", "result"), [(60_501, "upcoming"), (60_500, "due"), (60_000, "due"), (59_999, "overdue")]
)
def test_due_status_by_miles(miles: int, result: str) -> None:
    assert due_status(Due(mileage=miles), today=TODAY, odometer=60_000) == result


def test_due_status_ignores_miles_while_the_odometer_is_unknown() -> None:
    assert due_status(Due(mileage=1), today=TODAY, odometer=None) is DueStatus.UPCOMING


def test_due_status_is_the_more_urgent_of_both() -> None:
    due = Due(on=TODAY + timedelta(days=300), mileage=50_000)

    assert due_status(due, today=TODAY, odometer=51_000) is DueStatus.OVERDUE
    assert due_status(due, today=TODAY + timedelta(days=301), odometer=10_000) is DueStatus.OVERDUE


@given(DAYS, MILES, MILES, st.integers(0, 500), st.integers(0, 20_000))
def test_due_status_never_gets_less_urgent_with_time_or_miles(
    days: int, mileage: int, odometer: int, later: int, further: int
) -> None:
    due, order = Due(on=TODAY + timedelta(days=days), mileage=mileage), list(DueStatus)
    now = due_status(due, today=TODAY, odometer=odometer)
    then = due_status(due, today=TODAY + timedelta(days=later), odometer=odometer + further)

    assert order.index(now) <= order.index(then)


def test_next_due_counts_from_the_completion() -> None:
    interval = Interval(months=6, miles=5_000)

    assert next_due(interval, completed_on=date(2026, 8, 31), completed_at=61_200) == Due(
        on=date(2027, 2, 28), mileage=66_200
    )


def test_next_due_without_a_reading_counts_only_months() -> None:
    assert next_due(Interval(months=12, miles=5_000), completed_on=TODAY, completed_at=None) == Due(
        on=date(2027, 3, 31)
    )
    assert next_due(Interval(miles=5_000), completed_on=TODAY, completed_at=None) is None


def test_next_due_is_none_without_an_interval() -> None:
    assert not Interval().recurs
    assert next_due(Interval(), completed_on=TODAY, completed_at=5) is None


def test_add_months_to_a_leap_day_ends_in_february() -> None:
    assert add_months(date(2024, 2, 29), 12) == date(2025, 2, 28)
    assert add_months(date(2024, 2, 29), 48) == date(2028, 2, 29)


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.integers(1, 240))
def test_add_months_moves_by_that_many_months(day: date, months: int) -> None:
    then = add_months(day, months)

    assert (then.year - day.year) * 12 + then.month - day.month == months
    assert then.day <= day.day
