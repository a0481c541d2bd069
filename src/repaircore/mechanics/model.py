"""Mechanics and their hours."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Final

from attrs import Factory, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.kernel.hours import Day, Weekly

TICK_MINUTES: Final = 5
"""Hours and slots start and end on multiples of this; appointments take seats for each tick."""


@frozen(kw_only=True)
class Schedule:
    """The working hours of a mechanic, in ``time_zone``.

    ``exceptions`` are dates with other hours than their day of the week (none: closed). A slot lasts ``slot_minutes``, and
    ``capacity`` appointments may overlap.
    """

    time_zone: str
    weekly: Weekly
    exceptions: Mapping[date, Day] = Factory(dict)
    slot_minutes: int = 60
    capacity: int = 1

    def on(self, day: date) -> Day:
        """Return the hours of a day; none when closed."""
        return self.exceptions.get(day, self.weekly[day.weekday()])


@frozen(kw_only=True)
class Profile:
    """The profile of a mechanic; ``state`` has two letters, services are words like ``oil_change``."""

    name: str
    state: str
    schedule: Schedule
    email: str | None = None
    phone: str | None = None
    address: str | None = None
    city: str | None = None
    zip_code: str | None = None
    point: Point | None = None
    services: tuple[str, ...] = ()


@frozen(kw_only=True)
class Mechanic:
    """A mechanic in the directory; an inactive one is not listed, and takes no appointments."""

    id: int
    ref: str
    environment: Environment
    profile: Profile
    is_active: bool
    created_at: datetime
    updated_at: datetime
    version: int = 1
