"""The sandbox fleet is plausible, and never random."""

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


def test_sandbox_providers_are_shared_within_a_neighborhood() -> None:
    here, nearby, elsewhere = (
        sandbox_providers(Point(latitude, -83.05)) for latitude in (39.96, 39.97, 41.0)
    )

    assert here == nearby
    assert not {provider.identity for provider in here} & {provider.identity for provider in elsewhere}
