"""What a vehicle's age does to the price of parts and to hours; editorial curves, in the spirit of what shops see.

The book's figures are those of a vehicle of middle age. Parts of common makes get cheaper once many makers offer them and
salvage yards are full of them; hours grow as bolts rust and plastic turns brittle.
"""

from typing import Final

__all__ = ["hours_factor", "parts_factor"]

_PARTS_FROM: Final = 10
_PARTS_EACH_YEAR: Final = 0.012
_PARTS_LEAST: Final = 0.84
_HOURS_FROM: Final = 10
_HOURS_EACH_YEAR: Final = 0.006
_HOURS_MOST: Final = 1.10


def parts_factor(age: int | None, *, common: bool, times: float = 1.0) -> float:
    """Return what parts of a vehicle of so many years cost against those of one of middle age.

    Only parts of common makes get cheaper; an age that is not known changes nothing. ``times`` is how many times as
    fast as other parts' the price falls, and how many times as far.
    """
    if age is None or not common:
        return 1.0
    return max(1 - times * (1 - _PARTS_LEAST), 1 - times * _PARTS_EACH_YEAR * max(0, age - _PARTS_FROM))


def hours_factor(age: int | None) -> float:
    """Return how much longer work takes on a vehicle of so many years than on one of middle age."""
    return 1.0 if age is None else min(_HOURS_MOST, 1 + _HOURS_EACH_YEAR * max(0, age - _HOURS_FROM))
