"""How long past repairs held, in months and in miles.

A repair held until the same car had it again. The last one of a car still holds today; that of a car that was not seen at
all for two years is only known to have held until it was last seen, for the car may be gone.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from attrs import frozen

from repaircore.fleet.usage import USUAL_MILES
from repaircore.repair_intervals.intervals import HoldTime, VehicleScope

DAYS_A_MONTH: Final = 30.436875
GONE_AFTER: Final = timedelta(days=730)
USUAL_PACE: Final = USUAL_MILES / 12
"""Miles that a car is driven in a month, where nothing else is known."""

_FASTEST: Final = 10_000.0
_LEAST_MONTHS: Final = 3.0


class PastRepair(NamedTuple):
    """A repair that was done to a car; a plain tuple, for there may be many."""

    car: int
    day: date
    miles: int | None
    make: str
    model: str


@frozen
class HoldTimes:
    """How long repairs held."""

    months: Sequence[HoldTime]
    miles: Sequence[HoldTime]


def times_of(repairs: Iterable[PastRepair], gone: Mapping[int, date], *, today: date) -> HoldTimes:
    """Give the times of one repair on many cars: it comes ordered by car and day.

    ``gone`` says when cars that were not seen for long were last seen. A car whose odometer was not always told, or was
    told wrong, says nothing of miles: else those that still hold would be told more often than those that ended.
    """
    months: list[HoldTime] = []
    miles: list[HoldTime] = []
    for car, done in groupby(repairs, itemgetter(0)):
        visits = _visits(done)
        last = visits[-1]
        kin = VehicleScope(last.make, last.model, car)
        lasted = [_months(a.day, b.day) for a, b in pairwise(visits)]
        still = _months(last.day, max(last.day, gone.get(car, today)))
        months += [HoldTime(time, kin) for time in lasted]
        months.append(HoldTime(still, kin, ended=False))
        run = _run(visits, lasted)
        if run is not None:
            miles += [HoldTime(distance, kin) for distance in run]
            miles.append(HoldTime(still * _pace(sum(run), sum(lasted)), kin, ended=False))
    return HoldTimes(months, miles)


def _visits(done: Iterable[PastRepair]) -> list[PastRepair]:
    """Take what was done on one day as one repair."""
    return [list(same)[-1] for _, same in groupby(done, itemgetter(1))]


def _months(start: date, end: date) -> float:
    return (end - start).days / DAYS_A_MONTH


def _run(visits: Sequence[PastRepair], lasted: Sequence[float]) -> list[float] | None:
    """Give the miles between the repairs; None when one is not known or cannot be."""
    readings = [one.miles for one in visits]
    told = [reading for reading in readings if reading is not None]
    if len(told) < len(readings):
        return None
    run = [float(b - a) for a, b in pairwise(told)]
    sound = all(0 < miles <= _FASTEST * max(1.0, months) for miles, months in zip(run, lasted, strict=True))
    return run if sound else None


def _pace(miles: float, months: float) -> float:
    return miles / months if months >= _LEAST_MONTHS else USUAL_PACE
