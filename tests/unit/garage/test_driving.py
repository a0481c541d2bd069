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


@pytest.mark.parametrize(("days", "basis"), [(27, PaceBasis.LIFE), (28, PaceBasis.LOG)])
def test_log_of_four_weeks_says_how_a_vehicle_is_driven(days: int, basis: PaceBasis) -> None:
    log = [Reading(day=TODAY - timedelta(days=days), miles=59_000), Reading(day=TODAY, miles=60_000)]

    assert driving_of(log, started_on=STARTED, today=TODAY).basis is basis


def test_parked_vehicle_has_the_lowest_pace_and_a_lower_reading_no_log() -> None:
    def found(miles: int) -> Driving:
        log = [Reading(day=TODAY - timedelta(days=100), miles=60_000), Reading(day=TODAY, miles=miles)]
        return driving_of(log, started_on=STARTED, today=TODAY)

    assert (found(60_000).basis, found(60_000).pace) == (PaceBasis.LOG, 50)
    assert found(59_999).basis is PaceBasis.LIFE
    assert found(260_000).pace == 10_000


@pytest.mark.parametrize(("days", "miles"), [(730, 24_000), (731, 6_000)])
def test_readings_older_than_two_years_are_left_out(days: int, miles: int) -> None:
    log = [
        Reading(day=TODAY - timedelta(days=days), miles=36_000),
        Reading(day=TODAY - timedelta(days=365), miles=54_000),
        Reading(day=TODAY, miles=60_000),
    ]

    span = 730 if days == 730 else 365
    assert driving_of(log, started_on=STARTED, today=TODAY).pace == pytest.approx(miles / span * DAYS_A_MONTH)


@pytest.mark.parametrize(("days", "pace"), [(179, 1_000), (180, 3_000 / 180 * DAYS_A_MONTH)])
def test_life_of_half_a_year_says_how_a_vehicle_is_driven(days: int, pace: float) -> None:
    started = TODAY - timedelta(days=days)

    found = driving_of([Reading(day=TODAY, miles=3_000)], started_on=started, today=TODAY)

    assert found.pace == pytest.approx(pace)


def test_odometer_is_expected_before_and_after_its_reading() -> None:
    driving = Driving(since=Reading(day=TODAY, miles=2_000), pace=1_000, basis=PaceBasis.LOG)

    assert driving.miles_on(TODAY + timedelta(days=61)) == round(2_000 + 61_000 / DAYS_A_MONTH)
    assert driving.miles_on(TODAY - timedelta(days=30)) == round(2_000 - 30_000 / DAYS_A_MONTH)
    assert driving.miles_on(TODAY - timedelta(days=300)) == 0
    assert driving.day_of(3_000) == TODAY + timedelta(days=30)
    assert driving.day_of(1_000) == TODAY - timedelta(days=30)
    assert driving.day_of(-1e12) == date.min
    assert driving.day_of(1e12) == date(9000, 1, 1)


def test_usual_miles_begin_with_the_first_day() -> None:
    assert usual_miles(TODAY, TODAY) == usual_miles(TODAY + timedelta(days=9), TODAY) == 0
    assert usual_miles(TODAY - timedelta(days=365), TODAY) == round(365 / 365.25 * 12_000)


def test_new_vehicle_has_the_usual_pace() -> None:
    started = TODAY - timedelta(days=20)

    assert driving_of([Reading(day=TODAY, miles=3_000)], started_on=started, today=TODAY).pace == 1_000


def test_vehicle_without_readings_has_the_usual_miles() -> None:
    found = driving_of([], started_on=STARTED, today=TODAY)

    assert (found.basis, found.is_read, found.pace) == (PaceBasis.USUAL, False, 1_000)
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
