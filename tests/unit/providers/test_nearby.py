"""The bounding box of a place contains every point within reach."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point, miles
from repaircore.kernel.hours import parse_weekly
from repaircore.providers.model import Provider
from repaircore.providers.nearby import bounding_box, find_nearby

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)

POINTS = st.builds(Point, st.floats(-90, 90), st.floats(-180, 180))


def require_inside(place: Point, other: Point, reach: float) -> None:
    if miles(place, other) > reach:
        return
    box = bounding_box(place, reach)
    distance = abs(other.longitude - box.longitude)
    assert box.south <= other.latitude <= box.north
    assert distance <= box.width or distance >= 360 - box.width


@given(POINTS, POINTS, st.floats(0.1, 200))
def test_bounding_box_contains_every_point_within_reach(place: Point, other: Point, reach: float) -> None:
    require_inside(place, other, reach)


@given(POINTS, st.floats(-1, 1), st.floats(-1, 1), st.floats(0.1, 200))
def test_bounding_box_contains_a_neighbor(place: Point, north: float, east: float, reach: float) -> None:
    latitude = max(-90.0, min(90.0, place.latitude + north * reach / 69))
    other = Point(latitude, (place.longitude + east * 6 + 540) % 360 - 180)

    require_inside(place, other, reach)


def _provider(number: int, latitude: float, **fields: Any) -> Provider:
    return Provider(
        id=number,
        ref=f"drv_{number}",
        environment=Environment.TEST,
        name="Ada",
        phone=None,
        abilities=frozenset(),
        point=Point(latitude, -83.0),
        time_zone="UTC",
        created_at=NOON,
        updated_at=NOON,
        **fields,
    )


def test_nearby_providers_are_in_reach_and_open_the_nearest_and_oldest_first() -> None:
    place = Point(40.0, -83.0)
    reach = miles(place, Point(40.2, -83.0))
    providers = [
        _provider(5, 40.1),
        _provider(4, 40.1),
        _provider(3, 40.0),
        _provider(2, 40.2, radius_miles=reach),
        _provider(1, 40.2, radius_miles=reach - 0.01),
        _provider(6, 40.0, weekly=parse_weekly("mon-sun 08:00-12:00")),
        _provider(7, 40.15, weekly=parse_weekly("mon-sun 12:00-13:00")),
    ]
    found = list(find_nearby(providers, place, NOON))

    assert [near.provider.id for near in found] == [3, 4, 5, 7, 2]
    assert found[0].miles == 0
    assert found[-1].miles == reach


@pytest.mark.parametrize(
    ("total", "count", "rating"), [(0, 0, None), (5, 1, 5.0), (13, 3, 4.33), (14, 3, 4.67), (1, 1, 1.0)]
)
def test_rating_is_the_average_to_two_decimals(total: int, count: int, rating: float | None) -> None:
    assert _provider(1, 40.0, rating_sum=total, rating_count=count).rating == rating


def test_bounding_box_is_narrow_except_near_a_pole() -> None:
    assert bounding_box(Point(40.0, -83.0), 69.0).width < 1.4
    assert bounding_box(Point(89.0, -83.0), 100.0).width == 180
