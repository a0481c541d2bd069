from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.facilities.model import Facility, ZipPlace
from repaircore.facilities.region import NEAR, region_of
from repaircore.kernel.geo import MILES_PER_DEGREE, Point, miles

HOME = Point(34.09, -118.41)
PLACE = ZipPlace(zip_code="90210", state="CA", point=HOME, time_zone="America/Los_Angeles")

points = st.builds(Point, st.floats(-89, 89), st.floats(-180, 180))


def shop(number: int, point: Point | None) -> Facility:
    return Facility(
        id=number,
        name=f"Shop {number}",
        city="Town",
        state="NV",
        zip_code="89101",
        country="US",
        avg_labor_rate=12_000,
        point=point,
        created_at=datetime(2025, 1, 1, tzinfo=UTC),
    )


def north(distance: float) -> Point:
    return Point(HOME.latitude + distance / 69.1, HOME.longitude)


def test_distance_between_two_cities_is_known() -> None:
    assert miles(Point(40.7128, -74.0060), Point(34.0522, -118.2437)) == pytest.approx(2445.6, abs=1)


@given(points, points)
def test_distance_is_the_same_both_ways(start: Point, end: Point) -> None:
    assert miles(start, end) == pytest.approx(miles(end, start))


@given(points, points)
def test_latitude_alone_never_overstates_the_distance(start: Point, end: Point) -> None:
    assert abs(start.latitude - end.latitude) * MILES_PER_DEGREE <= miles(start, end) + 1e-6


def test_region_has_all_shops_nearby_nearest_first() -> None:
    region = region_of(PLACE, [shop(1, north(30)), shop(2, north(10)), shop(3, north(-20))])

    assert region.shops == (shop(2, north(10)), shop(3, north(-20)), shop(1, north(30)))
    assert region.state == "CA"


def test_region_is_the_state_without_a_shop_nearby() -> None:
    region = region_of(PLACE, [shop(1, north(NEAR + 2)), shop(2, None)])

    assert (region.shops, region.state) == ((), "CA")


def test_region_ignores_the_order_of_equally_near_shops() -> None:
    one, two = shop(1, north(10)), shop(2, north(10))

    assert region_of(PLACE, [two, one]).shops == region_of(PLACE, [one, two]).shops == (one, two)


@given(st.lists(points, max_size=8))
def test_region_has_exactly_the_shops_nearby(locations: list[Point]) -> None:
    shops = [shop(number, point) for number, point in enumerate(locations)]
    near = {number for number, point in enumerate(locations) if miles(HOME, point) <= NEAR}

    assert {one.id for one in region_of(PLACE, shops).shops} == near
