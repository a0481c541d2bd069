"""Mechanics and appointments."""

from datetime import date, datetime
from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict
from uuid import UUID

from repaircore.appointments.lifecycle import Action, Pickup, Status
from repaircore.kernel.callers import Environment
from repaircore.kernel.rules import Described, Range
from repaircore_http.told.jobs import JobBilled, TimelineStep

ClockTime: TypeAlias = Annotated[
    str,
    Described(
        "A time by the mechanic's clock, such as 14:30.", pattern=r"^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$"
    ),
]


class MechanicTold(TypedDict):
    """A mechanic."""

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
    timezone: str
    slot_minutes: Annotated[int, Range(1)]
    environment: Environment
    created_at: datetime
    updated_at: datetime


class OpenHours(TypedDict):
    """The first opening and the last closing of a day."""

    open: ClockTime
    close: ClockTime


class WorkSchedule(TypedDict):
    """When a mechanic opens and closes; null where a day is off."""

    monday: OpenHours | None
    tuesday: OpenHours | None
    wednesday: OpenHours | None
    thursday: OpenHours | None
    friday: OpenHours | None
    saturday: OpenHours | None
    sunday: OpenHours | None


class WorkInterval(TypedDict):
    """From when to when, by the mechanic's clock."""

    start: ClockTime
    end: ClockTime


class WorkDay(TypedDict):
    """A day of the week, Monday is 1."""

    day: Annotated[int, Range(1, 7)]
    intervals: list[WorkInterval]


class WorkException(TypedDict):
    """A date with other hours."""

    date: date
    closed: bool
    intervals: list[WorkInterval]


class FreeSlot(TypedDict):
    """A slot by the mechanic's clock, and its moment."""

    date: "date"
    time: ClockTime
    starts_at: datetime


class DaySlot(FreeSlot):
    """A slot of the day that was asked for."""

    available: bool


class WorkScheduleInFull(TypedDict):
    """Every interval in which a mechanic works; ``slots`` are those of the day that was asked for."""

    timezone: str
    weekly: list[WorkDay]
    exceptions: list[WorkException]
    slot_minutes: Annotated[int, Range(1)]
    next_available: FreeSlot | None
    slots: NotRequired[list[DaySlot]]


class AppointmentPlace(TypedDict):
    """With whom an appointment is."""

    ref: str
    name: str
    phone: str | None
    address: str | None
    city: str | None
    state: str


class AppointmentTold(JobBilled):
    """An appointment; date and time are by the mechanic's clock."""

    ref: str
    status: Status
    mechanic_ref: str
    mechanic: AppointmentPlace
    customer_ref: str
    date: "date"
    time: ClockTime
    timezone: str
    starts_at: datetime
    ends_at: datetime
    description: str | None
    partner_reference: str | None
    session_id: UUID | None
    pickup_progress: Pickup
    cancel_reason: str | None
    allowed_actions: list[Action]
    environment: Environment
    created_at: datetime
    updated_at: datetime


class AppointmentWhole(AppointmentTold):
    """An appointment, and what became of it."""

    timeline: list[TimelineStep]


class AppointmentStanding(TypedDict):
    """How an appointment stands."""

    ref: str
    status: Status
    pickup_progress: Pickup
    date: "date"
    time: ClockTime
    starts_at: datetime
    allowed_actions: list[Action]
    updated_at: datetime


class PickupStep(TypedDict):
    """A step of a pickup, and when it was reached."""

    step: Pickup
    reached_at: datetime | None


class PickupNotified(TypedDict):
    """The step that was told last, and when."""

    step: Pickup
    at: datetime


class PickupTold(TypedDict):
    """How far the pickup of the vehicle is; ``allowed`` is what may come next."""

    ref: str
    status: Status
    step: Pickup
    steps: list[PickupStep]
    allowed: list[Pickup]
    last_notified: PickupNotified | None
    updated_at: datetime


class PickupToldOf(TypedDict):
    """That a step was told, on which ways, and from when on it may be told again."""

    ref: str
    step: Pickup
    sent: Literal[True]
    channels: list[Literal["webhook", "email"]]
    notified_at: datetime
    again_from: datetime
