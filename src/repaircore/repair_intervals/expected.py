"""Predict when a repair is next due: in months and miles, as a date and as an odometer reading.

A repair is needed again after some months or some miles, whichever comes first; that depends on how much the car is
driven. If the day of the repair is known, the prediction allows for the fact that it has held until today.
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
    """The limit that is reached first."""

    MILES = "miles"
    MONTHS = "months"


class Basis(StrEnum):
    """What an answer is based on."""

    HISTORY = "history"
    BOOK = "book"
    """The repair book alone."""


@frozen(kw_only=True)
class Span(Generic[T]):
    """Eight out of ten repairs are due between ``low`` and ``high``, and half of all are due by ``mid``."""

    low: T
    mid: T
    high: T


@frozen(kw_only=True)
class Elapsed:
    """The months and miles since a repair, and the miles that the car is driven per month (``pace``).

    ``is_own_pace`` is true if the pace was measured on this car.
    """

    months: float
    miles: float
    pace: float
    is_own_pace: bool


@frozen(kw_only=True)
class ExpectedReturn:
    """When a repair is due again: ``months`` and ``miles`` after it was done.

    ``dates`` is None if the day of the repair is unknown, and ``odometer`` is None if its odometer reading is unknown;
    both use whichever of months and miles comes first.
    """

    miles: Span[int]
    months: Span[float]
    first: WornFirst
    dates: Span[date] | None
    odometer: Span[int] | None


@frozen(kw_only=True)
class LifecycleAnswer:
    """When a repair is expected again. A factor's weight is its share (0 to 1); its effect multiplies the time."""

    vehicle: str
    expected: ExpectedReturn
    basis: Basis
    sample_size: int
    factors: tuple[Factor, ...]
    warnings: tuple[str, ...]


@frozen(kw_only=True)
class LifecyclePrediction:
    """A stored question and its answer. ``problem_name`` is ``Parent > Child``."""

    id: int
    vin: str
    problem_id: int
    problem_slug: str
    problem_name: str
    mileage: int | None
    performed_on: date | None
    answer: LifecycleAnswer
    created_at: datetime


def elapsed_since(
    performed_on: date | None, mileage: int | None, *, today: date, reading: tuple[date, float] | None = None
) -> Elapsed:
    """Return the time since a repair; ``reading`` is the newest odometer reading and its day.

    If the day is unknown, the repair counts as done today. The usual pace is assumed unless two readings show the
    car's own.
    """
    if performed_on is None:
        return Elapsed(months=0.0, miles=0.0, pace=USUAL_PACE, is_own_pace=False)
    months = max(0, (today - performed_on).days) / DAYS_A_MONTH
    own = None if mileage is None or reading is None else _own_pace(performed_on, mileage, *reading)
    pace = USUAL_PACE if own is None else own
    return Elapsed(months=months, miles=months * pace, pace=pace, is_own_pace=own is not None)


def _own_pace(performed_on: date, mileage: int, day: date, miles: float) -> float | None:
    between = (day - performed_on).days / DAYS_A_MONTH
    if between < _LEAST_MONTHS or miles < mileage:
        return None
    return min(_FASTEST, max(_SLOWEST, (miles - mileage) / between))


def expected_return(
    by_months: SurvivalCurve,
    by_miles: SurvivalCurve,
    elapsed: Elapsed,
    *,
    performed_on: date | None,
    mileage: int | None,
) -> ExpectedReturn:
    """Return when a repair is due again, given that it has already held for the elapsed time."""
    months, miles = by_months.due(elapsed.months), by_miles.due(elapsed.miles)
    months_by_miles = _each(miles, lambda distance: distance / elapsed.pace)
    first = DueTimes(
        low=min(months.low, months_by_miles.low),
        middle=min(months.middle, months_by_miles.middle),
        high=min(months.high, months_by_miles.high),
    )
    return ExpectedReturn(
        miles=_span(miles, round),
        months=_span(months, lambda due: round(due, 1)),
        first=WornFirst.MILES if months_by_miles.middle < months.middle else WornFirst.MONTHS,
        dates=None if performed_on is None else _span(first, lambda due: _add_months(performed_on, due)),
        odometer=None if mileage is None else _span(first, lambda due: mileage + round(due * elapsed.pace)),
    )


def _each(due: DueTimes, convert: Callable[[float], float]) -> DueTimes:
    return DueTimes(low=convert(due.low), middle=convert(due.middle), high=convert(due.high))


def _span(due: DueTimes, convert: Callable[[float], T]) -> Span[T]:
    return Span(low=convert(due.low), mid=convert(due.middle), high=convert(due.high))


def _add_months(start: date, months: float) -> date:
    return start + timedelta(days=round(min(months, _LONGEST_MONTHS) * DAYS_A_MONTH))
