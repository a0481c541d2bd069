"""The remaining life of a set of tires: until wear or age ends it, whichever comes first.

replace by wear = today + miles left / miles per year
replace by age  = the day on which the oldest tire is ten years old
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum
from statistics import fmean
from typing import Annotated, Final, TypeAlias

from attrs import frozen

from repaircore.fleet.signals import ByPosition, TirePressures, TreadDepths
from repaircore.fleet.tires import NEW, REPLACE, Position, Tire, TireHealth, TireSet, tire_set
from repaircore.health.statuses import Status
from repaircore.kernel.factors import Factor
from repaircore.kernel.rules import Range, require_valid
from repaircore.kernel.types import Clock

USUAL_MILES: Final = 12_000
USUAL_PSI: Final = 35.0
"""Most placards on passenger cars say 30 to 36 psi."""

_DAYS_A_YEAR: Final = 365.25
_OLDEST: Final = 10.0
_LATEST_DAYS: Final = 365 * 25
_MOST_MILES: Final = 200_000
_WORST: Final = 0.7
_UNEVEN_COSTS: Final = 0.1


class TireLimit(StrEnum):
    """What ends the life of a tire first."""

    WEAR = "wear"
    AGE = "age"


_Years: TypeAlias = Annotated[float, Range(0, 50)]


@frozen(kw_only=True)
class TireAges(ByPosition):
    """The age of each tire in years."""

    front_left: _Years | None = None
    front_right: _Years | None = None
    rear_left: _Years | None = None
    rear_right: _Years | None = None


@frozen
class AnyTire:
    """Requires a figure for at least one tire."""

    def broken_by(self, value: ByPosition) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return None if value.measured() else "must include the tread of at least one tire"


@frozen(kw_only=True)
class EstimateTires:
    """Measured tires: ``depths`` in 32nds of an inch, pressures in psi, ages in years.

    ``mileage`` is the distance driven since the tires were new, ``new_depth`` their tread then, and ``miles_per_year``
    the yearly mileage of the vehicle.
    """

    depths: Annotated[TreadDepths, AnyTire()]
    pressures: TirePressures | None = None
    ages: TireAges | None = None
    mileage: Annotated[int, Range(0, _MOST_MILES)] | None = None
    new_depth: Annotated[float, Range(5, 32)] = NEW
    recommended_pressure: Annotated[float, Range(10, 150)] = USUAL_PSI
    miles_per_year: Annotated[int, Range(1, _MOST_MILES)] = USUAL_MILES


@frozen(kw_only=True)
class TireEstimate:
    """The remaining life: ``health`` from 0 to 100, and the miles and the date when the first tire must be replaced."""

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


def estimate(request: EstimateTires, *, now: datetime) -> TireEstimate:
    """Estimate the remaining life of the tires in a valid request."""
    measured = _measured(request)
    tires, today = tire_set(measured), now.date()
    by_wear = _day(today, tires.miles_left / request.miles_per_year)
    ages = [tire.age for tire in measured.values() if tire.age is not None]
    by_age = _day(today, max(0.0, _OLDEST - max(ages))) if ages else date.max
    return TireEstimate(
        health=round(100 * tires.health, 1),
        tires=tires,
        statuses={position: _status(tire, tires.tires[position]) for position, tire in measured.items()},
        miles_left=round(tires.miles_left),
        replace_by=min(by_age, by_wear),
        limited_by=TireLimit.AGE if by_age < by_wear else TireLimit.WEAR,
        factors=_factors(tires),
        basis=_basis(
            request,
            has_wear_rate=request.mileage is not None and any(tire.shows_wear for tire in measured.values()),
        ),
        sample_size=len(measured),
        as_of=now,
    )


def _measured(request: EstimateTires) -> Mapping[Position, Tire]:
    pressures = {} if request.pressures is None else request.pressures.measured()
    ages = {} if request.ages is None else request.ages.measured()
    return {
        position: Tire(
            depth=depth,
            new_depth=max(request.new_depth, depth),
            age=ages.get(position),
            pressure=pressures.get(position),
            recommended=request.recommended_pressure,
            miles=request.mileage,
        )
        for position, depth in request.depths.measured().items()
    }


def _day(today: date, years: float) -> date:
    return today + timedelta(days=min(_LATEST_DAYS, int(years * _DAYS_A_YEAR)))


def _status(tire: Tire, health: TireHealth) -> Status:
    if tire.is_unfit:
        return Status.CRITICAL
    if tire.depth <= REPLACE or (tire.age is not None and tire.age >= _OLDEST):
        return Status.DUE
    return Status.OK if health.pressure > _PRESSURE_IS_OFF else Status.CHECK


_PRESSURE_IS_OFF: Final = 0.8
"""The pressure factor of a tire that is a tenth off the recommended pressure."""


def _factors(tires: TireSet) -> Sequence[Factor]:
    """Return the effects, in points out of 100, of the worst tire, the mean, uneven wear and unfit tires."""
    worst, mean = tires.tires[tires.worst].health, fmean(tire.health for tire in tires.tires.values())
    whole = _WORST * worst + (1 - _WORST) * mean
    worn = max(0.0, whole - _UNEVEN_COSTS * tires.uneven)
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
            value="yes" if tires.uneven else "no",
            weight=_UNEVEN_COSTS,
            effect=_points(worn - whole),
        ),
        Factor(
            name="unfit_tires",
            value=", ".join(tires.unfit) or "none",
            weight=1.0,
            effect=_points(tires.health - worn),
        ),
    ]


def _points(share: float) -> float:
    return round(100 * share, 1) + 0.0


def _basis(request: EstimateTires, *, has_wear_rate: bool) -> str:
    rate = "these tires so far" if has_wear_rate else "a tire that lasts 50,000 miles"
    return (
        f"Tread compared with {request.new_depth:g}/32 when new, age over six years, and pressure compared with"
        f" {request.recommended_pressure:g} psi; miles left until {REPLACE:g}/32 at the wear rate of {rate},"
        f" at {request.miles_per_year:,} miles a year. Nothing is stored."
    )


@frozen(kw_only=True)
class Tires:
    """Estimates the remaining life of tires; nothing is stored."""

    clock: Clock

    def estimate(self, request: EstimateTires) -> TireEstimate:
        """Estimate the remaining life of measured tires; nothing is stored.

        Raises:
            Invalid: with every bad field.
        """
        require_valid(request)
        return estimate(request, now=self.clock())
