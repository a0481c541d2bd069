"""Find the free times of many mechanics at once, reading each table once."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from repaircore.mechanics.model import Mechanic
from repaircore.mechanics.ports import Seats
from repaircore.mechanics.slots import Slot, free_slots, local, slots_on, upcoming_free_slots, window

LOOK_AHEAD_DAYS: Final = 60
"""How far ahead to look for the next free slot."""

_STEPS: Final = (3, 14, LOOK_AHEAD_DAYS)
"""Days to look ahead, in rounds: most mechanics have a slot soon, so later rounds read the seats of few."""
_DAY: Final = timedelta(days=1)


def find_next_slots(
    seats: Seats, mechanics: Sequence[Mechanic], *, service: str | None = None, now: datetime
) -> Mapping[int, Slot | None]:
    """Return each mechanic's next free slot for a service, by id; None if there is none in the next 60 days."""
    found: dict[int, Slot | None] = {mechanic.id: None for mechanic in mechanics}
    waiting = [*mechanics]
    for days in _STEPS:
        if not waiting:
            break
        # A current appointment still takes seats, and the last local day may end a day later in UTC.
        taken = seats.count_taken([each.id for each in waiting], now, now + _DAY * (days + 2), at=now)
        for mechanic in waiting:
            profile = mechanic.profile
            found[mechanic.id] = next(
                upcoming_free_slots(
                    profile.schedule,
                    taken[mechanic.id],
                    now=now,
                    since=now,
                    days=days,
                    minutes=profile.minutes_of(service),
                ),
                None,
            )
        waiting = [mechanic for mechanic in waiting if found[mechanic.id] is None]
    return found


def list_free_slots(
    seats: Seats,
    mechanics: Sequence[Mechanic],
    *,
    first: date,
    last: date,
    service: str | None = None,
    now: datetime,
) -> Iterator[tuple[Mechanic, Sequence[Slot]]]:
    """Yield each mechanic with its free slots from ``first`` to ``last``, which are days in its time zone."""
    days = (last - first).days + 1
    windows = [window(mechanic.profile.schedule, first, days=days) for mechanic in mechanics]
    if not windows:
        return
    since, until = min(start for start, _ in windows), max(end for _, end in windows)
    taken = seats.count_taken([each.id for each in mechanics], since, until, at=now)
    for mechanic in mechanics:
        profile = mechanic.profile
        today, _ = local(now, ZoneInfo(profile.schedule.time_zone))
        yield (
            mechanic,
            [
                slot
                for number in range(days)
                if (day := first + _DAY * number) >= today
                for slot in free_slots(
                    slots_on(profile.schedule, day, minutes=profile.minutes_of(service)),
                    taken[mechanic.id],
                    capacity=profile.schedule.capacity,
                    now=now,
                )
            ],
        )
