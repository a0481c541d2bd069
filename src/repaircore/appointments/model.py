"""Appointments."""

from datetime import date, datetime, timedelta
from math import ceil
from typing import Final, Self
from uuid import UUID

from attrs import evolve, frozen

from repaircore.appointments.lifecycle import COLLECTED, LIFECYCLE, PICKUP, Action, Pickup, Status
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import TooMany
from repaircore.mechanics.model import Mechanic
from repaircore.mechanics.slots import Slot
from repaircore.transactions.job_invoice import JobBill

NOTIFY_SECONDS: Final = 60
"""How long until the customer can be notified of the same step again."""


@frozen(kw_only=True)
class AppointmentPlace:
    """The mechanic of an appointment, with address and time zone."""

    id: int
    ref: str
    name: str
    address: str | None
    city: str | None
    state: str
    phone: str | None
    time_zone: str

    @classmethod
    def of(cls, mechanic: Mechanic) -> Self:
        """Return the place of a mechanic."""
        profile = mechanic.profile
        return cls(
            id=mechanic.id,
            ref=mechanic.ref,
            name=profile.name,
            address=profile.address,
            city=profile.city,
            state=profile.state,
            phone=profile.phone,
            time_zone=profile.schedule.time_zone,
        )


@frozen(kw_only=True)
class Appointment:
    """An appointment of a partner's customer. ``day`` and ``minute`` are by the mechanic's clock.

    ``session_id`` is the prediction that led to it, ``notified`` the last step of the pickup that the customer was notified
    of, ``bill`` the invoice of the completed work.
    """

    id: int = 0
    ref: str
    caller: PartnerCaller
    place: AppointmentPlace
    customer_id: int
    customer_ref: str
    day: date
    minute: int
    starts_at: datetime
    ends_at: datetime
    status: Status = Status.SCHEDULED
    pickup: Pickup = Pickup.NOT_STARTED
    description: str | None
    partner_reference: str | None
    session_id: UUID | None
    cancel_reason: str | None = None
    notified: Pickup | None = None
    notified_at: datetime | None = None
    created_at: datetime
    updated_at: datetime
    bill: JobBill | None = None
    version: int = 1

    @property
    def allowed_actions(self) -> tuple[Action, ...]:
        """Return the actions that its status allows."""
        return LIFECYCLE.allowed(self.status)

    def apply(self, action: Action, *, at: datetime) -> "Appointment":
        """Return the appointment after an action.

        Raises:
            Conflict: it has ended.
        """
        return evolve(self, status=LIFECYCLE.after(self.status, action), updated_at=at)

    def reschedule(self, slot: Slot, *, at: datetime) -> "Appointment":
        """Return the appointment at another time; the pickup starts over unless the vehicle has been collected.

        Raises:
            Conflict: it has ended.
        """
        is_collected = self.pickup in COLLECTED
        return evolve(
            self.apply(Action.RESCHEDULE, at=at),
            day=slot.day,
            minute=slot.minute,
            starts_at=slot.starts_at,
            ends_at=slot.ends_at,
            pickup=self.pickup if is_collected else Pickup.NOT_STARTED,
            notified=self.notified if is_collected else None,
            notified_at=self.notified_at if is_collected else None,
        )

    def advance_pickup(self, step: Pickup, *, at: datetime) -> "Appointment":
        """Return the appointment with the pickup at the next step; the current step changes nothing.

        Raises:
            Conflict: another step comes next, or the appointment has ended.
        """
        if step is self.pickup:
            return self
        return evolve(self.apply(Action.UPDATE, at=at), pickup=PICKUP.after(self.pickup, step))

    def notify(self, *, at: datetime) -> "Appointment":
        """Return the appointment with the customer notified of the current step of the pickup.

        Raises:
            Conflict: the appointment has ended.
            TooMany: the customer was notified of this step less than a minute ago.
        """
        LIFECYCLE.after(self.status, Action.NOTIFY)
        if self.notified is self.pickup and self.notified_at is not None:
            wait = self.notified_at + timedelta(seconds=NOTIFY_SECONDS) - at
            if wait > timedelta(0):
                raise TooMany(
                    min(NOTIFY_SECONDS, ceil(wait.total_seconds())),
                    "The customer was notified of this step less than a minute ago.",
                )
        return evolve(self, notified=self.pickup, notified_at=at, updated_at=at)
