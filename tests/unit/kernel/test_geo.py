"""Distances on the earth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.geo import MILES_PER_DEGREE, Point, miles

POINTS = st.builds(Point, st.floats(-90, 90), st.floats(-180, 180))
LYON, PARIS = Point(45.7597, 4.8422), Point(48.8567, 2.3508)


def test_distance_of_two_cities_matches_maps() -> None:
    assert miles(LYON, PARIS) == pytest.approx(243.71, abs=0.01)


@given(POINTS, POINTS)
def test_distance_is_symmetric_and_at_most_half_the_earth(start: Point, end: Point) -> None:
    assert miles(start, end) == pytest.approx(miles(end, start))
    assert 0 <= miles(start, end) < 12_438


@given(POINTS)
def test_opposite_point_is_half_the_earth_away(point: Point) -> None:
    opposite = Point(-point.latitude, point.longitude - 180 if point.longitude > 0 else point.longitude + 180)

    assert miles(point, opposite) == pytest.approx(12_436.8, abs=0.1)


@given(st.floats(-89, 89), st.floats(-180, 180))
def test_degree_of_latitude_is_more_than_its_rounded_miles(latitude: float, longitude: float) -> None:
    assert miles(Point(latitude, longitude), Point(latitude + 1, longitude)) > MILES_PER_DEGREE
