"""Mechanics and their hours, as the partner API shows them."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any, Final, Self, TypeAlias

from typing_extensions import override

from repaircore.kernel.callers import Environment
from repaircore.kernel.hours import DAYS, Day, format_minute
from repaircore.kernel.rules import Described, Range
from repaircore.kernel.views import Count, Dollars, view
from repaircore.mechanics.model import Mechanic, Offer, Profile, Schedule
from repaircore.mechanics.offers import service_word
from repaircore.mechanics.profile import format_profile
from repaircore.mechanics.search import FoundMechanic
from repaircore.mechanics.slots import Slot

_PLACES: Final = 6
"""Decimals of a degree: about a tenth of a meter."""

ClockTime: TypeAlias = Annotated[
    str,
    Described(
        "A time on the mechanic's clock, such as 14:30.", pattern=r"^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$"
    ),
]


@view
class OfferView:
    """A service that a mechanic offers, and its duration there; ``price`` is null if it depends on the vehicle."""

    service: str
    duration_minutes: Annotated[int, Range(1)]
    price: Dollars | None

    @classmethod
    def of(cls, offer: Offer, profile: Profile) -> Self:
        """Return the view of an offer."""
        return cls(
            service=offer.service,
            duration_minutes=profile.minutes_of(offer.service),
            price=None if offer.price is None else offer.price / 100,
        )


@view
class MechanicView:
    """A mechanic; ``rating`` is the average of 1 to 5 stars, null before the first rating."""

    ref: str
    name: str
    email: str | None
    phone: str | None
    address: str | None
    city: str | None
    state: str
    zip_code: str | None
    latitude: float | None
    longitude: float | None
    services: list[str]
    offers: list[OfferView]
    languages: list[str]
    rating: Annotated[float, Range(1, 5)] | None
    rating_count: Count
    timezone: str
    slot_minutes: Annotated[int, Range(1)]
    environment: Environment
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, mechanic: Mechanic, **more: Any) -> Self:
        """Return the view of a mechanic; ``more`` are fields of a subclass."""
        profile, point = mechanic.profile, mechanic.profile.point
        return cls(
            ref=mechanic.ref,
            name=profile.name,
            email=profile.email,
            phone=profile.phone,
            address=profile.address,
            city=profile.city,
            state=profile.state,
            zip_code=profile.zip_code,
            latitude=None if point is None else round(point.latitude, _PLACES),
            longitude=None if point is None else round(point.longitude, _PLACES),
            services=list(profile.services),
            offers=[OfferView.of(offer, profile) for offer in profile.offers],
            languages=list(profile.languages),
            rating=mechanic.rating,
            rating_count=mechanic.ratings,
            timezone=profile.schedule.time_zone,
            slot_minutes=profile.schedule.slot_minutes,
            environment=mechanic.environment,
            created_at=mechanic.created_at,
            updated_at=mechanic.updated_at,
            **more,
        )


@view
class MechanicInFullView(MechanicView):
    """A mechanic with its hours, as operators see it."""

    hours: str
    exceptions: str
    capacity: int

    @classmethod
    def in_full(cls, mechanic: Mechanic) -> Self:
        """Return the view of a mechanic with its hours as text."""
        cells, capacity = format_profile(mechanic.profile), mechanic.profile.schedule.capacity
        return cls.of(mechanic, hours=cells["hours"], exceptions=cells["exceptions"], capacity=capacity)


@view
class FoundMechanicView(MechanicView):
    """A mechanic that was found, with its distance from the place and its next free slot for the service."""

    distance_miles: Annotated[float, Range(0)] | None
    next_free: "FreeSlotView | None"

    @classmethod
    def found(cls, found: FoundMechanic) -> Self:
        """Return the view of a mechanic that a search found."""
        distance, slot = found.distance_miles, found.next_free
        return cls.of(
            found.mechanic,
            distance_miles=None if distance is None else round(distance, 1),
            next_free=None if slot is None else FreeSlotView.of(slot),
        )


@view
class OpenHoursView:
    """The first opening and the last closing time of a day."""

    open: ClockTime
    close: ClockTime

    @classmethod
    def of(cls, day: Day) -> Self | None:
        """Return the view of a day's hours, or None on a day off."""
        return cls(open=format_minute(day[0][0]), close=format_minute(day[-1][1])) if day else None


@view
class WorkScheduleView:
    """When a mechanic opens and closes on each day of the week; a day off is null."""

    monday: OpenHoursView | None
    tuesday: OpenHoursView | None
    wednesday: OpenHoursView | None
    thursday: OpenHoursView | None
    friday: OpenHoursView | None
    saturday: OpenHoursView | None
    sunday: OpenHoursView | None

    @classmethod
    def of(cls, schedule: Schedule) -> Self:
        """Return the view of a week's hours."""
        return cls(**{name: OpenHoursView.of(day) for name, day in zip(DAYS, schedule.weekly, strict=True)})


@view
class WorkIntervalView:
    """Working hours, from one time on the mechanic's clock to another."""

    start: ClockTime
    end: ClockTime


@view
class WorkDayView:
    """The working hours on a day of the week; Monday is 1."""

    day: Annotated[int, Range(1, 7)]
    intervals: list[WorkIntervalView]


@view
class WorkExceptionView:
    """A date whose hours differ from the weekly ones."""

    date: "date"
    closed: bool
    intervals: list[WorkIntervalView]


@view
class FreeSlotView:
    """A slot: its date and time on the mechanic's clock, and its start in UTC."""

    date: "date"
    time: ClockTime
    starts_at: datetime

    @classmethod
    def of(cls, slot: Slot) -> Self:
        """Return the view of a slot."""
        return cls(date=slot.day, time=slot.time, starts_at=slot.starts_at)


@view
class FreeTimeView(FreeSlotView):
    """A time that can be booked, and when it ends."""

    ends_at: datetime

    @classmethod
    @override
    def of(cls, slot: Slot) -> Self:
        """Return the view of a slot."""
        return cls(date=slot.day, time=slot.time, starts_at=slot.starts_at, ends_at=slot.ends_at)


@view
class AvailabilityView:
    """A mechanic's free times; dates and times are on the mechanic's clock, ``starts_at`` and ``ends_at`` in UTC."""

    mechanic_ref: str
    name: str
    timezone: str
    duration_minutes: Annotated[int, Range(1)]
    price: Dollars | None
    slots: list[FreeTimeView]

    @classmethod
    def of(cls, mechanic: Mechanic, slots: Sequence[Slot], service: str | None) -> Self:
        """Return the view of a mechanic's free times for a service."""
        profile = mechanic.profile
        offer = None if service is None else profile.offer_of(service_word(service))
        return cls(
            mechanic_ref=mechanic.ref,
            name=profile.name,
            timezone=profile.schedule.time_zone,
            duration_minutes=profile.minutes_of(None if offer is None else offer.service),
            price=None if offer is None or offer.price is None else offer.price / 100,
            slots=[FreeTimeView.of(slot) for slot in slots],
        )


@view
class DaySlotView(FreeSlotView):
    """A slot on the requested day, and whether it is free."""

    available: bool


@view
class WorkScheduleInFullView:
    """Every interval in which a mechanic works; ``slots`` are those on the requested day, null if none is requested."""

    timezone: str
    weekly: list[WorkDayView]
    exceptions: list[WorkExceptionView]
    slot_minutes: Annotated[int, Range(1)]
    next_available: FreeSlotView | None
    slots: list[DaySlotView] | None

    @classmethod
    def of(
        cls, schedule: Schedule, next_available: Slot | None, slots: Sequence[tuple[Slot, bool]] | None = None
    ) -> Self:
        """Return the view of a schedule, and of slots, each with whether it is free."""
        return cls(
            timezone=schedule.time_zone,
            weekly=[
                WorkDayView(day=number, intervals=_intervals(day))
                for number, day in enumerate(schedule.weekly, 1)
            ],
            exceptions=[
                WorkExceptionView(date=day, closed=not hours, intervals=_intervals(hours))
                for day, hours in sorted(schedule.exceptions.items())
            ],
            slot_minutes=schedule.slot_minutes,
            next_available=None if next_available is None else FreeSlotView.of(next_available),
            slots=None
            if slots is None
            else [
                DaySlotView(date=slot.day, time=slot.time, starts_at=slot.starts_at, available=free)
                for slot, free in slots
            ],
        )


def _intervals(day: Day) -> list[WorkIntervalView]:
    return [WorkIntervalView(start=format_minute(start), end=format_minute(end)) for start, end in day]
