"""The health of a set of tires.

A tire's health is the product of three factors, each 0 to 1:

    tread    = (depth - 2) / (new - 2), at most 1/4 if depth is below 4/32 of an inch
    age      = 1 for six years, falling to 0.4 at ten
    pressure = 1 - min(0.3, 2 · |pressure / recommended - 1|)

The health of a set is 0.7 times its worst tire plus 0.3 times the mean; a difference of more than 2/32 on an axle, or
between the axles, costs 0.1. Shops replace tires at 4/32. At 2/32 the wear bars are level with the tread, which is
illegal in most states. If one tire is worn down to them, or flat (below 20 psi), the vehicle is unfit to drive, and the
health of the set is at most 0.05.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from statistics import fmean
from typing import Final

from attrs import frozen

NEW: Final = 10.0
"""The tread of a new passenger tire, in 32nds of an inch."""

REPLACE: Final = 4.0
LEGAL: Final = 2.0
"""A tire with this tread or less is illegal to drive on in most states."""

FLAT_PSI: Final = 20.0
"""Below this pressure, a tire is flat: its sidewalls carry the load, and fail."""

_UNFIT: Final = 0.05

_QUARTER: Final = 0.25
_YOUNG: Final = 6.0
_OLD: Final = 10.0
_OLD_FACTOR: Final = 0.4
_MOST_OFF: Final = 0.3
_SLOPE: Final = 2.0
_WORST: Final = 0.7
_AXLES_MAY_DIFFER: Final = 2.0
_UNEVEN_COSTS: Final = 0.10
_MILES_PER_32ND: Final = 6_250.0
"""The miles per 32nd of an inch of a tire that wears from 10/32 to 2/32 in 50,000 miles."""

_LEAST_WORN: Final = 1.0
_FASTEST: Final = 500.0
_SLOWEST: Final = 25_000.0


class Position(StrEnum):
    """The position of a tire."""

    FRONT_LEFT = "front_left"
    FRONT_RIGHT = "front_right"
    REAR_LEFT = "rear_left"
    REAR_RIGHT = "rear_right"

    @property
    def is_front(self) -> bool:
        """Return whether the tire is on the front axle."""
        return self in {Position.FRONT_LEFT, Position.FRONT_RIGHT}


@frozen(kw_only=True)
class Tire:
    """A measured tire. Tread is in 32nds of an inch, pressure in psi, age in years; None means not measured.

    ``miles`` is the distance driven since the tire was new.
    """

    depth: float
    new_depth: float = NEW
    age: float | None = None
    pressure: float | None = None
    recommended: float | None = None
    miles: float | None = None

    @property
    def is_unfit(self) -> bool:
        """Return whether the tire is unsafe to drive on: worn down to the wear bars, or flat."""
        return self.depth <= LEGAL or (self.pressure is not None and self.pressure < FLAT_PSI)

    @property
    def shows_wear(self) -> bool:
        """Return whether the tire is worn enough to show a rate of wear."""
        return self.new_depth - self.depth >= _LEAST_WORN


@frozen(kw_only=True)
class TireHealth:
    """The factors of a tire's health, each 0 to 1.

    ``miles_left`` is the distance until 4/32, at the tire's own rate of wear if that is known.
    """

    tread: float
    age: float
    pressure: float
    miles_left: float

    @property
    def health(self) -> float:
        """Return the product of the factors."""
        return self.tread * self.age * self.pressure


@frozen(kw_only=True)
class TireSet:
    """A vehicle's tires: health 0 to 1, the worst tire, whether they wear unevenly, and the miles until one is at 4/32.

    ``unfit`` lists the tires that are unsafe to drive on; they cap the health.
    """

    health: float
    unfit: Sequence[Position]
    tires: Mapping[Position, TireHealth]
    worst: Position
    uneven: bool
    miles_left: float


def health_of(tire: Tire) -> TireHealth:
    """Return the health of a tire; what was not measured counts as good."""
    return TireHealth(
        tread=_tread(tire.depth, tire.new_depth),
        age=_age(tire.age),
        pressure=_pressure(tire.pressure, tire.recommended),
        miles_left=max(0.0, tire.depth - REPLACE) * _miles_per_32nd(tire),
    )


def tire_set(tires: Mapping[Position, Tire]) -> TireSet:
    """Return the health of a vehicle's tires, of which at least one must be given."""
    rated = {position: health_of(tire) for position, tire in tires.items()}
    healths = [tire.health for tire in rated.values()]
    uneven = _uneven(tires)
    health = _WORST * min(healths) + (1 - _WORST) * fmean(healths) - _UNEVEN_COSTS * uneven
    unfit = [position for position in Position if position in tires and tires[position].is_unfit]
    return TireSet(
        health=min(max(0.0, health), _UNFIT if unfit else 1.0),
        unfit=unfit,
        tires=rated,
        worst=min(rated, key=lambda position: (rated[position].health, position)),
        uneven=uneven,
        miles_left=min(tire.miles_left for tire in rated.values()),
    )


def _tread(depth: float, new: float) -> float:
    share = min(1.0, max(0.0, (depth - LEGAL) / max(new - LEGAL, 1.0)))
    return min(share, _QUARTER) if depth < REPLACE else share


def _age(years: float | None) -> float:
    if years is None:
        return 1.0
    past = min(1.0, max(0.0, (years - _YOUNG) / (_OLD - _YOUNG)))
    return 1.0 - (1.0 - _OLD_FACTOR) * past


def _pressure(psi: float | None, recommended: float | None) -> float:
    if psi is None or not recommended:
        return 1.0
    return 1.0 - min(_MOST_OFF, _SLOPE * abs(psi / recommended - 1.0))


def _miles_per_32nd(tire: Tire) -> float:
    if tire.miles is None or not tire.shows_wear:
        return _MILES_PER_32ND
    return min(_SLOWEST, max(_FASTEST, tire.miles / (tire.new_depth - tire.depth)))


def _uneven(tires: Mapping[Position, Tire]) -> bool:
    axles: Sequence[list[float]] = ([], [])
    for position, tire in tires.items():
        axles[position.is_front].append(tire.depth)
    return any(max(axle) - min(axle) > _AXLES_MAY_DIFFER for axle in axles if axle) or (
        all(axles) and abs(fmean(axles[0]) - fmean(axles[1])) > _AXLES_MAY_DIFFER
    )
