"""Slots: the local times at which appointments may start, and which of them are free.

Daylight saving time: a skipped local time is not a slot; if one occurs twice, the first counts. A slot has its
length in elapsed time and lies within one interval of the day. Slots of the usual length never overlap.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from attrs import frozen

from repaircore.kernel.hours import Interval, format_minute
from repaircore.mechanics.model import TICK_MINUTES, Schedule

BOOKING_HORIZON: Final = timedelta(days=365)
"""How far ahead appointments can be booked."""

_TICK: Final = timedelta(minutes=TICK_MINUTES)
_DAY: Final = timedelta(days=1)


@frozen
class Slot:
    """A time at which an appointment may start: its local day and minute, and its start and end in UTC."""

    day: date
    minute: int
    starts_at: datetime
    ends_at: datetime

    @property
    def time(self) -> str:
        """Return the local time, such as ``14:30``."""
        return format_minute(self.minute)


def to_utc(day: date, minute: int, zone: ZoneInfo) -> datetime | None:
    """Return the time at which the local clock first shows a minute of a day, or None if it skips that minute."""
    wall = datetime.combine(day, time(*divmod(minute, 60)))
    at = wall.replace(tzinfo=zone).astimezone(UTC)
    return at if at.astimezone(zone).replace(tzinfo=None) == wall else None


def local(at: datetime, zone: ZoneInfo) -> tuple[date, int]:
    """Return the local day and minute of a time."""
    wall = at.astimezone(zone)
    return wall.date(), wall.hour * 60 + wall.minute


def ticks(starts_at: datetime, ends_at: datetime) -> tuple[datetime, ...]:
    """Return the ticks at which an appointment takes a seat."""
    return tuple(starts_at + _TICK * number for number in range((ends_at - starts_at) // _TICK))


def slots_on(schedule: Schedule, day: date, *, minutes: int | None = None) -> tuple[Slot, ...]:
    """List the slots of a day, in order.

    With ``minutes``, each lasts that long: a longer one takes the time of the slots after it, and still lies within one
    interval.
    """
    zone = ZoneInfo(schedule.time_zone)
    length = timedelta(minutes=schedule.slot_minutes if minutes is None else minutes)
    return tuple(
        slot for interval in schedule.on(day) for slot in _within(interval, schedule, day, zone, length)
    )


def free_slots(
    slots: Sequence[Slot], taken: Mapping[datetime, int], *, capacity: int, now: datetime
) -> tuple[Slot, ...]:
    """Return the slots that can be booked: those in the future with a free seat at each tick."""
    return tuple(
        slot
        for slot in slots
        if slot.starts_at > now
        and all(taken.get(tick, 0) < capacity for tick in ticks(slot.starts_at, slot.ends_at))
    )


def upcoming_free_slots(
    schedule: Schedule,
    taken: Mapping[datetime, int],
    *,
    now: datetime,
    since: datetime,
    days: int,
    minutes: int | None = None,
) -> Iterator[Slot]:
    """Yield the free slots from ``since`` on, in order, for ``days`` days; see ``slots_on`` for ``minutes``."""
    first, _ = local(since, ZoneInfo(schedule.time_zone))
    for number in range(days):
        for slot in free_slots(
            slots_on(schedule, first + _DAY * number, minutes=minutes),
            taken,
            capacity=schedule.capacity,
            now=now,
        ):
            if slot.starts_at >= since:
                yield slot


def window(schedule: Schedule, day: date, *, days: int = 1) -> tuple[datetime, datetime]:
    """Return a UTC period that contains every slot of the ``days`` days from ``day`` on, with some time to spare."""
    zone = ZoneInfo(schedule.time_zone)
    midnight = datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
    # A day is longer than 24 hours when the clock is set back.
    return midnight - _DAY, midnight + _DAY * (days + 1)


def _within(
    interval: Interval, schedule: Schedule, day: date, zone: ZoneInfo, length: timedelta
) -> Iterator[Slot]:
    start, end = interval
    pitch = timedelta(minutes=schedule.slot_minutes)
    free_from: datetime | None = None
    for minute in range(start, end, schedule.slot_minutes):
        starts_at = to_utc(day, minute, zone)
        if starts_at is None or (free_from is not None and starts_at < free_from):
            continue
        ends_at = starts_at + length
        if all(_contains(interval, day, local(tick, zone)) for tick in ticks(starts_at, ends_at)):
            free_from = starts_at + pitch
            yield Slot(day, minute, starts_at, ends_at)


def _contains(interval: Interval, day: date, at: tuple[date, int]) -> bool:
    return at[0] == day and interval[0] <= at[1] < interval[1]
