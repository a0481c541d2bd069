"""When a repair is expected again: in months and in miles, and what that comes to on the calendar and the odometer.

A repair is needed again after its months or its miles, whichever comes first; the pace at which the car is driven says
which. How far it has held already is known when its day is told: then it did not fail until today.
"""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final, Generic, TypeVar

from attrs import frozen

from repaircore.kernel.factors import Factor
from repaircore.repair_intervals.intervals import DueTimes, SurvivalCurve
from repaircore.repair_intervals.past_repairs import DAYS_A_MONTH, USUAL_PACE

_SLOWEST: Final = 50.0
_FASTEST: Final = 10_000.0
_LEAST_MONTHS: Final = 1.0
_LONGEST_MONTHS: Final = 1_200.0

T = TypeVar("T")


class WornFirst(StrEnum):
    """What is used up first."""

    MILES = "miles"
    MONTHS = "months"


class Basis(StrEnum):
    """What an answer rests on."""

    HISTORY = "history"
    BOOK = "book"
    """The repair book alone."""


@frozen(kw_only=True)
class Span(Generic[T]):
    """Eight of ten repairs are due from low to high, half of them by mid."""

    low: T
    mid: T
    high: T


@frozen(kw_only=True)
class Elapsed:
    """How long ago a repair was made, in months and miles, and how many miles the car is driven in a month.

    ``pace_known`` tells whether the pace is the car's own.
    """

    months: float
    miles: float
    pace: float
    pace_known: bool


@frozen(kw_only=True)
class Expected:
    """When a repair is due, counted from when it was made; ``dates`` and ``odometer`` where that is told.

    Both are what comes first.
    """

    miles: Span[int]
    months: Span[float]
    first: WornFirst
    dates: Span[date] | None
    odometer: Span[int] | None


@frozen(kw_only=True)
class LifecycleAnswer:
    """When a repair is expected again on a vehicle. A factor's weight is its part (0 to 1), its effect times as long."""

    vehicle: str
    expected: Expected
    basis: Basis
    sample_size: int
    factors: tuple[Factor, ...]
    warnings: tuple[str, ...]


@frozen(kw_only=True)
class LifecyclePrediction:
    """An answer as it is kept: what was asked, and what was said. ``problem_name`` is ``Parent > Child``."""

    id: int
    vin: str
    problem_id: int
    problem_slug: str
    problem_name: str
    mileage: int | None
    performed_on: date | None
    answer: LifecycleAnswer
    created_at: datetime


def since(
    performed_on: date | None, mileage: int | None, *, today: date, reading: tuple[date, float] | None = None
) -> Elapsed:
    """Say how long ago a repair was made; ``reading`` is the newest known of the odometer, and its day.

    Without a day it is taken as made today. A car of which no two readings are known is driven as usual.
    """
    if performed_on is None:
        return Elapsed(months=0.0, miles=0.0, pace=USUAL_PACE, pace_known=False)
    months = max(0, (today - performed_on).days) / DAYS_A_MONTH
    own = None if mileage is None or reading is None else _own_pace(performed_on, mileage, *reading)
    pace = USUAL_PACE if own is None else own
    return Elapsed(months=months, miles=months * pace, pace=pace, pace_known=own is not None)


def _own_pace(performed_on: date, mileage: int, day: date, miles: float) -> float | None:
    between = (day - performed_on).days / DAYS_A_MONTH
    if between < _LEAST_MONTHS or miles < mileage:
        return None
    return min(_FASTEST, max(_SLOWEST, (miles - mileage) / between))


def expected(
    by_months: SurvivalCurve,
    by_miles: SurvivalCurve,
    held: Elapsed,
    *,
    performed_on: date | None,
    mileage: int | None,
) -> Expected:
    """Say when a repair that has held for so long is due."""
    months, miles = by_months.due(held.months), by_miles.due(held.miles)
    in_miles = _each(miles, lambda run: run / held.pace)
    first = DueTimes(
        low=min(months.low, in_miles.low),
        middle=min(months.middle, in_miles.middle),
        high=min(months.high, in_miles.high),
    )
    return Expected(
        miles=_span(miles, round),
        months=_span(months, lambda told: round(told, 1)),
        first=WornFirst.MILES if in_miles.middle < months.middle else WornFirst.MONTHS,
        dates=None if performed_on is None else _span(first, lambda told: _later(performed_on, told)),
        odometer=None if mileage is None else _span(first, lambda told: mileage + round(told * held.pace)),
    )


def _each(told: DueTimes, change: Callable[[float], float]) -> DueTimes:
    return DueTimes(low=change(told.low), middle=change(told.middle), high=change(told.high))


def _span(told: DueTimes, read: Callable[[float], T]) -> Span[T]:
    return Span(low=read(told.low), mid=read(told.middle), high=read(told.high))


def _later(start: date, months: float) -> date:
    return start + timedelta(days=round(min(months, _LONGEST_MONTHS) * DAYS_A_MONTH))
