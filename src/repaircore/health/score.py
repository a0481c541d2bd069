"""The health score of a vehicle, from 0 to 100: a weighted geometric mean, so that a bad system is not averaged away.

    score = 100 · exp(Σ weight·ln(value) / Σ weight)        over the known values, each 0.01 to 1

Unknown values are left out, and the coverage is the share of the weight that is known. An open safety recall caps the
score at 70; brakes or tires below 0.1 cap it at 50. The weights are judgments, not measurements.
"""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from attrs import frozen


class Component(StrEnum):
    """A component of a vehicle's health."""

    TIRES = "tires"
    BRAKES = "brakes"
    RECALLS = "recalls"
    TROUBLE_CODES = "trouble_codes"
    SERVICE = "service"
    BATTERY = "battery"
    AGE_AND_MILEAGE = "age_and_mileage"
    REPAIR_BURDEN = "repair_burden"


WEIGHTS: Final[Mapping[Component, float]] = {
    Component.TIRES: 0.15,
    Component.BRAKES: 0.15,
    Component.RECALLS: 0.15,
    Component.TROUBLE_CODES: 0.20,
    Component.SERVICE: 0.15,
    Component.BATTERY: 0.05,
    Component.AGE_AND_MILEAGE: 0.10,
    Component.REPAIR_BURDEN: 0.05,
}

_LEAST: Final = 0.01
_RECALL_CAP: Final = 70
_DANGER_CAP: Final = 50
_DANGER: Final = 0.1
_FULL_VOLTS: Final = 12.6
_FLAT_VOLTS: Final = 11.8
_HALF_AGE: Final = 20.0
_HALF_MILES: Final = 200_000.0
_OIL_IS_DUE: Final = 15.0


class Severity(StrEnum):
    """The severity of a fault."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


_REMAINING_SHARE: Final[Mapping[Severity, float]] = {
    Severity.LOW: 0.9,
    Severity.MEDIUM: 0.7,
    Severity.HIGH: 0.4,
    Severity.CRITICAL: 0.1,
}


class Grade(StrEnum):
    """The score as a letter."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"
    F = "F"


_GRADES: Final = ((85, Grade.A), (70, Grade.B), (55, Grade.C), (40, Grade.D))


class Cap(StrEnum):
    """A condition that caps the score, however good the rest is."""

    OPEN_RECALL = "open_recall"
    TIRES = "tires"
    BRAKES = "brakes"


@frozen(kw_only=True)
class Health:
    """A score from 0 to 100, and what it is made of.

    ``values`` are the known components, 0 to 1; ``effects`` are the points, 0 or less, by which each one changes
    the score compared with a perfect value; ``coverage`` is the known share of all weights, 0 to 1; ``cap`` is what
    caps the score, or None if nothing does. If nothing is known, ``score`` and ``grade`` are None.
    """

    score: float | None
    grade: Grade | None
    values: Mapping[Component, float]
    effects: Mapping[Component, float]
    coverage: float
    cap: Cap | None


def health_of(values: Mapping[Component, float | None], *, open_recalls: bool = False) -> Health:
    """Compute a vehicle's health from the values of its components (None if unknown). Open recalls cap the score."""
    known = {part: min(1.0, max(0.0, value)) for part, value in values.items() if value is not None}
    weight = sum(WEIGHTS[part] for part in known)
    if not known:
        return Health(score=None, grade=None, values={}, effects={}, coverage=0.0, cap=None)
    mean = _mean(known)
    cap, most = _cap(known, open_recalls=open_recalls)
    score = min(100 * mean, most)
    return Health(
        score=round(score, 1),
        grade=next((grade for least, grade in _GRADES if score >= least), Grade.F),
        values=known,
        effects={part: round(100 * (mean - _mean({**known, part: 1.0})), 1) for part in known},
        coverage=round(weight / sum(WEIGHTS.values()), 4),
        cap=cap if score < 100 * mean else None,
    )


def _mean(known: Mapping[Component, float]) -> float:
    weight = sum(WEIGHTS[part] for part in known)
    return math.exp(
        sum(WEIGHTS[part] * math.log(max(_LEAST, value)) for part, value in known.items()) / weight
    )


def _cap(known: Mapping[Component, float], *, open_recalls: bool) -> tuple[Cap | None, float]:
    for part, cap in ((Component.BRAKES, Cap.BRAKES), (Component.TIRES, Cap.TIRES)):
        if known.get(part, 1.0) < _DANGER:
            return cap, _DANGER_CAP
    return (Cap.OPEN_RECALL, _RECALL_CAP) if open_recalls else (None, 100.0)


def battery_value(volts: float) -> float:
    """Rate a 12-volt battery at rest: full at 12.6 volts, flat at 11.8."""
    return min(1.0, max(0.0, (volts - _FLAT_VOLTS) / (_FULL_VOLTS - _FLAT_VOLTS)))


def codes_value(severities: Sequence[Severity]) -> float:
    """Rate trouble codes: each one leaves a share of the value that depends on its severity."""
    return math.prod(_REMAINING_SHARE[severity] for severity in severities)


def recalls_value(*, count: int, park_it: bool) -> float:
    """Rate open recalls: each leaves 70% of the value, and do-not-drive advice 10% of the rest."""
    return 0.7**count * (_REMAINING_SHARE[Severity.CRITICAL] if park_it else 1.0)


def service_value(*, overdue: int, due: int, oil_life_percent: float | None) -> float:
    """Rate services: each overdue one leaves 70% of the value, each due one 95%; used-up oil counts as overdue."""
    oil = 1.0 if oil_life_percent is None else min(1.0, 0.7 + 0.3 * max(0.0, oil_life_percent) / _OIL_IS_DUE)
    return math.pow(0.7, overdue) * math.pow(0.95, due) * oil


def age_and_mileage_value(*, years: float, miles: float | None) -> float:
    """Rate age and mileage: the value halves every 20 years and every 200,000 miles."""
    used = 1.0 if miles is None else math.pow(0.5, miles / _HALF_MILES)
    return math.pow(0.5, max(0.0, years) / _HALF_AGE) * used


def burden_value(*, yearly_repairs: float, value: float) -> float:
    """Rate the yearly cost of repairs against the vehicle's value: 0.5 if the repairs cost a third of the value."""
    return 0.5 ** (3 * yearly_repairs / value) if value > 0 else 0.0
