"""Times as they are told outside."""

from datetime import datetime


def iso_utc(at: datetime) -> str:
    """Write a time in UTC to the second: ``2026-03-14T12:00:00Z``."""
    return at.isoformat(timespec="seconds")[:19] + "Z"
