"""Points on the earth."""

from attrs import frozen

__all__ = ["Point"]


@frozen
class Point:
    """A place in degrees, WGS 84: latitude −90 to 90, longitude −180 to 180."""

    latitude: float
    longitude: float
