"""Appointments with mechanics, and holds on their time."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum
from math import ceil
from typing import Any, Final, Self
from uuid import UUID

from attrs import evolve, frozen

from repaircore.appointments.lifecycle import COLLECTED, ENDS, LIFECYCLE, PICKUP, Action, Pickup, Status
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict, TooMany
from repaircore.kernel.hours import format_minute
from repaircore.kernel.masked_phones import PHONES_HIDDEN, MaskedPhones
from repaircore.kernel.texts import stripped
from repaircore.mechanics.model import Mechanic
from repaircore.mechanics.slots import Slot
from repaircore.transactions.job_invoice import JobBill

NOTIFY_SECONDS: Final = 60
"""The minimum number of seconds between two notifications of the same step."""


_FROM_START: Final = frozenset({Action.COMPLETE, Action.MARK_NO_SHOW})
"""The actions that are allowed only once an appointment has started: see docs/decisions/calendar.md."""


_TEXTS: Final = ("description", "partner_reference", "address")
"""The text fields that an update may change."""


class Response(StrEnum):
    """Whether the mechanic will take the appointment."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    DECLINED = "declined"


@frozen(kw_only=True)
class BookedVehicle:
    """The vehicle of an appointment: a VIN, or a year, make and model."""

    vin: str | None = None
    year: int | None = None
    make: str | None = None
    model: str | None = None

    @property
    def name(self) -> str | None:
        """The vehicle in words, or None if only the VIN is known."""
        words = [str(self.year) if self.year else "", self.make or "", self.model or ""]
        return " ".join(filter(None, words)) or None


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
    email: str | None = None
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
            email=profile.email,
            time_zone=profile.schedule.time_zone,
        )

    @property
    def in_full(self) -> str:
        """Its name and address on one line."""
        return ", ".join(filter(None, (self.name, self.address, self.city, self.state)))


@frozen(kw_only=True)
class Appointment:
    """An appointment of a partner's customer. ``day`` and ``minute`` are on the mechanic's clock.

    ``session_id`` is the prediction that led to it, ``notified`` is the last pickup step that the customer was notified
    of, and ``bill`` is the invoice for the completed work. ``price`` is the price of the service when booked,
    ``cancel_fee`` is the fee for its cancellation, and ``no_show_fee`` is the fee for a no-show, all in cents;
    ``address`` is where the vehicle is. ``moves`` is how often it was rescheduled, and ``remind_at`` is when the
    customer is reminded next. If it was moved when canceling was no longer free, ``late_start`` is the start that
    decides when canceling costs the fee, until the mechanic accepts; otherwise it is None. ``phones`` is the number
    through which customer and mechanic call each other, or None if numbers are not masked.
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
    cancel_fee: int | None = None
    no_show_fee: int | None = None
    service: str | None = None
    price: int | None = None
    vehicle: BookedVehicle | None = None
    address: str | None = None
    response: Response = Response.PENDING
    response_reason: str | None = None
    responded_at: datetime | None = None
    rating: int | None = None
    moves: int = 0
    remind_at: datetime | None = None
    late_start: datetime | None = None
    phones: MaskedPhones | None = None
    notified: Pickup | None = None
    notified_at: datetime | None = None
    created_at: datetime
    updated_at: datetime
    bill: JobBill | None = None
    version: int = 1

    @property
    def own_address(self) -> str | None:
        """The address at which it takes place instead of the mechanic's.

        It is None if there is none, or once the vehicle has been collected there.
        """
        return None if self.pickup in COLLECTED else self.address

    @property
    def where(self) -> str:
        """Where it takes place: its own address if it has one, else the mechanic's."""
        return self.own_address or self.place.in_full

    @property
    def where_for_mechanic(self) -> str:
        """Where it takes place, in words for the mechanic, who knows the shop's address."""
        return self.own_address or f"at {self.place.name}"

    @property
    def masking_key(self) -> str:
        """The key of the request for its masked number; it changes whenever the appointment is moved."""
        return f"{self.ref}/{self.moves}"

    def masked_phone(self, *, at: datetime) -> str | None:
        """Return the masked number that connects customer and mechanic at the given time, or None."""
        if self.phones is None or self.status is not Status.SCHEDULED:
            return None
        return self.phones.as_of(at).number

    def customer_phone(self, phone: str | None, *, at: datetime) -> str | None:
        """Return the number at which the mechanic can call the customer at the given time, or None.

        The number is masked if possible. Otherwise, a mechanic who has accepted gets the customer's own number,
        ``phone``, unless phones are hidden.
        """
        if self.status is not Status.SCHEDULED:
            return None
        if self.response is not Response.ACCEPTED:
            return self.masked_phone(at=at)
        return phone if self.phones is None else self.phones.as_of(at).shown(phone)

    @property
    def awaits_number(self) -> bool:
        """Whether the mechanic has accepted and the masked number still has to be requested again."""
        return self.response is Response.ACCEPTED and self.phones == PHONES_HIDDEN

    def place_phone(self, *, at: datetime) -> str | None:
        """Return the number at which the customer can call the mechanic at the given time, or None."""
        if self.phones is None:
            return self.place.phone
        return self.phones.as_of(at).shown(self.place.phone) if self.status is Status.SCHEDULED else None

    @property
    def local_time(self) -> str:
        """The date and time of its start on the mechanic's clock, such as ``2026-03-03 09:00``."""
        return f"{self.day.isoformat()} {format_minute(self.minute)}"

    @property
    def minutes(self) -> int:
        """Its length in minutes."""
        return (self.ends_at - self.starts_at) // timedelta(minutes=1)

    def allowed_actions(self, *, at: datetime) -> tuple[Action, ...]:
        """Return the actions that its status allows at the given time."""
        has_started = at >= self.starts_at
        return tuple(
            action for action in LIFECYCLE.allowed(self.status) if has_started or action not in _FROM_START
        )

    def apply(self, action: Action, *, at: datetime) -> "Appointment":
        """Return the appointment after an action.

        Raises:
            Conflict: it has ended, or the action is not allowed before it starts.
        """
        allowed = [str(each) for each in self.allowed_actions(at=at)]
        status = LIFECYCLE.after(self.status, action, allowed=allowed)
        if action not in allowed:
            raise _not_started(self, action, allowed)
        return evolve(self, status=status, updated_at=at)

    def update(self, fields: Mapping[str, Any], *, at: datetime, is_billed: bool) -> "Appointment":
        """Return the appointment with the given fields; it equals the old one if nothing changes.

        Raises:
            Conflict: it has ended, the new status is not allowed before it starts, or another pickup step comes next.
        """
        step, status = fields.get("pickup_progress"), fields.get("status")
        if not fields:
            LIFECYCLE.after(self.status, Action.UPDATE)  # an update without changes is still an update
        changes: dict[str, Any] = {name: stripped(fields[name]) for name in _TEXTS if name in fields}
        new = evolve(self, **changes)
        if "vehicle" in fields:
            new = evolve(new, vehicle=fields["vehicle"])
        if new != self:
            new = new.apply(Action.UPDATE, at=at)
        if step is not None:
            new = new.advance_pickup(step, at=at)
        # An ended appointment cannot be billed, not even when its own status is sent again.
        if status is not None and (status is not self.status or is_billed):
            new = evolve(new.apply(ENDS[status], at=at), remind_at=None)
        return new

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
            moves=self.moves + 1,
            response=Response.PENDING,
            response_reason=None,
            responded_at=None,
            phones=None if self.phones is None else PHONES_HIDDEN,
            pickup=self.pickup if is_collected else Pickup.NOT_STARTED,
            notified=self.notified if is_collected else None,
            notified_at=self.notified_at if is_collected else None,
        )

    def respond(
        self, response: Response, *, reason: str | None, phones: MaskedPhones | None = None, at: datetime
    ) -> "Appointment":
        """Return the appointment with the mechanic's response; the same response changes nothing.

        ``phones`` is the number through which the accepting mechanic and the customer call each other; None if numbers
        are not masked.

        Raises:
            Conflict: it has started or ended.
        """
        if self.status is not Status.SCHEDULED or at >= self.starts_at:
            raise Conflict("This appointment can no longer be accepted or declined.")
        if response is self.response and reason == self.response_reason:
            return self
        if response is Response.DECLINED and self.phones is not None:
            phones = PHONES_HIDDEN
        return evolve(
            self,
            response=response,
            response_reason=reason,
            responded_at=at,
            # Accepting the new time forgives the late move.
            late_start=None if response is Response.ACCEPTED else self.late_start,
            phones=phones,
            updated_at=at,
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
                    "The customer was notified of this step less than a minute ago. Wait a minute, then try again.",
                )
        return evolve(self, notified=self.pickup, notified_at=at, updated_at=at)


@frozen(kw_only=True)
class PickupNotice:
    """A notification of the pickup's progress; ``by_mail`` is whether the customer also gets an e-mail."""

    appointment: Appointment
    by_mail: bool


@frozen(kw_only=True)
class Hold:
    """A time that a partner has reserved until ``expires_at``; ``day`` and ``minute`` are on the mechanic's clock."""

    id: int = 0
    ref: str
    caller: PartnerCaller
    mechanic_id: int
    mechanic_ref: str
    time_zone: str
    service: str | None
    day: date
    minute: int
    starts_at: datetime
    ends_at: datetime
    created_at: datetime
    expires_at: datetime


def _not_started(appointment: Appointment, action: Action, allowed: Sequence[str]) -> Conflict:
    name = "complete an appointment" if action is Action.COMPLETE else "mark an appointment as no_show"
    starts_at = f"{appointment.starts_at:%Y-%m-%dT%H:%M:%SZ}"
    return Conflict(
        f"Cannot {name} before it starts, at {starts_at}. Allowed: {', '.join(allowed)}.",
        details={"status": appointment.status.value, "allowed": [*allowed], "starts_at": starts_at},
    )
