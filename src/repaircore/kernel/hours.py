"""Opening hours: the local hours of each day of the week.

Times are minutes of the local day, 0 to 1440. Hours past midnight are two intervals: one that ends at 1440, and one
on the next day that begins at 0.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo, available_timezones

Interval: TypeAlias = tuple[int, int]
"""From a minute of the local day up to, but not including, another."""

Day: TypeAlias = tuple[Interval, ...]
"""The intervals of a day, in order, without touching or overlapping; empty when closed."""

Weekly: TypeAlias = tuple[Day, Day, Day, Day, Day, Day, Day]
"""The days of a week, Monday first."""

DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_MIDNIGHT: Final = 1440
_TIME: Final = re.compile(r"([01][0-9]|2[0-4]):([0-5][0-9])", re.ASCII)
_SHORT: Final = {day[:3]: number for number, day in enumerate(DAYS)}
_LONGEST: Final = 500


def is_zone(name: str) -> bool:
    """Return whether a name is an IANA time zone (``America/New_York``)."""
    return name in available_timezones()


def is_open(weekly: Weekly | None, at: datetime, zone: ZoneInfo) -> bool:
    """Return whether a time is within the hours; a ``weekly`` of None means always open."""
    if weekly is None:
        return True
    local = at.astimezone(zone)
    minute = local.hour * 60 + local.minute
    return any(start <= minute < end for start, end in weekly[local.weekday()])


def day_error(day: Sequence[Interval]) -> str | None:
    """Return why intervals are not valid hours for a day, or None if they are."""
    if any(not 0 <= start < end <= _MIDNIGHT for start, end in day):
        return "Each interval must end after its start, on the same day (24:00 at the latest)."
    if any(later[0] <= earlier[1] for earlier, later in pairwise(day)):
        return "The intervals of a day must be in order, and must not touch or overlap."
    return None


def format_minute(minute: int) -> str:
    """Format a minute of the day, such as ``08:30``; the last one is ``24:00``."""
    return f"{minute // 60:02}:{minute % 60:02}"


def parse_minute(text: str) -> int | None:
    """Parse a time of day, ``00:00`` to ``24:00``, into a minute; return None for anything else."""
    match = _TIME.fullmatch(text)
    minute = int(match[1]) * 60 + int(match[2]) if match else _MIDNIGHT + 1
    return minute if minute <= _MIDNIGHT else None


def parse_intervals(text: str) -> Day:
    """Parse the hours of a day: ``08:00-12:00,13:00-17:00``, or ``closed``.

    Raises:
        ValueError: the text is malformed; the message is a sentence for the user.
    """
    if text.strip().casefold() == "closed":
        return ()
    day = tuple(_parse_interval(part.strip()) for part in text.split(","))
    error = day_error(day)
    if error:
        raise ValueError(error)
    return day


def format_intervals(day: Day) -> str:
    """Format the hours of a day as ``parse_intervals`` reads them."""
    return ",".join(f"{format_minute(start)}-{format_minute(end)}" for start, end in day) or "closed"


def parse_weekly(text: str) -> Weekly:
    """Parse the hours of a week: ``mon-fri 08:00-17:00; sat 09:00-12:00,13:00-15:00``; days left out are closed.

    Raises:
        ValueError: the text is malformed; the message is a sentence for the user.
    """
    if len(text) > _LONGEST:
        msg = f"The hours must not be longer than {_LONGEST} characters."
        raise ValueError(msg)
    week: dict[int, Day] = {}
    for part in filter(None, map(str.strip, text.split(";"))):
        names, _, hours = part.partition(" ")
        intervals = parse_intervals(hours)
        for number in _parse_days(names):
            if number in week:
                msg = f"The hours name {DAYS[number]} twice."
                raise ValueError(msg)
            week[number] = intervals
    return weekly(week.get(number, ()) for number in range(7))


def format_weekly(week: Weekly) -> str:
    """Format the hours of a week as ``parse_weekly`` reads them, with equal consecutive days as one range."""
    parts = []
    first = 0
    while first < len(week):
        last = first
        while last + 1 < len(week) and week[last + 1] == week[first]:
            last += 1
        if week[first]:
            names = DAYS[first][:3] if first == last else f"{DAYS[first][:3]}-{DAYS[last][:3]}"
            parts.append(f"{names} {format_intervals(week[first])}")
        first = last + 1
    return "; ".join(parts)


def weekly(days: Iterable[Sequence[Sequence[int]]]) -> Weekly:
    """Build a week from seven days, Monday first; lists from JSON become tuples.

    Raises:
        ValueError: there are not seven days, or the hours of one are invalid; the message is a sentence for the user.
    """
    week = tuple(tuple((start, end) for start, end in day) for day in days)
    error = next(filter(None, map(day_error, week)), None)
    if error:
        raise ValueError(error)
    try:
        monday, tuesday, wednesday, thursday, friday, saturday, sunday = week
    except ValueError:
        msg = "The hours must have seven days, Monday first."
        raise ValueError(msg) from None
    return (monday, tuesday, wednesday, thursday, friday, saturday, sunday)


def _parse_interval(text: str) -> Interval:
    first, _, last = map(str.strip, text.partition("-"))
    start, end = parse_minute(first), parse_minute(last)
    if start is None or end is None:
        msg = f"The hours must look like mon-fri 08:00-17:00; sat 09:00-13:00, not {text[:40]!r}."
        raise ValueError(msg)
    return start, end


def _parse_days(names: str) -> range:
    """Parse ``mon`` or ``mon-fri``."""
    first, dash, last = names.casefold().partition("-")
    start, end = _SHORT.get(first[:3]), _SHORT.get((last if dash else first)[:3])
    are_days = all(name in {*DAYS, *_SHORT} for name in ((first, last) if dash else (first,)))
    if start is None or end is None or not are_days or end < start:
        msg = f"The hours must start with days such as mon or mon-fri, not {names[:40]!r}."
        raise ValueError(msg)
    return range(start, end + 1)
