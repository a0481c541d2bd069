from datetime import datetime, time, timedelta
from decimal import Decimal

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rides.examples import TABLE

from repaircore.rides.fares import TimeRule, fare

_NIGHT = TimeRule(name="night", percent=25, since=time(22), until=time(6))
_WEEKEND = TimeRule(name="weekend", percent=10, days=frozenset({5, 6}))
_NOON = datetime(2026, 3, 4, 12)  # noqa: DTZ001 - local time, a Wednesday


def test_fare_is_the_base_plus_road_miles_beyond_those_included() -> None:
    price = fare(TABLE, "towing", great_circle_miles=10, local=_NOON)

    assert price.distance_miles == 13
    assert price.distance_fare == 3_200
    assert price.total == 10_700


@pytest.mark.parametrize(
    ("great_circle_miles", "miles", "distance_fare"),
    [(1.2345, 1.6, 0), (3.85, 5.0, 0), (3.86, 5.02, 8), (10.001, 13.0, 3_200)],
)
def test_fare_charges_hundredths_of_a_mile_beyond_those_included(
    great_circle_miles: float, miles: float, distance_fare: int
) -> None:
    price = fare(TABLE, "towing", great_circle_miles=great_circle_miles, local=_NOON)

    assert (price.distance_miles, price.distance_fare) == (miles, distance_fare)


def test_fare_applies_the_highest_surcharge_of_several() -> None:
    table = evolve(TABLE, times=(_WEEKEND, _NIGHT))
    saturday_night = datetime(2026, 3, 7, 23)  # noqa: DTZ001
    price = fare(table, "towing", great_circle_miles=0, local=saturday_night)

    assert (price.surcharge, price.surcharge_reason) == (1_875, "night")
    assert price.total == 9_375


def test_fare_computes_a_surcharge_exactly() -> None:
    rush_hour = TimeRule(name="rush hour", percent=Decimal("8.2"))
    prices = evolve(TABLE.services["towing"], base=7_750)
    table = evolve(TABLE, times=(rush_hour,), services={"towing": prices})
    price = fare(table, "towing", great_circle_miles=0, local=_NOON)

    assert price.surcharge == 636  # of 635.5 cents, which is a little less in binary floating point


def test_rule_that_adds_nothing_is_no_reason() -> None:
    holiday = TimeRule(name="holiday", percent=0)
    price = fare(evolve(TABLE, times=(holiday,)), "towing", great_circle_miles=10, local=_NOON)

    assert (price.surcharge, price.surcharge_reason, price.total) == (0, None, 10_700)


@pytest.mark.parametrize(
    ("local", "expected"),
    [
        (datetime(2026, 3, 4, 21, 59), False),  # noqa: DTZ001
        (datetime(2026, 3, 4, 22), True),  # noqa: DTZ001
        (datetime(2026, 3, 5, 5, 59), True),  # noqa: DTZ001
        (datetime(2026, 3, 5, 6), False),  # noqa: DTZ001
    ],
)
def test_time_rule_past_midnight_ends_the_next_morning(local: datetime, *, expected: bool) -> None:
    assert _NIGHT.applies(local) is expected


def test_time_rule_past_midnight_belongs_to_the_day_on_which_it_starts() -> None:
    friday_night = TimeRule(name="friday", percent=5, days=frozenset({4}), since=time(22), until=time(6))

    assert friday_night.applies(datetime(2026, 3, 7, 5))  # noqa: DTZ001 - Saturday morning
    assert not friday_night.applies(datetime(2026, 3, 6, 5))  # noqa: DTZ001 - Friday morning


@pytest.mark.parametrize(
    ("local", "expected"),
    [
        (datetime(2026, 3, 4, 6, 59), False),  # noqa: DTZ001
        (datetime(2026, 3, 4, 7), True),  # noqa: DTZ001
        (datetime(2026, 3, 4, 8, 59), True),  # noqa: DTZ001
        (datetime(2026, 3, 4, 9), False),  # noqa: DTZ001
        (datetime(2026, 3, 4, 23), False),  # noqa: DTZ001
        (datetime(2026, 3, 7, 8), False),  # noqa: DTZ001 - a Saturday
        (datetime(2026, 3, 8, 8), False),  # noqa: DTZ001 - a Sunday, and not the end of Saturday's
    ],
)
def test_time_rule_within_one_day_ends_that_day(local: datetime, *, expected: bool) -> None:
    rush = TimeRule(name="rush", percent=8, days=frozenset(range(5)), since=time(7), until=time(9))

    assert rush.applies(local) is expected


_LOCAL = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1))  # noqa: DTZ001
_MILES = st.floats(0, 3_000)


@given(_MILES, _LOCAL)
def test_fare_adds_up_to_the_cent_unless_the_minimum_is_more(miles: float, local: datetime) -> None:
    price = fare(evolve(TABLE, times=(_WEEKEND, _NIGHT)), "towing", great_circle_miles=miles, local=local)
    parts = price.base_fare + price.distance_fare + price.surcharge

    assert price.total == max(parts, price.minimum)
    assert min(price.base_fare, price.distance_fare, price.surcharge) >= 0


@given(_MILES, _MILES, _LOCAL)
def test_fare_of_a_longer_trip_is_never_lower(first: float, second: float, local: datetime) -> None:
    near, far = sorted((first, second))
    totals = [fare(TABLE, "towing", great_circle_miles=miles, local=local).total for miles in (near, far)]

    assert totals == sorted(totals)


@given(_LOCAL)
def test_time_rule_without_times_applies_all_day(local: datetime) -> None:
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)

    assert _WEEKEND.applies(local) is _WEEKEND.applies(midnight + timedelta(hours=23))


@pytest.mark.parametrize(("miles", "minutes"), [(0, 6), (10, 36), (10.1, 36), (10.2, 37)])
def test_arrival_minutes_are_those_to_leave_and_to_drive_by_road(miles: float, minutes: int) -> None:
    assert TABLE.arrival_minutes(miles) == minutes


@given(_MILES)
def test_arrival_minutes_are_at_least_one(miles: float) -> None:
    assert TABLE.arrival_minutes(miles) >= 1
    assert evolve(TABLE, minutes_to_leave=0).arrival_minutes(miles / 10_000) == 1
