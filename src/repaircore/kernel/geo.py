"""Points on the earth."""

from attrs import frozen


@frozen
class Point:
    """A place in degrees, WGS 84: latitude −90 to 90, longitude −180 to 180."""

    latitude: float
    longitude: float


MILES_PER_DEGREE = 69.0
"""Miles in a degree of latitude, rounded down: two points that many degrees apart are farther."""


def miles(start: Point, end: Point) -> float:
    """Return the great-circle distance in miles."""
    # haversine imports NumPy where there is one: whoever only knows a place does not wait for that.
    from haversine import Unit, haversine  # noqa: PLC0415

    return float(haversine((start.latitude, start.longitude), (end.latitude, end.longitude), unit=Unit.MILES))
