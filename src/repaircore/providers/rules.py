"""Who can come to a place: first by a box around it, which a database can look in, then exactly."""

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
    """The latitudes and longitudes of what is not too far; ``width`` degrees to either side, over the date line too."""

    south: float
    north: float
    longitude: float
    width: float


def box(point: Point, reach: float = MOST_MILES) -> Box:
    """Give a box that holds everything within so many miles; around a pole it goes all around."""
    height = reach / MILES_PER_DEGREE
    around = abs(point.latitude) + height >= _QUARTER
    width = _HALF if around else degrees(asin(sin(radians(height)) / cos(radians(point.latitude))))
    return Box(
        south=point.latitude - height,
        north=point.latitude + height,
        longitude=point.longitude,
        width=width,
    )


def who_comes(candidates: Iterable[P], point: Point, at: datetime) -> Iterator[NearbyProvider[P]]:
    """Give those who come as far as to the point and work at the moment, nearest first, of equal ones the older.

    Whether somebody works is looked at when it is their turn: whoever has enough asks no farther.
    """
    near = (NearbyProvider(provider=one, miles=miles(one.point, point)) for one in candidates)
    reaching = [one for one in near if one.miles <= one.provider.radius_miles]
    reaching.sort(key=lambda one: (one.miles, one.provider.id))
    return (one for one in reaching if one.provider.is_open(at))
