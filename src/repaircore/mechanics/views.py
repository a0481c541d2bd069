"""Mechanics and their hours as the partner API shows them."""

from collections.abc import Sequence
from typing import Any, Final

from repaircore.kernel.hours import DAYS, Day, clock
from repaircore.kernel.views import iso_utc
from repaircore.mechanics.model import Mechanic, Schedule
from repaircore.mechanics.slots import Slot

_PLACES: Final = 6


def mechanic_told(mechanic: Mechanic) -> dict[str, Any]:
    """Tell of a mechanic."""
    told, point = mechanic.profile, mechanic.profile.point
    return {
        "ref": mechanic.ref,
        "name": told.name,
        "email": told.email,
        "phone": told.phone,
        "address": told.address,
        "city": told.city,
        "state": told.state,
        "zip_code": told.zip_code,
        "latitude": None if point is None else round(point.latitude, _PLACES),
        "longitude": None if point is None else round(point.longitude, _PLACES),
        "services": list(told.services),
        "timezone": told.schedule.time_zone,
        "slot_minutes": told.schedule.slot_minutes,
        "environment": mechanic.environment.value,
        "created_at": iso_utc(mechanic.created_at),
        "updated_at": iso_utc(mechanic.updated_at),
    }


def work_schedule_told(schedule: Schedule) -> dict[str, Any]:
    """Tell of each day of the week the first opening and the last closing, null where it is closed."""
    return {
        name: {"open": clock(day[0][0]), "close": clock(day[-1][1])} if day else None
        for name, day in zip(DAYS, schedule.weekly, strict=True)
    }


def new_schedule_told(schedule: Schedule, next_available: Slot | None) -> dict[str, Any]:
    """Tell of every interval of the week, of the days that have other hours, and of the next free slot."""
    return {
        "timezone": schedule.time_zone,
        "weekly": [
            {"day": number, "intervals": _intervals(day)} for number, day in enumerate(schedule.weekly, 1)
        ],
        "exceptions": [
            {"date": day.isoformat(), "closed": not hours, "intervals": _intervals(hours)}
            for day, hours in sorted(schedule.exceptions.items())
        ],
        "slot_minutes": schedule.slot_minutes,
        "next_available": None if next_available is None else slot_told(next_available),
    }


def slot_told(slot: Slot) -> dict[str, Any]:
    """Tell when a slot is, by the mechanic's clock and in UTC."""
    return {"date": slot.day.isoformat(), "time": slot.time, "starts_at": iso_utc(slot.starts_at)}


def slots_told(slots: Sequence[tuple[Slot, bool]]) -> list[dict[str, Any]]:
    """Tell the slots of a day, and which of them are free."""
    return [{**slot_told(slot), "available": free} for slot, free in slots]


def _intervals(day: Day) -> list[dict[str, str]]:
    return [{"start": clock(start), "end": clock(end)} for start, end in day]
