from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.repair_intervals.expected import ExpectedReturn, WornFirst, elapsed_since, expected_return
from repaircore.repair_intervals.intervals import SurvivalCurve, VehicleScope, book_times, survival_curve
from repaircore.repair_intervals.past_repairs import DAYS_A_MONTH, USUAL_PACE

TODAY = date(2026, 7, 1)


def book(interval: float) -> SurvivalCurve:
    return survival_curve(book_times(interval, 3), [], VehicleScope())


def result(
    performed_on: date | None = None,
    mileage: int | None = None,
    *,
    months: float = 48,
    miles: float = 40_000,
    reading: tuple[date, float] | None = None,
) -> ExpectedReturn:
    held = elapsed_since(performed_on, mileage, today=TODAY, reading=reading)
    return expected_return(book(months), book(miles), held, performed_on=performed_on, mileage=mileage)


def test_expected_without_a_day_and_a_reading_has_only_intervals() -> None:
    found = result()

    assert (found.dates, found.odometer) == (None, None)
    assert found.months.mid == pytest.approx(48, rel=0.06)
    assert found.miles.mid == pytest.approx(40_000, rel=0.06)


def test_expected_of_a_repair_done_today_has_odometer_readings() -> None:
    found = result(mileage=90_000)

    assert found.first is WornFirst.MILES
    assert found.odometer is not None
    assert found.odometer.mid == 90_000 + found.miles.mid


def test_expected_dates_follow_whichever_comes_first() -> None:
    by_miles, by_months = result(TODAY, 0, miles=12_000), result(TODAY, 0, miles=200_000)

    assert (by_miles.first, by_months.first) == (WornFirst.MILES, WornFirst.MONTHS)
    assert by_miles.dates is not None
    assert by_months.dates is not None
    assert (by_miles.dates.mid - TODAY).days == pytest.approx(365, rel=0.06)
    assert (by_months.dates.mid - TODAY).days == pytest.approx(48 * DAYS_A_MONTH, rel=0.06)


def test_expected_of_a_repair_that_has_held_is_later() -> None:
    new, held = result(), result(TODAY - timedelta(days=1200))

    assert held.months.low >= 1200 / DAYS_A_MONTH - 0.1
    assert held.months.mid > new.months.mid


def test_elapsed_since_uses_the_own_pace_between_two_readings() -> None:
    start = TODAY - timedelta(days=365)
    own = elapsed_since(start, 50_000, today=TODAY, reading=(TODAY, 80_000))
    assert own.is_own_pace
    assert own.miles == pytest.approx(30_000, rel=0.01)
    for reading in (None, (TODAY, 40_000.0), (start, 50_000.0)):
        usual = elapsed_since(start, 50_000, today=TODAY, reading=reading)
        assert (usual.pace, usual.is_own_pace) == (USUAL_PACE, False)


DAYS = st.none() | st.dates(date(1950, 1, 1), TODAY + timedelta(days=1))
MILES = st.none() | st.integers(0, 2_000_000)
READINGS = st.none() | st.tuples(st.dates(date(1950, 1, 1), TODAY), st.floats(0, 2_000_000))


@given(DAYS, MILES, READINGS, st.floats(1, 240), st.floats(1_000, 200_000))
def test_expected_is_ordered_and_never_before_today(
    performed_on: date | None,
    mileage: int | None,
    reading: tuple[date, float] | None,
    months: float,
    miles: float,
) -> None:
    found = result(performed_on, mileage, months=months, miles=miles, reading=reading)
    assert found.months.low <= found.months.mid <= found.months.high
    assert found.miles.low <= found.miles.mid <= found.miles.high
    assert (found.dates is None) == (performed_on is None)
    assert (found.odometer is None) == (mileage is None)
    if found.dates is not None:
        assert found.dates.low <= found.dates.mid <= found.dates.high
        # A repair that still holds is due today at the earliest, except for rounding by a day.
        assert found.dates.low >= TODAY - timedelta(days=1)
    if found.odometer is not None and mileage is not None:
        assert mileage <= found.odometer.low <= found.odometer.mid <= found.odometer.high
