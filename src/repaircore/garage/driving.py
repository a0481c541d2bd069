"""How far a vehicle is driven: from its odometer log, or else from its age."""

from collections.abc import Sequence
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.fleet.usage import USUAL_MILES

DAYS_A_MONTH: Final = 365.25 / 12

_SLOWEST: Final = 50.0
_FASTEST: Final = 10_000.0
_LOG_DAYS: Final = 730
"""Older readings say little about how a vehicle is driven now."""
_FEWEST_DAYS: Final = 28
_FEWEST_DAYS_OF_LIFE: Final = 180
_USUAL_YEARS: Final = 10
_OLD_MILES: Final = 7_000.0
"""The usual miles per year of a vehicle that is older than ten years."""
_LATEST: Final = date(9000, 1, 1)


class PaceBasis(StrEnum):
    """What a vehicle's miles per month are computed from."""

    LOG = "log"
    """Two readings of its odometer."""
    LIFE = "life"
    """One reading of its odometer, and its age."""
    USUAL = "usual"
    """The usual miles, because no reading is known."""


@frozen(kw_only=True)
class Reading:
    """An odometer reading, and its day."""

    day: date
    miles: int


@frozen(kw_only=True)
class Driving:
    """The odometer on a day (an estimate unless ``is_read``), and the miles per month from then on."""

    since: Reading
    pace: float
    basis: PaceBasis

    @property
    def is_read(self) -> bool:
        """Return whether the odometer was ever read."""
        return self.basis is not PaceBasis.USUAL

    def miles_on(self, day: date) -> int:
        """Return the expected odometer on a day."""
        months = (day - self.since.day).days / DAYS_A_MONTH
        return max(0, round(self.since.miles + months * self.pace))

    def day_of(self, miles: float) -> date:
        """Return the day on which the odometer is expected to reach ``miles``."""
        days = round((miles - self.since.miles) / self.pace * DAYS_A_MONTH)
        latest = (_LATEST - self.since.day).days
        return self.since.day + timedelta(days=max(-(self.since.day - date.min).days, min(days, latest)))


def driving_of(readings: Sequence[Reading], *, started_on: date, today: date) -> Driving:
    """Return how a vehicle is driven, from its readings, oldest first, and the day it was put into service."""
    if not readings:
        return Driving(
            since=Reading(day=today, miles=usual_miles(started_on, today)),
            pace=USUAL_MILES / 12,
            basis=PaceBasis.USUAL,
        )
    newest = readings[-1]
    first = next((reading for reading in readings if (newest.day - reading.day).days <= _LOG_DAYS), newest)
    if (newest.day - first.day).days >= _FEWEST_DAYS and newest.miles >= first.miles:
        pace = _pace(newest.miles - first.miles, (newest.day - first.day).days)
        return Driving(since=newest, pace=pace, basis=PaceBasis.LOG)
    days = (newest.day - started_on).days
    pace = USUAL_MILES / 12 if days < _FEWEST_DAYS_OF_LIFE else _pace(newest.miles, days)
    return Driving(since=newest, pace=pace, basis=PaceBasis.LIFE)


def usual_miles(started_on: date, today: date) -> int:
    """Return how many miles a vehicle of this age has usually been driven; old vehicles are driven less per year."""
    years = max(0.0, (today - started_on).days / 365.25)
    return round(min(years, _USUAL_YEARS) * USUAL_MILES + max(0.0, years - _USUAL_YEARS) * _OLD_MILES)


def _pace(miles: float, days: float) -> float:
    return min(_FASTEST, max(_SLOWEST, miles / days * DAYS_A_MONTH))
