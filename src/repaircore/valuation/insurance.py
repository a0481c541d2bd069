"""Score the likely cost of a vehicle to its insurer, compared with others. Only the vehicle is rated, never a person.

    E    = frequency · severity · (value / median value)^½ · (1 + ½·(1 - health/100))
    risk = 100 · (1 - 2^(-E))

so that an average vehicle in perfect health scores 50. Frequency depends on the segment, severity on the cost of parts.
The weights are judgments; they were not measured on claims.
"""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.vehicle_facts.model import Segment

MEDIAN_VALUE: Final[Cents] = 15_000_00
"""The median value of vehicles on US roads; the project's own judgment."""

_FREQUENCY: Final[Mapping[Segment, float]] = {
    Segment.SMALL_CAR: 1.10,
    Segment.MIDSIZE_CAR: 1.05,
    Segment.LARGE_CAR: 1.0,
    Segment.SPORTS_CAR: 1.35,
    Segment.SMALL_SUV: 0.95,
    Segment.MIDSIZE_SUV: 0.92,
    Segment.LARGE_SUV: 0.90,
    Segment.PICKUP: 0.92,
    Segment.HEAVY_PICKUP: 0.90,
    Segment.VAN: 0.88,
}
"""The accident frequency of a segment, relative to all vehicles; the project's own judgment."""

_HALF: Final = 0.5
_WHOLE: Final = 100.0


class Band(StrEnum):
    """The score as a word."""

    LOW = "low"
    MODERATE = "moderate"
    ELEVATED = "elevated"
    HIGH = "high"


_BANDS: Final = ((40, Band.LOW), (55, Band.MODERATE), (70, Band.ELEVATED))


@frozen(kw_only=True)
class Risk:
    """A score from 0 to 100 (50 is average), and the factors behind it (1 is average)."""

    score: float
    band: Band
    frequency: float
    severity: float
    value: float
    health: float

    @property
    def expected(self) -> float:
        """Return the expected cost relative to an average vehicle: the product of the factors."""
        return self.frequency * self.severity * self.value * self.health

    def points(self, factor: float) -> float:
        """Return the points that a factor adds to the score, given the other factors."""
        return round(_WHOLE * (math.exp2(-self.expected / factor) - math.exp2(-self.expected)), 1)


def risk_of(segment: Segment, *, parts_factor: float, value: Cents, health: float | None) -> Risk:
    """Score a vehicle; ``parts_factor`` is the cost of its parts relative to a mid-size mainstream car.

    If ``health`` is None, it counts as perfect.
    """
    frequency, severity = _FREQUENCY[segment], parts_factor**_HALF
    worth = (max(0, value) / MEDIAN_VALUE) ** _HALF
    worn = 1.0 if health is None else 1.0 + _HALF * (1.0 - min(_WHOLE, max(0.0, health)) / _WHOLE)
    score = round(_WHOLE * (1.0 - 2.0 ** -(frequency * severity * worth * worn)), 1)
    return Risk(
        score=score,
        band=next((band for most, band in _BANDS if score < most), Band.HIGH),
        frequency=frequency,
        severity=severity,
        value=worth,
        health=worn,
    )
