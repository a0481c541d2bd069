"""Opening hours: the local hours of each day of the week.

An hour is a minute of the local day, 0 to 1440. What is open past midnight has two intervals: one that ends at 1440,
and one of the next day that begins at 0.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo, available_timezones

Interval: TypeAlias = tuple[int, int]
"""From a minute of the local day up to, and without, another."""

Day: TypeAlias = tuple[Interval, ...]
"""The intervals of a day, in order, apart from one another; none: closed."""

Weekly: TypeAlias = tuple[Day, Day, Day, Day, Day, Day, Day]
"""The days of a week, Monday first."""

DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_MIDNIGHT: Final = 1440
_TIME: Final = re.compile(r"([01][0-9]|2[0-4]):([0-5][0-9])", re.ASCII)
_SHORT: Final = {day[:3]: number for number, day in enumerate(DAYS)}
_LONGEST: Final = 500


def is_zone(name: str) -> bool:
    """Tell whether this is a time zone of the IANA data base (``America/New_York``)."""
    return name in available_timezones()


def is_open(weekly: Weekly | None, at: datetime, zone: ZoneInfo) -> bool:
    """Tell whether it is open at a moment; None is always open."""
    if weekly is None:
        return True
    local = at.astimezone(zone)
    minute = local.hour * 60 + local.minute
    return any(start <= minute < end for start, end in weekly[local.weekday()])


def day_fault(day: Sequence[Interval]) -> str | None:
    """Say why intervals cannot be those of a day, None when they can."""
    if any(not 0 <= start < end <= _MIDNIGHT for start, end in day):
        return "Each interval must end after its start, on the same day (24:00 at the latest)."
    if any(later[0] <= earlier[1] for earlier, later in pairwise(day)):
        return "The intervals of a day must be in order, and apart from one another."
    return None


def clock(minute: int) -> str:
    """Write a minute of the day: ``08:30``; the last is ``24:00``."""
    return f"{minute // 60:02}:{minute % 60:02}"


def minute_of(text: str) -> int | None:
    """Read a minute of the day, ``00:00`` to ``24:00``; None for everything else."""
    found = _TIME.fullmatch(text)
    minute = int(found[1]) * 60 + int(found[2]) if found else _MIDNIGHT + 1
    return minute if minute <= _MIDNIGHT else None


def intervals_of(text: str) -> Day:
    """Read the hours of a day: ``08:00-12:00,13:00-17:00``; ``closed`` for none.

    Raises:
        ValueError: with a sentence.
    """
    if text.strip().casefold() == "closed":
        return ()
    day = tuple(_interval(one.strip()) for one in text.split(","))
    fault = day_fault(day)
    if fault:
        raise ValueError(fault)
    return day


def intervals_told(day: Day) -> str:
    """Write the hours of a day as ``intervals_of`` reads them."""
    return ",".join(f"{clock(start)}-{clock(end)}" for start, end in day) or "closed"


def weekly_of(text: str) -> Weekly:
    """Read the hours of a week: ``mon-fri 08:00-17:00; sat 09:00-12:00,13:00-15:00``; a day that is not named is closed.

    Raises:
        ValueError: with a sentence.
    """
    if len(text) > _LONGEST:
        msg = f"The hours must not be longer than {_LONGEST} characters."
        raise ValueError(msg)
    week: dict[int, Day] = {}
    for part in filter(None, (one.strip() for one in text.split(";"))):
        names, _, hours = part.partition(" ")
        intervals = intervals_of(hours)
        for number in _days(names):
            if number in week:
                msg = f"The hours name {DAYS[number]} twice."
                raise ValueError(msg)
            week[number] = intervals
    return weekly(week.get(number, ()) for number in range(7))


def weekly_told(week: Weekly) -> str:
    """Write the hours of a week as ``weekly_of`` reads them: days in a row that have the same hours as one."""
    told = []
    first = 0
    while first < len(week):
        last = first
        while last + 1 < len(week) and week[last + 1] == week[first]:
            last += 1
        if week[first]:
            names = DAYS[first][:3] if first == last else f"{DAYS[first][:3]}-{DAYS[last][:3]}"
            told.append(f"{names} {intervals_told(week[first])}")
        first = last + 1
    return "; ".join(told)


def weekly(days: Iterable[Sequence[Sequence[int]]]) -> Weekly:
    """Make a week of seven days, Monday first (lists, as JSON has them, become tuples).

    Raises:
        ValueError: with a sentence: there are not seven, or a day cannot be.
    """
    made = tuple(tuple((start, end) for start, end in day) for day in days)
    fault = next(filter(None, map(day_fault, made)), None)
    if fault:
        raise ValueError(fault)
    try:
        monday, tuesday, wednesday, thursday, friday, saturday, sunday = made
    except ValueError:
        msg = "A week has seven days."
        raise ValueError(msg) from None
    return (monday, tuesday, wednesday, thursday, friday, saturday, sunday)


def _interval(text: str) -> Interval:
    start, _, end = (one.strip() for one in text.partition("-"))
    first, last = minute_of(start), minute_of(end)
    if first is None or last is None:
        msg = f"The hours must be like mon-fri 08:00-17:00; sat 09:00-13:00, not {text[:40]!r}."
        raise ValueError(msg)
    return first, last


def _days(names: str) -> range:
    """Read ``mon`` or ``mon-fri``."""
    first, dash, last = names.casefold().partition("-")
    start, end = _SHORT.get(first[:3]), _SHORT.get((last if dash else first)[:3])
    known = all(name in {*DAYS, *_SHORT} for name in ((first, last) if dash else (first,)))
    if start is None or end is None or not known or end < start:
        msg = f"The hours must name days like mon, or mon-fri, not {names[:40]!r}."
        raise ValueError(msg)
    return range(start, end + 1)
