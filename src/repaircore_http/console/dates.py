"""Dates and times on pages."""

from datetime import date, datetime
from typing import Final

from repaircore.kernel.wording import time_of_day

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def moment_text(at: datetime) -> str:
    """Format a time in UTC: Jan 5, 2026, 3:07 PM UTC."""
    return f"{day_text(at)}, {time_of_day(at)}"


def day_text(on: date) -> str:
    """Format a date: Jan 5, 2026."""
    return f"{_MONTHS[on.month - 1]} {on.day}, {on.year}"


def written_day(on: date) -> str:
    """Format a date as in documents: January 5, 2026."""
    return f"{on:%B} {on.day}, {on.year}"
