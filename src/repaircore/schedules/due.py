"""When a service is due: by a date or by miles, whichever comes first."""

from calendar import monthrange
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from attrs import frozen

DUE_DAYS: Final = 30
DUE_MILES: Final = 500
"""So near its date or its miles a service is due."""

_MONTHS: Final = 12


class DueStatus(StrEnum):
    """How a service that is still to be done stands."""

    UPCOMING = "upcoming"
    DUE = "due"
    OVERDUE = "overdue"


@frozen(kw_only=True)
class Due:
    """When a service is due: a date, an odometer reading in miles, or both; the first to come counts."""

    on: date | None = None
    mileage: int | None = None


@frozen(kw_only=True)
class Interval:
    """How often a service returns, in months, in miles, or both."""

    months: int | None = None
    miles: int | None = None

    @property
    def recurs(self) -> bool:
        """Tell whether it returns at all."""
        return self.months is not None or self.miles is not None


def standing(due: Due, *, today: date, odometer: int | None) -> DueStatus:
    """Say how a service stands; miles do not count while the odometer is not known."""
    by_date = _by_date(due.on, today)
    by_miles = _by_miles(due.mileage, odometer)
    return max(by_date, by_miles, key=list(DueStatus).index)


def _by_date(on: date | None, today: date) -> DueStatus:
    if on is None or on > today + timedelta(days=DUE_DAYS):
        return DueStatus.UPCOMING
    return DueStatus.OVERDUE if on < today else DueStatus.DUE


def _by_miles(mileage: int | None, odometer: int | None) -> DueStatus:
    if mileage is None or odometer is None or mileage > odometer + DUE_MILES:
        return DueStatus.UPCOMING
    return DueStatus.OVERDUE if mileage < odometer else DueStatus.DUE


def when_next(interval: Interval, *, done_on: date, done_at: int | None) -> Due | None:
    """Say when a recurring service is due again, counted from when it was done; None when nothing can be said.

    ``done_at`` is the odometer reading, None when it is not known: then miles cannot be counted from it.
    """
    on = None if interval.months is None else months_after(done_on, interval.months)
    mileage = None if interval.miles is None or done_at is None else done_at + interval.miles
    return None if on is None and mileage is None else Due(on=on, mileage=mileage)


def months_after(day: date, months: int) -> date:
    """Give the day so many months later, the last of the month where the month is shorter."""
    years, month = divmod(day.month - 1 + months, _MONTHS)
    year = day.year + years
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
