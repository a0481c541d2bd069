"""The sandbox fleet is plausible, and never random."""

from math import floor

from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.geo import Point, miles
from repaircore.kernel.phones import e164
from repaircore.providers.sandbox import FLEET_SIZE, sandbox_providers

PLACES = st.builds(Point, st.floats(-89, 89), st.floats(-180, 180))


@given(PLACES)
def test_sandbox_providers_are_around_their_place(place: Point) -> None:
    fleet = sandbox_providers(place)

    assert sandbox_providers(place) == fleet
    assert (
        len({provider.identity for provider in fleet})
        == len({provider.point for provider in fleet})
        == FLEET_SIZE
    )

    for provider in fleet:
        assert -90 <= provider.point.latitude <= 90
        assert -180 <= provider.point.longitude <= 180
        assert miles(place, provider.point) < 12
        assert e164(provider.phone) == provider.phone


@given(st.builds(Point, st.floats(-70, 70), st.floats(-179, 179)))
def test_sandbox_providers_are_to_the_north_east_the_south_and_the_north_west(place: Point) -> None:
    middle = Point(floor(place.latitude / 0.1) * 0.1 + 0.05, floor(place.longitude / 0.1) * 0.1 + 0.05)
    east, south, west = (provider.point for provider in sandbox_providers(place))

    assert all(0.99 < miles(middle, point) < 3.01 for point in (east, south, west))
    assert east.latitude > middle.latitude
    assert west.latitude > middle.latitude - 0.001  # one may be due west
    assert south.latitude < middle.latitude
    assert west.longitude < middle.longitude < east.longitude


def test_sandbox_providers_are_shared_within_a_neighborhood() -> None:
    here, nearby, elsewhere = (
        sandbox_providers(Point(latitude, -83.05)) for latitude in (39.96, 39.97, 41.0)
    )

    assert here == nearby
    assert not {provider.identity for provider in here} & {provider.identity for provider in elsewhere}
