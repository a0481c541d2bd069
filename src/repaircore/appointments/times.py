"""Which slot a date and a time are, or what is wrong with them."""

import re
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from repaircore.kernel.errors import Invalid
from repaircore.kernel.hours import format_intervals, format_minute, parse_minute
from repaircore.mechanics.model import Schedule
from repaircore.mechanics.slots import FARTHEST, Slot, instant, local, slots_on

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_MIDNIGHT: Final = 1440
_MOST_TOLD: Final = 5


def date_of(text: str) -> date | None:
    """Read ``2026-12-24``; None for everything else."""
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def time_of(text: str) -> int | None:
    """Read ``14:30`` as the minute of a day; None for everything else, ``24:00`` too."""
    minute = parse_minute(text)
    return None if minute is None or minute >= _MIDNIGHT else minute


def validate_time(*, date: str | None = None, time: str | None = None) -> dict[str, list[str]]:
    """Say what is wrong with the form of a date and a time, by field; what is None is not judged."""
    told: dict[str, list[str]] = {}
    if date is not None and date_of(date) is None:
        told["date"] = ["The date field must be a date such as 2026-01-31."]
    if time is not None and time_of(time) is None:
        told["time"] = ["The time field must be a time such as 14:30."]
    return told


def slot_of(schedule: Schedule, date_text: str, time_text: str, *, now: datetime) -> Slot:
    """Give the slot that a date and a time mean by the mechanic's clock.

    Raises:
        Invalid: on ``date`` or ``time``: it is past, too far ahead, outside the hours, leapt over, or not a slot.
    """
    day, minute = date_of(date_text), time_of(time_text)
    if day is None or minute is None:
        raise Invalid(validate_time(date=date_text, time=time_text))
    zone = ZoneInfo(schedule.time_zone)
    today, this_minute = local(now, zone)
    if not today <= day <= today + FARTHEST:
        raise _wrong("date", f"must be within the next {FARTHEST.days} days")
    slot = next((one for one in slots_on(schedule, day) if one.minute == minute), None)
    if slot is None:
        raise _no_slot(schedule, day, minute, zone)
    if slot.starts_at <= now:
        raise _wrong("time", f"must lie ahead: it is {format_minute(this_minute)} there")
    return slot


def _no_slot(schedule: Schedule, day: date, minute: int, zone: ZoneInfo) -> Invalid:
    hours = schedule.on(day)
    if not hours:
        return _wrong("date", "must be a day on which the mechanic works")
    if instant(day, minute, zone) is None:
        return _wrong("time", "must be a time that there is: the clock is put forward on this day")
    if not any(start <= minute < end for start, end in hours):
        return _wrong("time", f"must be within the mechanic's hours: {format_intervals(hours)}")
    near = sorted(slots_on(schedule, day), key=lambda one: abs(one.minute - minute))[:_MOST_TOLD]
    times = ", ".join(one.time for one in sorted(near, key=lambda one: one.minute)) or "none on this day"
    return _wrong("time", f"must be when a slot begins: {times}")


def _wrong(field: str, predicate: str) -> Invalid:
    return Invalid({field: [f"The {field} field {predicate}."]})
