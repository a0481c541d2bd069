"""Slots: the times at which appointments may begin, by the local clock, and which of them are free.

The clock is put forward and back. A time that it leaps over is no slot; of one that comes twice the first counts. A
slot lasts its minutes as they pass, lies wholly within one interval of the day, and never overlaps another of its day.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from attrs import frozen

from repaircore.kernel.hours import Interval, format_minute
from repaircore.mechanics.model import TICK_MINUTES, Schedule

FARTHEST: Final = timedelta(days=365)
"""How far ahead appointments are made."""

_TICK: Final = timedelta(minutes=TICK_MINUTES)
_DAY: Final = timedelta(days=1)


@frozen
class Slot:
    """A time at which an appointment may begin: the local day and minute, and when that is in UTC."""

    day: date
    minute: int
    starts_at: datetime
    ends_at: datetime

    @property
    def time(self) -> str:
        """Give the local time: ``14:30``."""
        return format_minute(self.minute)


def instant(day: date, minute: int, zone: ZoneInfo) -> datetime | None:
    """Give when the local clock shows a minute of a day, for the first time; None when it leaps over it."""
    wall = datetime.combine(day, time(*divmod(minute, 60)))
    at = wall.replace(tzinfo=zone).astimezone(UTC)
    return at if at.astimezone(zone).replace(tzinfo=None) == wall else None


def local(at: datetime, zone: ZoneInfo) -> tuple[date, int]:
    """Give the local day and minute of a moment."""
    wall = at.astimezone(zone)
    return wall.date(), wall.hour * 60 + wall.minute


def ticks(starts_at: datetime, ends_at: datetime) -> tuple[datetime, ...]:
    """Give the ticks of an appointment: every place that it takes."""
    return tuple(starts_at + _TICK * number for number in range((ends_at - starts_at) // _TICK))


def slots_on(schedule: Schedule, day: date) -> tuple[Slot, ...]:
    """List the slots of a day, in order."""
    zone = ZoneInfo(schedule.time_zone)
    return tuple(slot for interval in schedule.on(day) for slot in _within(interval, schedule, day, zone))


def free(
    slots: Sequence[Slot], taken: Mapping[datetime, int], *, capacity: int, now: datetime
) -> tuple[Slot, ...]:
    """Leave the slots that can be booked: they lie ahead, and at each of their ticks a place is free."""
    return tuple(
        slot
        for slot in slots
        if slot.starts_at > now
        and all(taken.get(tick, 0) < capacity for tick in ticks(slot.starts_at, slot.ends_at))
    )


def first_free(
    schedule: Schedule, taken: Mapping[datetime, int], *, now: datetime, since: datetime, days: int
) -> Iterator[Slot]:
    """Give the free slots from a moment on, in order, for so many days."""
    first, _ = local(since, ZoneInfo(schedule.time_zone))
    for number in range(days):
        for slot in free(
            slots_on(schedule, first + _DAY * number), taken, capacity=schedule.capacity, now=now
        ):
            if slot.starts_at >= since:
                yield slot


def window(schedule: Schedule, day: date, *, days: int = 1) -> tuple[datetime, datetime]:
    """Give two moments between which all slots of some days lie."""
    zone = ZoneInfo(schedule.time_zone)
    midnight = datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
    # Days are longer than 24 hours when the clock is put back.
    return midnight - _DAY, midnight + _DAY * (days + 1)


def _within(interval: Interval, schedule: Schedule, day: date, zone: ZoneInfo) -> Iterator[Slot]:
    start, end = interval
    lasting = timedelta(minutes=schedule.slot_minutes)
    free_from: datetime | None = None
    for minute in range(start, end, schedule.slot_minutes):
        starts_at = instant(day, minute, zone)
        if starts_at is None or (free_from is not None and starts_at < free_from):
            continue
        ends_at = starts_at + lasting
        if all(_holds(interval, day, local(tick, zone)) for tick in ticks(starts_at, ends_at)):
            free_from = ends_at
            yield Slot(day, minute, starts_at, ends_at)


def _holds(interval: Interval, day: date, at: tuple[date, int]) -> bool:
    return at[0] == day and interval[0] <= at[1] < interval[1]
