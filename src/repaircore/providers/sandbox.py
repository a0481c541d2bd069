"""The sandbox fleet of the test environment: made-up providers around a place.

Nothing is random: the same place always has the same fleet, and all places in a neighborhood share it.
"""

from hashlib import blake2b
from math import asin, atan2, cos, degrees, floor, radians, sin
from typing import Final

from attrs import frozen

from repaircore.kernel.geo import Point

FLEET_SIZE: Final = 3

_CELL: Final = 0.1
"""The size of a neighborhood in degrees; it is about seven miles from south to north."""
_EARTH_RADIUS: Final = 3_958.8
_NAMES: Final = ("Avery", "Blake", "Casey", "Devon", "Emery", "Finley", "Harper", "Jordan", "Morgan", "Riley")


@frozen(kw_only=True)
class SandboxProvider:
    """A made-up provider: ``identity`` is unique across all neighborhoods; the phone number is fictional."""

    identity: str
    name: str
    phone: str
    point: Point


def sandbox_providers(place: Point) -> tuple[SandboxProvider, ...]:
    """Return the fleet around a place: one to the northeast, one to the south, and one to the northwest."""
    row, column = floor(place.latitude / _CELL), floor(place.longitude / _CELL)
    center = Point((row + 0.5) * _CELL, (column + 0.5) * _CELL)
    return tuple(_provider(f"{row}/{column}/{number}", center, number) for number in range(FLEET_SIZE))


def _provider(name: str, center: Point, number: int) -> SandboxProvider:
    digest = _digest(name)
    distance = 1.0 + digest % 200 / 100
    bearing = 30 + number * (360 / FLEET_SIZE) + digest // 1_000 % 60
    return SandboxProvider(
        identity=f"sandbox/{name}",
        name=_NAMES[digest // 100_000 % len(_NAMES)],
        # 555-0100 to 555-0199 are reserved for fiction in every area code.
        phone=f"+1202555{100 + digest // 10_000_000 % 100:04}",
        point=_move(center, miles=distance, bearing=bearing),
    )


def _move(start: Point, *, miles: float, bearing: float) -> Point:
    """Return the point at a distance along a great circle, rounded to a few inches."""
    angle, latitude, course = miles / _EARTH_RADIUS, radians(start.latitude), radians(bearing)
    end = asin(sin(latitude) * cos(angle) + cos(latitude) * sin(angle) * cos(course))
    turn = atan2(sin(course) * sin(angle) * cos(latitude), cos(angle) - sin(latitude) * sin(end))
    longitude = (start.longitude + degrees(turn) + 540) % 360 - 180
    return Point(round(degrees(end), 6), round(longitude, 6))


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
