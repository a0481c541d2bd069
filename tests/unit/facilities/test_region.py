from datetime import UTC, datetime

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.facilities.model import Facility, ZipPlace
from repaircore.facilities.region import NEAR, EnteredRate, entered_rate, is_near, nearest_shops, region_of
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


@pytest.mark.parametrize("side", [1, -1])
def test_region_ends_at_fifty_miles(side: int) -> None:
    inside, outside = shop(1, north(side * 49.9)), shop(2, north(side * 50.1))

    assert region_of(PLACE, [inside, outside]).shops == (inside,)
    assert region_of(evolve(PLACE, point=None), [inside]).shops == ()
    assert is_near(HOME, north(side * 49.9))
    assert not is_near(HOME, north(side * 50.1))


def _priced(number: int, distance: float, rate: int | None, invoices: int = 0) -> Facility:
    return evolve(shop(number, north(distance)), avg_labor_rate=rate, sample_size=invoices)


@pytest.mark.parametrize(
    ("shops", "rate"),
    [
        ([], None),
        ([_priced(1, 1, None), _priced(2, 2, 0)], None),
        ([_priced(1, 1, None), _priced(2, 2, 150_00)], EnteredRate(150_00)),
        ([_priced(1, 1, 150_00), _priced(2, 2, 90_00)], EnteredRate(150_00)),
        ([_priced(1, 1, 150_00), _priced(2, 1, 90_01)], EnteredRate(120_01, 2)),
        ([_priced(1, 1, 150_00, 5), _priced(2, 1, 90_00)], EnteredRate(90_00)),
        ([_priced(1, 1, 150_00, 5), _priced(2, 2, 90_00)], None),
    ],
    ids=["none", "no rates", "next", "nearest", "mean", "entered of equally near", "learned"],
)
def test_entered_rate_is_of_the_nearest_shops_with_a_rate(
    shops: list[Facility], rate: EnteredRate | None
) -> None:
    assert entered_rate(region_of(PLACE, shops)) == rate


def test_nearest_shops_are_those_at_the_same_point() -> None:
    one, two, three = shop(1, north(10)), shop(2, north(10)), shop(3, north(11))

    assert nearest_shops(region_of(PLACE, [three, two, one])) == (one, two)
    assert nearest_shops(region_of(PLACE, [])) == ()


def test_region_ignores_the_order_of_equally_near_shops() -> None:
    one, two = shop(1, north(10)), shop(2, north(10))

    assert region_of(PLACE, [two, one]).shops == region_of(PLACE, [one, two]).shops == (one, two)


@given(st.lists(points, max_size=8))
def test_region_has_exactly_the_shops_nearby(locations: list[Point]) -> None:
    shops = [shop(number, point) for number, point in enumerate(locations)]
    near = {number for number, point in enumerate(locations) if miles(HOME, point) <= NEAR}

    assert {one.id for one in region_of(PLACE, shops).shops} == near
