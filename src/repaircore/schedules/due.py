"""Decide when a service is due: by date or by miles, whichever comes first."""

from calendar import monthrange
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from attrs import frozen

DUE_DAYS: Final = 30
DUE_MILES: Final = 500
"""How many days or miles in advance a service counts as due."""

_MONTHS: Final = 12


class DueStatus(StrEnum):
    """The status of a service that is not done yet."""

    UPCOMING = "upcoming"
    DUE = "due"
    OVERDUE = "overdue"


@frozen(kw_only=True)
class Due:
    """When a service is due: on a date, at an odometer reading in miles, or at whichever comes first."""

    on: date | None = None
    mileage: int | None = None


@frozen(kw_only=True)
class Interval:
    """How often a service recurs, in months, in miles, or both."""

    months: int | None = None
    miles: int | None = None

    @property
    def recurs(self) -> bool:
        """Return whether the service recurs at all."""
        return self.months is not None or self.miles is not None


def due_status(due: Due, *, today: date, odometer: int | None) -> DueStatus:
    """Return the status of a service; miles are ignored while the odometer is unknown."""
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


def next_due(interval: Interval, *, completed_on: date, completed_at: int | None) -> Due | None:
    """Return when a recurring service is next due after its completion, or None if that is unknown.

    ``completed_at`` is the odometer reading at completion. If it is None, miles cannot be counted.
    """
    on = None if interval.months is None else add_months(completed_on, interval.months)
    mileage = None if interval.miles is None or completed_at is None else completed_at + interval.miles
    return None if on is None and mileage is None else Due(on=on, mileage=mileage)


def add_months(day: date, months: int) -> date:
    """Return the date ``months`` later: the same day of the month, or the last day if the month is too short."""
    years, month = divmod(day.month - 1 + months, _MONTHS)
    year = day.year + years
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
