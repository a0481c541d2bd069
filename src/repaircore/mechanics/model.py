"""Mechanics and their hours."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Final

from attrs import Factory, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.kernel.hours import Day, Weekly

TICK_MINUTES: Final = 5
"""Hours and slots start and end on multiples of this; appointments take a seat for each tick."""


@frozen(kw_only=True)
class Schedule:
    """A mechanic's working hours, in ``time_zone``.

    ``exceptions`` are dates whose hours differ from those of their weekday (no hours mean closed). A slot lasts
    ``slot_minutes``, and ``capacity`` appointments may overlap.
    """

    time_zone: str
    weekly: Weekly
    exceptions: Mapping[date, Day] = Factory(dict)
    slot_minutes: int = 60
    capacity: int = 1

    def on(self, day: date) -> Day:
        """Return the hours on a day; empty if the mechanic is closed."""
        return self.exceptions.get(day, self.weekly[day.weekday()])


@frozen(kw_only=True)
class Offer:
    """A service that a mechanic offers, such as ``oil_change``.

    It takes ``minutes``, by default one slot; ``price`` is in cents, or None if it depends on the vehicle.
    """

    service: str
    minutes: int | None = None
    price: int | None = None


@frozen(kw_only=True)
class Profile:
    """A mechanic's profile; ``state`` is a two-letter code, and languages are ISO 639-1 codes."""

    name: str
    state: str
    schedule: Schedule
    email: str | None = None
    phone: str | None = None
    address: str | None = None
    city: str | None = None
    zip_code: str | None = None
    point: Point | None = None
    offers: tuple[Offer, ...] = ()
    languages: tuple[str, ...] = ()

    @property
    def services(self) -> tuple[str, ...]:
        """Return the names of the offered services."""
        return tuple(offer.service for offer in self.offers)

    def offer_of(self, service: str) -> Offer | None:
        """Return the offer for a service, or None if the service is not offered."""
        return next((offer for offer in self.offers if offer.service == service), None)

    def minutes_of(self, service: str | None) -> int:
        """Return the length of an appointment for a service; by default, one slot."""
        offer = None if service is None else self.offer_of(service)
        return (None if offer is None else offer.minutes) or self.schedule.slot_minutes


@frozen(kw_only=True)
class Mechanic:
    """A mechanic in the directory; an inactive one is not listed, and takes no appointments.

    ``ratings`` is the number of its ratings, each from 1 to 5 stars, and ``stars`` is their sum.
    """

    id: int
    ref: str
    environment: Environment
    profile: Profile
    is_active: bool
    created_at: datetime
    updated_at: datetime
    ratings: int = 0
    stars: int = 0
    version: int = 1

    @property
    def rating(self) -> float | None:
        """Return the average rating to one decimal, or None before the first rating."""
        return round(self.stars / self.ratings, 1) if self.ratings else None
