"""The sandbox fleet of the test environment: who stands in around a place.

Nothing is left to chance: the same place has the same stand-ins. A neighborhood has one fleet, however many requests
come from it.
"""

from hashlib import blake2b
from math import asin, atan2, cos, degrees, floor, radians, sin
from typing import Final

from attrs import frozen

from repaircore.kernel.geo import Point

FLEET: Final = 3
"""So many stand in around each place."""

_CELL: Final = 0.1
"""Degrees: a neighborhood is about seven miles high."""
_MILES_AROUND: Final = 3_958.8
_NAMES: Final = ("Avery", "Blake", "Casey", "Devon", "Emery", "Finley", "Harper", "Jordan", "Morgan", "Riley")


@frozen(kw_only=True)
class StandIn:
    """Who stands in: ``identity`` is theirs alone, in one neighborhood; the phone number is one of fiction."""

    identity: str
    name: str
    phone: str
    point: Point


def stand_ins(place: Point) -> tuple[StandIn, ...]:
    """Give the fleet around a place: one to the north-east, one to the south, one to the north-west."""
    row, column = floor(place.latitude / _CELL), floor(place.longitude / _CELL)
    middle = Point((row + 0.5) * _CELL, (column + 0.5) * _CELL)
    return tuple(_stand_in(f"{row}/{column}/{number}", middle, number) for number in range(FLEET))


def _stand_in(where: str, middle: Point, number: int) -> StandIn:
    drawn = _drawn(where)
    away = 1.0 + drawn % 200 / 100
    bearing = 30 + number * (360 / FLEET) + drawn // 1_000 % 60
    return StandIn(
        identity=f"sandbox/{where}",
        name=_NAMES[drawn // 100_000 % len(_NAMES)],
        # 555-0100 to 555-0199 is nobody's, in every area.
        phone=f"+1202555{100 + drawn // 10_000_000 % 100:04}",
        point=_moved(middle, miles=away, bearing=bearing),
    )


def _moved(start: Point, *, miles: float, bearing: float) -> Point:
    """Go along a great circle; coordinates are rounded to some inches."""
    angle, latitude, course = miles / _MILES_AROUND, radians(start.latitude), radians(bearing)
    reached = asin(sin(latitude) * cos(angle) + cos(latitude) * sin(angle) * cos(course))
    turned = atan2(sin(course) * sin(angle) * cos(latitude), cos(angle) - sin(latitude) * sin(reached))
    longitude = (start.longitude + degrees(turned) + 540) % 360 - 180
    return Point(round(degrees(reached), 6), round(longitude, 6))


def _drawn(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
