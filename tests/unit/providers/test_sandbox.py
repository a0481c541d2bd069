"""The sandbox fleet: plausible, and never left to chance."""

from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.geo import Point, miles
from repaircore.kernel.phones import e164
from repaircore.providers.sandbox import FLEET, stand_ins

PLACES = st.builds(Point, st.floats(-89, 89), st.floats(-180, 180))


@given(PLACES)
def test_a_fleet_stands_around_its_place(place: Point) -> None:
    fleet = stand_ins(place)
    assert stand_ins(place) == fleet
    assert len({one.identity for one in fleet}) == len({one.point for one in fleet}) == FLEET
    for one in fleet:
        assert -90 <= one.point.latitude <= 90
        assert -180 <= one.point.longitude <= 180
        assert miles(place, one.point) < 12
        assert e164(one.phone) == one.phone


def test_neighbors_share_a_fleet_and_others_have_another() -> None:
    here, beside, away = (stand_ins(Point(latitude, -83.05)) for latitude in (39.96, 39.97, 41.0))
    assert here == beside
    assert not {one.identity for one in here} & {one.identity for one in away}
