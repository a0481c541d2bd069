"""How much a vehicle is likely to cost its insurer, beside others: the vehicle alone is judged, never a person.

    E    = frequency · severity · (value / median value)^½ · (1 + ½·(1 - health/100))
    risk = 100 · (1 - 2^(-E))

so that an average vehicle in perfect health has 50. Frequency goes by the vehicle's segment, severity by what
its parts cost. The weights are judgement, not measured on claims.
"""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.vehicle_facts.model import Segment

MEDIAN_VALUE: Final[Cents] = 15_000_00
"""What the vehicle in the middle of those on US roads is worth; the project's own judgment."""

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
"""How often vehicles of a segment are in an accident, relative to all; the project's own judgment."""

_HALF: Final = 0.5
_WHOLE: Final = 100.0


class Band(StrEnum):
    """The score in a word."""

    LOW = "low"
    MODERATE = "moderate"
    ELEVATED = "elevated"
    HIGH = "high"


_BANDS: Final = ((40, Band.LOW), (55, Band.MODERATE), (70, Band.ELEVATED))


@frozen(kw_only=True)
class Risk:
    """A score from 0 to 100, 50 being average, and the factors that it is the product of (1 is average)."""

    score: float
    band: Band
    frequency: float
    severity: float
    value: float
    health: float

    @property
    def expected(self) -> float:
        """Multiply the factors: the expected cost, relative to an average vehicle."""
        return self.frequency * self.severity * self.value * self.health

    def points(self, factor: float) -> float:
        """Say by how many points one of the factors moves the score, the others being as they are."""
        return round(_WHOLE * (math.exp2(-self.expected / factor) - math.exp2(-self.expected)), 1)


def risk_of(segment: Segment, *, parts_factor: float, value: Cents, health: float | None) -> Risk:
    """Score a vehicle; ``parts_factor`` is what its parts cost relative to a mid-size mainstream car's.

    A health that is not known counts as perfect, and is to be told as unknown.
    """
    frequency, severity = _FREQUENCY[segment], parts_factor**_HALF
    worth = (max(0, value) / MEDIAN_VALUE) ** _HALF
    worn = 1.0 if health is None else 1.0 + _HALF * (1.0 - min(_WHOLE, max(0.0, health)) / _WHOLE)
    score = _WHOLE * (1.0 - 2.0 ** -(frequency * severity * worth * worn))
    return Risk(
        score=round(score, 1),
        band=next((band for most, band in _BANDS if score < most), Band.HIGH),
        frequency=frequency,
        severity=severity,
        value=worth,
        health=worn,
    )
