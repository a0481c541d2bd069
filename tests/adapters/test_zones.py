from zoneinfo import ZoneInfo

import pytest

from repaircore.adapters.lookups.zip_codes import NearestZones
from repaircore.kernel.geo import Point

_zones = NearestZones()


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        (Point(40.7128, -74.006), "America/New_York"),
        (Point(41.88, -87.63), "America/Chicago"),
        (Point(33.45, -112.07), "America/Phoenix"),
        (Point(34.05, -118.25), "America/Los_Angeles"),
        (Point(21.31, -157.86), "Pacific/Honolulu"),
        (Point(61.22, -149.9), "America/Anchorage"),
        (Point(30.0, -87.5), "America/Chicago"),  # off the coast
    ],
)
def test_nearest_zones_returns_the_zone_of_the_nearest_zip_code(place: Point, zone: str) -> None:
    found = _zones(place)

    assert isinstance(found, ZoneInfo)
    assert found.key == zone


@pytest.mark.parametrize("place", [Point(0, 0), Point(90, 180), Point(-90, -180), Point(50, 10)])
def test_nearest_zones_returns_utc_far_from_all_zip_codes(place: Point) -> None:
    assert _zones(place).utcoffset(None) is not None
    assert str(_zones(place)) == "UTC"
