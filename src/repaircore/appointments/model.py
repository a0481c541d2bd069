"""Appointments."""

from datetime import date, datetime, timedelta
from math import ceil
from typing import Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.appointments.lifecycle import COLLECTED, LIFECYCLE, PICKUP, Action, Pickup, Status
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import TooMany
from repaircore.mechanics.slots import Slot
from repaircore.transactions.job_invoice import JobBill

NOTIFY_SECONDS: Final = 60
"""How long the same step of a pickup is not told again."""


@frozen(kw_only=True)
class AppointmentPlace:
    """With whom an appointment is, as it is told: the mechanic's reference, name, address and time zone."""

    id: int
    ref: str
    name: str
    address: str | None
    city: str | None
    state: str
    phone: str | None
    time_zone: str


@frozen(kw_only=True)
class NewAppointment:
    """An appointment that is about to be kept."""

    ref: str
    caller: PartnerCaller
    mechanic_id: int
    customer_id: int
    slot: Slot
    description: str | None
    partner_reference: str | None
    session_id: UUID | None
    created_at: datetime


@frozen(kw_only=True)
class Appointment:
    """An appointment of a partner's customer. ``day`` and ``minute`` are by the mechanic's clock.

    ``session_id`` is that of the prediction that led to it; ``notified`` is the step of the pickup that the
    customer was told of last; ``bill`` is what the work came to, where the partner told it.
    """

    id: int
    ref: str
    caller: PartnerCaller
    place: AppointmentPlace
    customer_id: int
    customer_ref: str
    day: date
    minute: int
    starts_at: datetime
    ends_at: datetime
    status: Status
    pickup: Pickup
    description: str | None
    partner_reference: str | None
    session_id: UUID | None
    cancel_reason: str | None
    notified: Pickup | None
    notified_at: datetime | None
    created_at: datetime
    updated_at: datetime
    bill: JobBill | None = None
    version: int = 1

    @property
    def allowed_actions(self) -> tuple[Action, ...]:
        """List what may be done about it."""
        return LIFECYCLE.allowed(self.status)

    def after(self, action: Action, *, at: datetime) -> "Appointment":
        """Give it after an action.

        Raises:
            Conflict: it is over already.
        """
        return evolve(self, status=LIFECYCLE.after(self.status, action), updated_at=at)

    def moved(self, slot: Slot, *, at: datetime) -> "Appointment":
        """Give it at another time; the pickup begins anew, unless the vehicle has been collected.

        Raises:
            Conflict: it is over already.
        """
        return evolve(
            self.after(Action.RESCHEDULE, at=at),
            day=slot.day,
            minute=slot.minute,
            starts_at=slot.starts_at,
            ends_at=slot.ends_at,
            pickup=self.pickup if self.pickup in COLLECTED else Pickup.NOT_STARTED,
            notified=self.notified if self.pickup in COLLECTED else None,
            notified_at=self.notified_at if self.pickup in COLLECTED else None,
        )

    def picked_up(self, step: Pickup, *, at: datetime) -> "Appointment":
        """Give it with the pickup at the next step; at the one that it has, nothing changes.

        Raises:
            Conflict: another step comes next, or the appointment is over.
        """
        if step is self.pickup:
            return self
        return evolve(self.after(Action.UPDATE, at=at), pickup=PICKUP.after(self.pickup, step))

    def told(self, *, at: datetime) -> "Appointment":
        """Give it with the customer told of the step that the pickup is at.

        Raises:
            Conflict: the appointment is over.
            TooMany: the same step was told within the last minute.
        """
        LIFECYCLE.after(self.status, Action.NOTIFY)
        if self.notified is self.pickup and self.notified_at is not None:
            left = self.notified_at + timedelta(seconds=NOTIFY_SECONDS) - at
            if left > timedelta(0):
                raise TooMany(
                    min(NOTIFY_SECONDS, ceil(left.total_seconds())),
                    "The customer was told of this step less than a minute ago.",
                )
        return evolve(self, notified=self.pickup, notified_at=at, updated_at=at)
