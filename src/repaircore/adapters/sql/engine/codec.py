"""What stands in rows: times are whole microseconds since 1970, in UTC."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Give the columns of a row that are to be written anew: SQLite renews each index of which one is named."""
    return {name: value for name, value in new.items() if value != old[name]}


def micros(at: datetime) -> int:
    """Give the number that is kept for a time."""
    return (at - _EPOCH) // _MICROSECOND


def moment(kept: int) -> datetime:
    """Give the time that a number was kept for."""
    return _EPOCH + timedelta(microseconds=kept)


def moment_or_none(kept: int | None) -> datetime | None:
    """Give the time, or None where none is kept."""
    return None if kept is None else moment(kept)
