import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.fleet.usage import USUAL_MILES, age_of
from repaircore.valuation.depreciation import value_vehicle

TODAY = date(2026, 7, 1)
LEVELS = st.integers(5_000_00, 200_000_00)
YEARS = st.integers(1981, 2027)
MILES = st.none() | st.floats(0, 500_000)


def test_value_vehicle_with_usual_miles_depends_on_age_alone() -> None:
    result = value_vehicle(30_000_00, model_year=2016, miles=126_000, today=TODAY)

    assert result.age == 10.5
    assert result.mileage_adjustment == 0
    assert result.middle == pytest.approx(30_000_00 * 2.718281828 ** (-0.10 * 5 - 0.17 * 5.5), abs=1)
    assert result.level + result.age_adjustment + result.mileage_adjustment == result.middle


def test_value_vehicle_falls_faster_after_the_fifth_year() -> None:
    young, five, seven = (
        value_vehicle(30_000_00, model_year=year, miles=None, today=TODAY).middle
        for year in (2023, 2021, 2019)
    )

    assert seven / five < five / young


def test_value_vehicle_follows_the_market() -> None:
    def market(day: date) -> float:
        return 1.0 if day < date(2026, 7, 1) else 0.9

    plain = value_vehicle(30_000_00, model_year=2020, miles=None, today=TODAY)
    found = value_vehicle(30_000_00, model_year=2020, miles=None, today=TODAY, market=market)

    assert found.middle == pytest.approx(plain.middle * 0.9, abs=1)
    assert found.market_adjustment == -3_000_00
    adjustments = found.market_adjustment + found.age_adjustment + found.mileage_adjustment

    assert found.level + adjustments == found.middle
    assert found.trend[11].value == plain.trend[11].value
    assert found.trend[12].value == found.middle


@given(st.integers(2000, 2026), st.integers(2000, 2026))
def test_value_vehicle_range_never_narrows_with_age(first: int, second: int) -> None:
    older, newer = (
        value_vehicle(1_000_000_00, model_year=year, miles=None, today=TODAY)
        for year in sorted((first, second))
    )

    assert older.low / older.middle <= newer.low / newer.middle + 1e-6
    assert older.high / older.middle >= newer.high / newer.middle - 1e-6


@pytest.mark.parametrize(
    ("model_year", "age", "low", "high"),
    [
        (2026, 0.5, -0.50, 0.32),
        (2023, 3.5, -0.55, 0.345),
        (2021, 5.5, -0.75, 0.445),
        (2013, 13.5, -1.50, 0.82),
        (2010, 16.5, -1.50, 0.82),
    ],
)
def test_value_vehicle_range_widens_from_the_fourth_to_the_thirteenth_year(
    model_year: int, age: float, low: float, high: float
) -> None:
    known = value_vehicle(10_000_000_00, model_year=model_year, miles=USUAL_MILES * age, today=TODAY)
    unknown = value_vehicle(10_000_000_00, model_year=model_year, miles=None, today=TODAY)

    assert known.age == age
    assert math.log(known.low / known.middle) == pytest.approx(low, abs=1e-6)
    assert math.log(known.high / known.middle) == pytest.approx(high, abs=1e-6)
    assert math.log(unknown.low / unknown.middle) == pytest.approx(low - 0.14, abs=1e-6)
    assert math.log(unknown.high / unknown.middle) == pytest.approx(high + 0.14, abs=1e-6)


@pytest.mark.parametrize(
    ("off", "logarithm"),
    [
        (10_000, -0.069),
        (-10_000, 0.069),
        (150_000, -15 * 0.069),
        (200_000, -15 * 0.069),
        (-200_000, 15 * 0.069),
    ],
)
def test_value_vehicle_counts_miles_above_and_below_the_usual(off: int, logarithm: float) -> None:
    usual, found = (
        value_vehicle(10_000_000_00, model_year=2006, miles=USUAL_MILES * 20.5 + more, today=TODAY).middle
        for more in (0, off)
    )

    assert math.log(found / usual) == pytest.approx(logarithm, abs=1e-6)


def test_value_vehicle_counts_25_years_at_most() -> None:
    first, second = (
        value_vehicle(10_000_000_00, model_year=year, miles=300_000, today=TODAY).middle
        for year in (2001, 1990)
    )

    assert math.log(first / 10_000_000_00) == pytest.approx(-0.10 * 5 - 0.17 * 20, abs=1e-5)
    assert second == first


def test_value_vehicle_trend_of_a_new_vehicle_begins_without_age_and_miles() -> None:
    trend = value_vehicle(30_000_00, model_year=2026, miles=1_000, today=TODAY).trend

    assert trend[0].value == 30_000_00


def test_value_vehicle_is_the_scrap_value_at_least() -> None:
    result = value_vehicle(9_000_00, model_year=1985, miles=480_000, today=TODAY)

    assert result.low == result.middle == 500_00


def test_value_vehicle_trend_covers_a_year_back_and_ahead() -> None:
    trend = value_vehicle(30_000_00, model_year=2020, miles=None, today=TODAY).trend

    assert [one.month for one in trend[:2]] == [date(2025, 7, 1), date(2025, 8, 1)]
    assert [one.is_projected for one in trend] == [False] * 13 + [True] * 12
    assert trend[12].value == value_vehicle(30_000_00, model_year=2020, miles=None, today=TODAY).middle


@pytest.mark.parametrize(("months", "year"), [(12, 2027), (-12, 2025)])
def test_value_vehicle_trend_expects_the_usual_miles_of_each_month(months: int, year: int) -> None:
    then = TODAY.replace(year=year, day=1)
    trend = value_vehicle(30_000_00, model_year=2020, miles=100_000, today=TODAY).trend
    miles = 100_000 + USUAL_MILES * months / 12

    assert trend[12 + months].month == then
    assert (
        trend[12 + months].value == value_vehicle(30_000_00, model_year=2020, miles=miles, today=then).middle
    )


@given(LEVELS, YEARS, MILES)
def test_value_vehicle_low_middle_and_high_are_ordered(level: int, year: int, miles: float | None) -> None:
    result = value_vehicle(level, model_year=year, miles=miles, today=TODAY)
    assert 0 < result.low <= result.middle <= result.high
    values = [one.value for one in result.trend]

    assert values == sorted(values, reverse=True)


@given(LEVELS, YEARS, st.floats(0, 400_000), st.floats(0, 100_000))
def test_value_vehicle_falls_with_miles(level: int, year: int, miles: float, more: float) -> None:
    now = value_vehicle(level, model_year=year, miles=miles, today=TODAY)

    assert value_vehicle(level, model_year=year, miles=miles + more, today=TODAY).middle <= now.middle


@given(LEVELS, st.integers(2002, 2026), st.floats(0, 300_000))
def test_value_vehicle_falls_with_age_at_the_usual_pace(level: int, year: int, miles: float) -> None:
    now = value_vehicle(level, model_year=year, miles=miles, today=TODAY)

    assert (
        value_vehicle(level, model_year=year, miles=miles + 12_000, today=date(2027, 7, 1)).middle
        <= now.middle
    )


@given(YEARS, st.floats(0, 300_000), LEVELS, st.integers(2, 5))
def test_value_vehicle_scales_with_its_level(year: int, miles: float, level: int, factor: int) -> None:
    now = value_vehicle(level, model_year=year, miles=miles, today=TODAY).middle
    higher = value_vehicle(level * factor, model_year=year, miles=miles, today=TODAY).middle
    if now > 500_00:
        assert higher == pytest.approx(now * factor, abs=factor)


def test_age_of_is_never_negative() -> None:
    assert age_of(2028, TODAY) == 0
