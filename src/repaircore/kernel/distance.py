"""Distances over the earth."""

from haversine import Unit, haversine

from repaircore.kernel.geo import Point

__all__ = ["MILES_PER_DEGREE", "miles"]

MILES_PER_DEGREE = 69.0
"""Miles in a degree of latitude, rounded down: two points that many degrees apart are farther."""


def miles(start: Point, end: Point) -> float:
    """Give the great-circle distance in miles."""
    return float(haversine((start.latitude, start.longitude), (end.latitude, end.longitude), unit=Unit.MILES))
