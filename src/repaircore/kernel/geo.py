"""Points on the earth."""

from math import asin, cos, radians, sin, sqrt
from typing import Final

from attrs import frozen


@frozen
class Point:
    """A place in degrees, WGS 84: latitude −90 to 90, longitude −180 to 180."""

    latitude: float
    longitude: float


MILES_PER_DEGREE = 69.0
"""Miles in a degree of latitude, rounded down: two points a degree apart are at least this far from each other."""


_EARTH_RADIUS_MILES: Final = 6371.0088 * 0.621371192
"""The mean radius of the earth, converted from kilometers."""


def miles(start: Point, end: Point) -> float:
    """Return the great-circle distance in miles, on a sphere (the haversine formula)."""
    latitude, other = radians(start.latitude), radians(end.latitude)
    across, along = other - latitude, radians(end.longitude) - radians(start.longitude)
    squared = sin(across * 0.5) ** 2 + cos(latitude) * cos(other) * sin(along * 0.5) ** 2
    # For two opposite points, rounding can go beyond 1, where the arc sine is undefined.
    return _EARTH_RADIUS_MILES * 2 * asin(sqrt(min(squared, 1.0)))
