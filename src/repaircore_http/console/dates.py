"""Dates and times on pages."""

from datetime import date, datetime
from typing import Final

_NOON: Final = 12
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def moment_text(at: datetime) -> str:
    """Return a time: Jan 5, 2026, 3:07 PM UTC."""
    return f"{day_text(at)}, {at.hour % 12 or 12}:{at:%M} {'AM' if at.hour < _NOON else 'PM'} UTC"


def day_text(on: date) -> str:
    """Return a date: Jan 5, 2026."""
    return f"{_MONTHS[on.month - 1]} {on.day}, {on.year}"


def written_day(on: date) -> str:
    """Return a date as documents write it: January 5, 2026."""
    return f"{on:%B} {on.day}, {on.year}"
