"""The box around a place holds whoever is near enough."""

from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.geo import Point, miles
from repaircore.providers.rules import box

POINTS = st.builds(Point, st.floats(-90, 90), st.floats(-180, 180))


def require_inside(place: Point, other: Point, reach: float) -> None:
    if miles(place, other) > reach:
        return
    found = box(place, reach)
    apart = abs(other.longitude - found.longitude)
    assert found.south <= other.latitude <= found.north
    assert apart <= found.width or apart >= 360 - found.width


@given(POINTS, POINTS, st.floats(0.1, 200))
def test_whoever_is_near_enough_is_in_the_box(place: Point, other: Point, reach: float) -> None:
    require_inside(place, other, reach)


@given(POINTS, st.floats(-1, 1), st.floats(-1, 1), st.floats(0.1, 200))
def test_a_neighbor_is_in_the_box(place: Point, north: float, east: float, reach: float) -> None:
    latitude = max(-90.0, min(90.0, place.latitude + north * reach / 69))
    other = Point(latitude, (place.longitude + east * 6 + 540) % 360 - 180)
    require_inside(place, other, reach)


def test_the_box_of_a_usual_place_is_narrow() -> None:
    assert box(Point(40.0, -83.0), 69.0).width < 1.4
    assert box(Point(89.0, -83.0), 100.0).width == 180
