"""How times are kept: whole microseconds since 1970, in UTC."""

from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["micros", "moment", "moment_or_none"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def micros(at: datetime) -> int:
    """Give the number that is kept for a time."""
    return (at - _EPOCH) // _MICROSECOND


def moment(kept: int) -> datetime:
    """Give the time that a number was kept for."""
    return _EPOCH + timedelta(microseconds=kept)


def moment_or_none(kept: int | None) -> datetime | None:
    """Give the time, or None where none is kept."""
    return None if kept is None else moment(kept)
