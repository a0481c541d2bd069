"""Find the requested slot and take its seats, or list free slots instead.

To take seats, lock the mechanic first, in the same unit of work.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Final
from zoneinfo import ZoneInfo

from repaircore.appointments.errors import SlotFull
from repaircore.appointments.validation import RescheduleAppointment, parse_date, parse_time
from repaircore.kernel.errors import Invalid
from repaircore.kernel.hours import format_intervals, format_minute
from repaircore.kernel.rules import field_errors, sentence
from repaircore.mechanics.model import Mechanic, Offer, Schedule
from repaircore.mechanics.offers import service_word
from repaircore.mechanics.ports import SeatHolder, Seats
from repaircore.mechanics.slots import (
    BOOKING_HORIZON,
    Slot,
    free_slots,
    local,
    slots_on,
    ticks,
    to_utc,
    upcoming_free_slots,
)

_MOST_ALTERNATIVES: Final = 5
_LOOK_AHEAD_DAYS: Final = 14


def find_offer(mechanic: Mechanic, service: str | None) -> Offer | None:
    """Return the offer for a requested service, or None if ``service`` is None.

    Raises:
        Invalid: on ``service``, if the mechanic does not offer it.
    """
    if service is None:
        return None
    offer = mechanic.profile.offer_of(service_word(service))
    if offer is None:
        if not mechanic.profile.services:
            raise Invalid({"service": ["This mechanic lists no services. Omit the service field."]})
        offered = ", ".join(mechanic.profile.services)
        raise Invalid({"service": [f"The service field must be one of the mechanic's services: {offered}."]})
    return offer


def find_requested_slot(
    mechanic: Mechanic, *, date: str, time: str, minutes: int | None = None, now: datetime
) -> Slot:
    """Return the slot at a date and time on the mechanic's clock, ``minutes`` long if given.

    Raises:
        Invalid: on ``date`` or ``time``.
    """
    day, minute = parse_date(date), parse_time(time)
    if day is None or minute is None:
        raise Invalid(field_errors(RescheduleAppointment, {"date": date, "time": time}))
    return find_slot(mechanic.profile.schedule, day, minute, now=now, minutes=minutes)


def find_slot(
    schedule: Schedule, day: date, minute: int, *, now: datetime, minutes: int | None = None
) -> Slot:
    """Return the slot that starts at a date and minute on the mechanic's clock, ``minutes`` long if given.

    Raises:
        Invalid: on ``date`` or ``time``; it is in the past, too far ahead, outside working hours, skipped when clocks
            are set forward, or not the start of a slot.
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
        return _invalid("time", "does not exist on this day: clocks are set forward")
    if not any(start <= minute < end for start, end in hours):
        return _invalid("time", f"must be within the mechanic's hours: {format_intervals(hours)}")
    nearest = sorted(slots, key=lambda slot: abs(slot.minute - minute))
    alternatives = sorted(nearest[:_MOST_ALTERNATIVES], key=lambda slot: slot.minute)
    if not alternatives:
        return _invalid("time", "must be the start of a slot, and there is none on this day")
    return _invalid("time", f"must be the start of a slot: {', '.join(slot.time for slot in alternatives)}")


def _invalid(field: str, predicate: str) -> Invalid:
    return Invalid({field: [sentence(field, predicate)]})


def require_free(seats: Seats, mechanic: Mechanic, slot: Slot, *, now: datetime) -> None:
    """Require that a slot is free.

    Raises:
        SlotFull: it is not free; the next free slots are included.
    """
    capacity = mechanic.profile.schedule.capacity
    taken = seats.count_taken([mechanic.id], slot.starts_at, slot.ends_at, at=now)[mechanic.id]
    if not free_slots([slot], taken, capacity=capacity, now=now):
        raise _full(seats, mechanic, slot, now)


def take_seats(seats: Seats, mechanic: Mechanic, holder: SeatHolder, slot: Slot, *, now: datetime) -> None:
    """Take the seats of a slot.

    Raises:
        SlotFull: it is not free; the next free slots are included.
    """
    wanted = ticks(slot.starts_at, slot.ends_at)
    capacity = mechanic.profile.schedule.capacity
    if not seats.take(mechanic.id, holder, wanted, capacity=capacity, at=now):
        raise _full(seats, mechanic, slot, now)


def _full(seats: Seats, mechanic: Mechanic, slot: Slot, now: datetime) -> SlotFull:
    until = slot.starts_at + timedelta(days=_LOOK_AHEAD_DAYS + 2)
    taken = seats.count_taken([mechanic.id], slot.starts_at, until, at=now)[mechanic.id]
    later = upcoming_free_slots(
        mechanic.profile.schedule,
        taken,
        now=now,
        since=slot.starts_at,
        days=_LOOK_AHEAD_DAYS,
        minutes=(slot.ends_at - slot.starts_at) // timedelta(minutes=1),
    )
    return SlotFull(list(islice(later, _MOST_ALTERNATIVES)))
