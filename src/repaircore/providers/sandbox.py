"""The sandbox fleet of the test environment: who stands in around a place, and what they answer.

Nothing is left to chance: the same place has the same stand-ins, and the same request the same answers. A neighborhood has
one fleet, however many requests come from it.
"""

from hashlib import blake2b
from math import asin, atan2, cos, degrees, floor, radians, sin
from typing import Final

from attrs import frozen

from repaircore.kernel.geo import Point

__all__ = ["FLEET", "Answer", "StandIn", "answer", "stand_ins"]

FLEET: Final = 3
"""So many stand in around each place."""

_CELL: Final = 0.1
"""Degrees: a neighborhood is about seven miles high."""
_MILES_AROUND: Final = 3_958.8
_NAMES: Final = ("Avery", "Blake", "Casey", "Devon", "Emery", "Finley", "Harper", "Jordan", "Morgan", "Riley")
_MILES_PER_MINUTE: Final = 0.4
_ROAD: Final = 1.3
"""Roads are so much longer than a great circle."""
_CHEAPEST: Final = 90
_DEAREST: Final = 115


@frozen(kw_only=True)
class StandIn:
    """Who stands in: ``identity`` is theirs alone, in one neighborhood; the phone number is one of fiction."""

    identity: str
    name: str
    phone: str
    point: Point


@frozen(kw_only=True)
class Answer:
    """What a stand-in asks, as a factor on the fare, and in how many minutes they come."""

    price_factor: float
    arrival_minutes: int


def stand_ins(place: Point) -> tuple[StandIn, ...]:
    """Give the fleet around a place: one to the north-east, one to the south, one to the north-west."""
    row, column = floor(place.latitude / _CELL), floor(place.longitude / _CELL)
    middle = Point((row + 0.5) * _CELL, (column + 0.5) * _CELL)
    return tuple(_stand_in(f"{row}/{column}/{number}", middle, number) for number in range(FLEET))


def answer(seed: str, number: int, miles: float) -> Answer:
    """Give what the stand-in of a number answers to the request that ``seed`` names."""
    drawn = _drawn(f"{seed}/{number}")
    factor = _CHEAPEST + drawn % (_DEAREST - _CHEAPEST + 1)
    getting_ready = 3 + drawn // 1_000 % 5
    return Answer(
        price_factor=factor / 100,
        arrival_minutes=getting_ready + round(miles * _ROAD / _MILES_PER_MINUTE),
    )


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
