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


def test_a_fare_is_a_base_and_the_miles_of_road_beyond_those_included() -> None:
    asked = fare(TABLE, "towing", great_circle_miles=10, local=_NOON)
    assert asked.distance_miles == 13
    assert asked.distance_fare == 3_200
    assert asked.total == 10_700


def test_the_dearest_of_the_rules_that_hold_counts() -> None:
    table = evolve(TABLE, times=(_WEEKEND, _NIGHT))
    saturday_night = datetime(2026, 3, 7, 23)  # noqa: DTZ001
    asked = fare(table, "towing", great_circle_miles=0, local=saturday_night)
    assert (asked.surcharge, asked.surcharge_reason) == (1_875, "night")
    assert asked.total == 9_375


def test_a_surcharge_is_exact() -> None:
    dear = TimeRule(name="dear", percent=Decimal("8.2"))
    prices = evolve(TABLE.services["towing"], base=7_750)
    table = evolve(TABLE, times=(dear,), services={"towing": prices})
    # 635.5 cents; in binary floating-point numbers it is a little less.
    assert fare(table, "towing", great_circle_miles=0, local=_NOON).surcharge == 636


@pytest.mark.parametrize(
    ("local", "holds"),
    [
        (datetime(2026, 3, 4, 21, 59), False),  # noqa: DTZ001
        (datetime(2026, 3, 4, 22), True),  # noqa: DTZ001
        (datetime(2026, 3, 5, 5, 59), True),  # noqa: DTZ001
        (datetime(2026, 3, 5, 6), False),  # noqa: DTZ001
    ],
)
def test_a_night_ends_the_next_morning(local: datetime, *, holds: bool) -> None:
    assert _NIGHT.holds(local) is holds


def test_a_night_belongs_to_the_day_that_it_began_on() -> None:
    friday_night = TimeRule(name="friday", percent=5, days=frozenset({4}), since=time(22), until=time(6))
    assert friday_night.holds(datetime(2026, 3, 7, 5))  # noqa: DTZ001 - Saturday morning
    assert not friday_night.holds(datetime(2026, 3, 6, 5))  # noqa: DTZ001 - Friday morning


_LOCAL = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1))  # noqa: DTZ001
_MILES = st.floats(0, 3_000)


@given(_MILES, _LOCAL)
def test_the_parts_add_up_to_the_cent_unless_the_minimum_is_more(miles: float, local: datetime) -> None:
    asked = fare(evolve(TABLE, times=(_WEEKEND, _NIGHT)), "towing", great_circle_miles=miles, local=local)
    parts = asked.base_fare + asked.distance_fare + asked.surcharge
    assert asked.total == max(parts, asked.minimum)
    assert min(asked.base_fare, asked.distance_fare, asked.surcharge) >= 0


@given(_MILES, _MILES, _LOCAL)
def test_a_longer_way_is_never_cheaper(one: float, other: float, local: datetime) -> None:
    near, far = sorted((one, other))
    totals = [fare(TABLE, "towing", great_circle_miles=miles, local=local).total for miles in (near, far)]
    assert totals == sorted(totals)


@given(_LOCAL)
def test_a_rule_without_times_holds_all_day(local: datetime) -> None:
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    assert _WEEKEND.holds(local) is _WEEKEND.holds(midnight + timedelta(hours=23))


@given(_MILES)
def test_nobody_is_there_at_once(miles: float) -> None:
    assert TABLE.minutes_of(miles) >= 1
