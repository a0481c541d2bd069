"""How far vehicles are driven, from their odometer logs and ages."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.garage.driving import DAYS_A_MONTH, Driving, PaceBasis, Reading, driving_of, usual_miles

TODAY = date(2026, 6, 1)
STARTED = date(2016, 6, 1)


def test_pace_is_from_the_last_two_years() -> None:
    log = [
        Reading(day=date(2020, 1, 1), miles=10),
        Reading(day=date(2025, 6, 1), miles=60_000),
        Reading(day=TODAY, miles=72_000),
    ]

    found = driving_of(log, started_on=STARTED, today=TODAY)

    assert found.basis is PaceBasis.LOG
    assert found.pace == pytest.approx(12_000 / 365 * DAYS_A_MONTH)


def test_pace_of_one_reading_is_the_lifetime_average() -> None:
    found = driving_of([Reading(day=TODAY, miles=60_000)], started_on=STARTED, today=TODAY)

    assert found.basis is PaceBasis.LIFE
    assert found.pace == pytest.approx(500, rel=0.01)


def test_readings_within_a_week_count_as_one() -> None:
    log = [Reading(day=TODAY - timedelta(days=7), miles=59_000), Reading(day=TODAY, miles=60_000)]

    assert driving_of(log, started_on=STARTED, today=TODAY).basis is PaceBasis.LIFE


def test_new_vehicle_has_the_usual_pace() -> None:
    started = TODAY - timedelta(days=20)

    assert driving_of([Reading(day=TODAY, miles=3_000)], started_on=started, today=TODAY).pace == 1_000


def test_vehicle_without_readings_has_the_usual_miles() -> None:
    found = driving_of([], started_on=STARTED, today=TODAY)

    assert (found.basis, found.is_read) == (PaceBasis.USUAL, False)
    assert found.miles_on(TODAY) == pytest.approx(120_000, rel=0.01)


def test_old_vehicles_are_driven_less() -> None:
    assert usual_miles(date(1996, 6, 1), TODAY) == pytest.approx(120_000 + 20 * 7_000, rel=0.01)


@given(
    miles=st.integers(0, 2_000_000),
    target=st.integers(0, 3_000_000),
    pace=st.floats(50, 10_000),
)
def test_day_of_is_the_inverse_of_miles_on(miles: int, target: int, pace: float) -> None:
    driving = Driving(since=Reading(day=TODAY, miles=miles), pace=pace, basis=PaceBasis.LOG)

    day = driving.day_of(target)

    if date(1900, 1, 1) < day < date(8999, 1, 1):
        assert abs(driving.miles_on(day) - target) <= pace / DAYS_A_MONTH + 1


@given(
    log=st.lists(st.tuples(st.dates(date(1950, 1, 1), TODAY), st.integers(0, 2_000_000)), max_size=4),
    started=st.dates(date(1950, 1, 1), TODAY),
)
def test_pace_is_always_plausible(log: list[tuple[date, int]], started: date) -> None:
    readings = [Reading(day=day, miles=miles) for day, miles in sorted(log)]

    found = driving_of(readings, started_on=started, today=TODAY)

    assert 50 <= found.pace <= 10_000
    assert found.miles_on(TODAY) >= 0
