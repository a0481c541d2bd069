"""The bounding box of a place contains every point within reach."""

from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.geo import Point, miles
from repaircore.providers.nearby import bounding_box

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


def test_bounding_box_is_narrow_except_near_a_pole() -> None:
    assert bounding_box(Point(40.0, -83.0), 69.0).width < 1.4
    assert bounding_box(Point(89.0, -83.0), 100.0).width == 180
