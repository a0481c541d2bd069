"""Compute how long past repairs held, in months and in miles.

A repair held until the same car had it again. The last repair of a car counts as still holding today; if the car has
had no invoice for two years, it may be gone, and the repair counts as holding until its last invoice.
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
"""The miles per month assumed for a car whose pace is unknown."""

_FASTEST: Final = 10_000.0
_LEAST_MONTHS: Final = 3.0


class PastRepair(NamedTuple):
    """A repair done on a car. It is a plain tuple because there may be many."""

    car: int
    day: date
    miles: int | None
    make: str
    model: str


@frozen
class HoldTimes:
    """How long repairs held, in months and in miles."""

    months: Sequence[HoldTime]
    miles: Sequence[HoldTime]


def hold_times(repairs: Iterable[PastRepair], gone: Mapping[int, date], *, today: date) -> HoldTimes:
    """Return how long a repair held on each of many cars; ``repairs`` must be ordered by car and day.

    ``gone`` maps cars without recent invoices to the day of their last one. A car with a missing or implausible
    odometer reading does not count for miles: otherwise repairs that still hold would be overrepresented.
    """
    months: list[HoldTime] = []
    miles: list[HoldTime] = []
    for car, done in groupby(repairs, itemgetter(0)):
        visits = _visits(done)
        last = visits[-1]
        scope = VehicleScope(last.make, last.model, car)
        lasted = [_months(a.day, b.day) for a, b in pairwise(visits)]
        still = _months(last.day, max(last.day, gone.get(car, today)))
        months += [HoldTime(time, scope) for time in lasted]
        months.append(HoldTime(still, scope, ended=False))
        distances = _distances(visits, lasted)
        if distances is not None:
            miles += [HoldTime(distance, scope) for distance in distances]
            pace = _pace(sum(distances), sum(lasted))
            miles.append(HoldTime(still * pace, scope, ended=False))
    return HoldTimes(months, miles)


def _visits(done: Iterable[PastRepair]) -> list[PastRepair]:
    """Return only the last repair of each day."""
    return [list(same)[-1] for _, same in groupby(done, itemgetter(1))]


def _months(start: date, end: date) -> float:
    return (end - start).days / DAYS_A_MONTH


def _distances(visits: Sequence[PastRepair], lasted: Sequence[float]) -> list[float] | None:
    """Return the miles between the repairs, or None if a reading is missing or implausible."""
    readings = [visit.miles for visit in visits]
    known = [reading for reading in readings if reading is not None]
    if len(known) < len(readings):
        return None
    distances = [float(b - a) for a, b in pairwise(known)]
    is_possible = all(
        0 < miles <= _FASTEST * max(1.0, months) for miles, months in zip(distances, lasted, strict=True)
    )
    return distances if is_possible else None


def _pace(miles: float, months: float) -> float:
    return miles / months if months >= _LEAST_MONTHS else USUAL_PACE
