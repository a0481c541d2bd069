"""Find the providers that can come to a place: first in a box around it, which a database can search, then exactly."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from math import asin, cos, degrees, radians, sin

from attrs import frozen

from repaircore.kernel.geo import MILES_PER_DEGREE, Point, miles
from repaircore.providers.model import MOST_MILES, NearbyProvider, P

_QUARTER = 90.0
_HALF = 180.0


@frozen(kw_only=True)
class Box:
    """A range of latitudes, and of longitudes up to ``width`` degrees to either side of ``longitude``.

    It may cross the date line.
    """

    south: float
    north: float
    longitude: float
    width: float


def bounding_box(point: Point, reach: float = MOST_MILES) -> Box:
    """Return a box that contains everything within ``reach`` miles; near a pole, it includes all longitudes."""
    height = reach / MILES_PER_DEGREE
    has_pole = abs(point.latitude) + height >= _QUARTER
    width = _HALF if has_pole else degrees(asin(sin(radians(height)) / cos(radians(point.latitude))))
    return Box(
        south=point.latitude - height, north=point.latitude + height, longitude=point.longitude, width=width
    )


def find_nearby(providers: Iterable[P], point: Point, at: datetime) -> Iterator[NearbyProvider[P]]:
    """Yield the providers that can reach a point and are open at a time, nearest first, then oldest first.

    Whether a provider is open is checked only when the iterator reaches it.
    """
    all_nearby = (
        NearbyProvider(provider=provider, miles=miles(provider.point, point)) for provider in providers
    )
    in_reach = [nearby for nearby in all_nearby if nearby.miles <= nearby.provider.radius_miles]
    in_reach.sort(key=lambda nearby: (nearby.miles, nearby.provider.id))
    return (nearby for nearby in in_reach if nearby.provider.is_open(at))
