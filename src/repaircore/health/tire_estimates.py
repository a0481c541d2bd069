"""What is left of a set of tires, and by when to replace it: by wear or by age, whichever comes first.

replace by wear = today + miles left / miles a year
replace by age  = the day on which the oldest tire is ten years old
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum
from statistics import fmean
from typing import Final

from attrs import fields, frozen

from repaircore.fleet.signals import ByPosition
from repaircore.fleet.tires import NEW, REPLACE, Position, Tire, TireHealth, TireSet, set_of
from repaircore.fleet.validation import DEEPEST, MOST_PSI, Told, bounded, validate_by_position
from repaircore.health.statuses import Status
from repaircore.kernel.errors import Invalid
from repaircore.kernel.factors import Factor
from repaircore.kernel.types import Clock

USUAL_MILES: Final = 12_000
USUAL_PSI: Final = 35.0
"""What most placards of passenger cars ask for lies within 30 and 36 psi."""

_DAYS_A_YEAR: Final = 365.25
_OLDEST: Final = 10.0
_LATEST_DAYS: Final = 365 * 25
_MOST_MILES: Final = 200_000
_WORST: Final = 0.7
_UNEVEN_COSTS: Final = 0.1


class TireLimit(StrEnum):
    """What ends a tire's life first."""

    WEAR = "wear"
    AGE = "age"


@frozen(kw_only=True)
class EstimateTires:
    """Tires as they were measured: ``depths`` in 32nds of an inch, pressures in psi, ages in years.

    ``mileage`` is how far the tires have run since they were new, ``new_depth`` what they had then, and
    ``miles_per_year`` how far the vehicle goes.
    """

    depths: ByPosition
    pressures: ByPosition | None = None
    ages: ByPosition | None = None
    mileage: int | None = None
    new_depth: float = NEW
    recommended_pressure: float = USUAL_PSI
    miles_per_year: int = USUAL_MILES


@frozen(kw_only=True)
class TireEstimate:
    """What is left: ``health`` 0 to 100, miles and the day by which to replace the first tire."""

    health: float
    tires: TireSet
    statuses: Mapping[Position, Status]
    miles_left: int
    replace_by: date
    limited_by: TireLimit
    factors: Sequence[Factor]
    basis: str
    sample_size: int
    as_of: datetime


def validate_tire(**fields: object) -> Told:
    """Name what is wrong with fields of a question; those that are not given, or None, are not judged."""
    told: Told = {}
    for name, (least, most) in _EACH.items():
        if fields.get(name) is not None:
            told |= validate_by_position(name, fields[name], least, most)
    for name, (least, most) in _WHOLE.items():
        if fields.get(name) is not None:
            told |= bounded(name, fields[name], least, most)
    depths = fields.get("depths")
    if isinstance(depths, ByPosition) and not depths.told():
        told["depths"] = ["The depths field must name the tread of one tire at least."]
    return told


_EACH: Final = {"depths": (0, DEEPEST), "pressures": (0, MOST_PSI), "ages": (0, 50)}
_WHOLE: Final = {
    "mileage": (0, _MOST_MILES),
    "new_depth": (5, DEEPEST),
    "recommended_pressure": (10, MOST_PSI),
    "miles_per_year": (1, _MOST_MILES),
}


def estimate(ask: EstimateTires, *, now: datetime) -> TireEstimate:
    """Judge tires that are sound (``validate_tire``)."""
    measured = _measured(ask)
    judged, today = set_of(measured), now.date()
    by_wear = _day(today, judged.miles_left / ask.miles_per_year)
    ages = [tire.age for tire in measured.values() if tire.age is not None]
    by_age = _day(today, max(0.0, _OLDEST - max(ages))) if ages else None
    aged = by_age is not None and by_age < by_wear
    return TireEstimate(
        health=round(100 * judged.health, 1),
        tires=judged,
        statuses={position: _status(tire, judged.tires[position]) for position, tire in measured.items()},
        miles_left=round(judged.miles_left),
        replace_by=by_age if aged and by_age is not None else by_wear,
        limited_by=TireLimit.AGE if aged else TireLimit.WEAR,
        factors=_factors(judged),
        basis=_basis(
            ask, paced=ask.mileage is not None and any(tire.shows_wear for tire in measured.values())
        ),
        sample_size=len(measured),
        as_of=now,
    )


def _measured(ask: EstimateTires) -> Mapping[Position, Tire]:
    pressures = {} if ask.pressures is None else ask.pressures.told()
    ages = {} if ask.ages is None else ask.ages.told()
    return {
        position: Tire(
            depth=depth,
            new_depth=max(ask.new_depth, depth),
            age=ages.get(position),
            pressure=pressures.get(position),
            recommended=ask.recommended_pressure,
            miles=ask.mileage,
        )
        for position, depth in ask.depths.told().items()
    }


def _day(today: date, years: float) -> date:
    return today + timedelta(days=min(_LATEST_DAYS, int(years * _DAYS_A_YEAR)))


def _status(tire: Tire, judged: TireHealth) -> Status:
    if tire.is_unfit:
        return Status.CRITICAL
    if tire.depth <= REPLACE or (tire.age is not None and tire.age >= _OLDEST):
        return Status.DUE
    return Status.OK if judged.pressure > _PRESSURE_IS_OFF else Status.CHECK


_PRESSURE_IS_OFF: Final = 0.8
"""A tenth more or less than the placard says."""


def _factors(judged: TireSet) -> Sequence[Factor]:
    """Say what took how many of 100 points: the worst tire, the mean of all, axles that differ, and tires that are unfit."""
    worst, mean = judged.tires[judged.worst].health, fmean(one.health for one in judged.tires.values())
    whole = _WORST * worst + (1 - _WORST) * mean
    worn = max(0.0, whole - _UNEVEN_COSTS * judged.uneven)
    return [
        Factor(name="worst_tire", value=round(worst, 4), weight=_WORST, effect=_points(_WORST * (worst - 1))),
        Factor(
            name="all_tires",
            value=round(mean, 4),
            weight=round(1 - _WORST, 4),
            effect=_points((1 - _WORST) * (mean - 1)),
        ),
        Factor(
            name="uneven_wear",
            value="yes" if judged.uneven else "no",
            weight=_UNEVEN_COSTS,
            effect=_points(worn - whole),
        ),
        Factor(
            name="unfit_tires",
            value=", ".join(judged.unfit) or "none",
            weight=1.0,
            effect=_points(judged.health - worn),
        ),
    ]


def _points(share: float) -> float:
    return round(100 * share, 1) + 0.0


def _basis(ask: EstimateTires, *, paced: bool) -> str:
    pace = "the wear of these tires so far" if paced else "a tire that lasts 50,000 miles"
    return (
        f"Tread against {ask.new_depth:g}/32 when new, age beyond six years, and pressure against"
        f" {ask.recommended_pressure:g} psi; miles left until {REPLACE:g}/32 at the pace of {pace},"
        f" {ask.miles_per_year:,} miles a year. Nothing is kept."
    )


# Tires judged as they are told of; nothing is kept.


@frozen(kw_only=True)
class Tires:
    """The use case."""

    clock: Clock

    def estimate(self, asked: EstimateTires) -> TireEstimate:
        """Say how much is left of some tires, and by when to replace them.

        Raises:
            Invalid: every bad field is named.
        """
        told = self.validate(**{name: getattr(asked, name) for name in _FIELDS})
        if told:
            raise Invalid(told)
        return estimate(asked, now=self.clock())

    def validate(self, **fields: object) -> Told:
        """Name what is wrong with fields of a question; those that are not given are not judged."""
        return validate_tire(**fields)


_FIELDS = tuple(field.name for field in fields(EstimateTires))
