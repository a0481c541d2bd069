"""From a date and a time to a slot."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from repaircore.kernel.errors import Invalid
from repaircore.kernel.hours import format_intervals, format_minute, parse_minute
from repaircore.kernel.rules import sentence
from repaircore.mechanics.model import Schedule
from repaircore.mechanics.slots import BOOKING_HORIZON, Slot, local, slots_on, to_utc

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_MIDNIGHT: Final = 1440
_MOST_ALTERNATIVES: Final = 5


def parse_date(text: str) -> date | None:
    """Parse ``2026-12-24``; return None for everything else."""
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def parse_time(text: str) -> int | None:
    """Parse ``14:30`` as the minute of a day; return None for everything else, ``24:00`` included."""
    minute = parse_minute(text)
    return None if minute is None or minute >= _MIDNIGHT else minute


def find_slot(
    schedule: Schedule, day: date, minute: int, *, now: datetime, minutes: int | None = None
) -> Slot:
    """Return the slot that starts at a date and a minute by the mechanic's clock, ``minutes`` long if that is given.

    Raises:
        Invalid: on ``date`` or ``time``: it is past, too far ahead, outside the hours, skipped by the clock, or no slot.
    """
    zone = ZoneInfo(schedule.time_zone)
    today, this_minute = local(now, zone)
    if not today <= day <= today + BOOKING_HORIZON:
        raise _invalid("date", f"must be within the next {BOOKING_HORIZON.days} days")
    slots = slots_on(schedule, day, minutes=minutes)
    slot = next((slot for slot in slots if slot.minute == minute), None)
    if slot is None:
        raise _no_slot(schedule, day, minute, zone, slots)
    if slot.starts_at <= now:
        raise _invalid("time", f"must be in the future: it is {format_minute(this_minute)} there now")
    return slot


def _no_slot(schedule: Schedule, day: date, minute: int, zone: ZoneInfo, slots: Sequence[Slot]) -> Invalid:
    hours = schedule.on(day)
    if not hours:
        return _invalid("date", "must be a day on which the mechanic works")
    if to_utc(day, minute, zone) is None:
        return _invalid("time", "does not exist on this day: the clock is set forward")
    if not any(start <= minute < end for start, end in hours):
        return _invalid("time", f"must be within the mechanic's hours: {format_intervals(hours)}")
    nearest = sorted(slots, key=lambda slot: abs(slot.minute - minute))
    alternatives = sorted(nearest[:_MOST_ALTERNATIVES], key=lambda slot: slot.minute)
    times = ", ".join(slot.time for slot in alternatives) or "none on this day"
    return _invalid("time", f"must be the start of a slot: {times}")


def _invalid(field: str, predicate: str) -> Invalid:
    return Invalid({field: [sentence(field, predicate)]})
