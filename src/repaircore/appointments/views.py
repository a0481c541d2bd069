"""Appointments in the partner API and its events.

They leave out the customer's personal data, which would have to be erased.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Final, Literal, Self
from uuid import UUID

from repaircore.appointments.cancellation import CancellationCost, no_show_cost
from repaircore.appointments.lifecycle import LIFECYCLE, PICKUP, Action, Pickup, Status
from repaircore.appointments.model import (
    NOTIFY_SECONDS,
    Appointment,
    AppointmentPlace,
    BookedVehicle,
    Hold,
    Response,
)
from repaircore.kernel.callers import Environment
from repaircore.kernel.hours import format_minute
from repaircore.kernel.rules import Range
from repaircore.kernel.timeline import Step, TimelineStep, timeline_view
from repaircore.kernel.views import Dollars, view
from repaircore.mechanics.views import ClockTime
from repaircore.transactions.views import JobBilledView, JobEstimatedView, JobInvoicedView

PICKUP_STEP: Final = "pickup_progress"
"""The action that timelines record for a pickup step."""


@view
class AppointmentPlaceView:
    """The mechanic of an appointment."""

    ref: str
    name: str
    phone: str | None
    address: str | None
    city: str | None
    state: str

    @classmethod
    def of(cls, place: AppointmentPlace, *, phone: str | None) -> Self:
        """Return the view of a place, with the given phone number."""
        return cls(
            ref=place.ref,
            name=place.name,
            phone=phone,
            address=place.address,
            city=place.city,
            state=place.state,
        )


@view
class BookedVehicleView:
    """The vehicle of an appointment."""

    vin: str | None
    year: int | None
    make: str | None
    model: str | None

    @classmethod
    def of(cls, vehicle: BookedVehicle | None) -> Self | None:
        """Return the view of a vehicle, or None if there is none."""
        if vehicle is None:
            return None
        return cls(vin=vehicle.vin, year=vehicle.year, make=vehicle.make, model=vehicle.model)


@view
class AppointmentView(JobBilledView):
    """An appointment; date and time are on the mechanic's clock.

    ``price`` is the price of the service when it was booked, ``cancel_fee`` is the fee for its cancellation, and
    ``no_show_fee`` is the fee for a no-show. The partner collects both fees.
    """

    ref: str
    status: Status
    mechanic_ref: str
    mechanic: AppointmentPlaceView
    customer_ref: str
    date: "date"
    time: ClockTime
    timezone: str
    starts_at: datetime
    ends_at: datetime
    duration_minutes: Annotated[int, Range(1)]
    service: str | None
    price: Dollars | None
    description: str | None
    partner_reference: str | None
    session_id: UUID | None
    pickup_progress: Pickup
    cancel_reason: str | None
    cancel_fee: Dollars | None
    no_show_fee: Dollars | None
    mechanic_response: Response
    mechanic_response_reason: str | None
    mechanic_responded_at: datetime | None
    rating: Annotated[int, Range(1, 5)] | None
    allowed_actions: list[Action]
    environment: Environment
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, appointment: Appointment, *, at: datetime, **more: Any) -> Self:
        """Return the view of an appointment, with the actions allowed at ``at``; ``more`` are fields of a subclass."""
        place, bill = appointment.place, appointment.bill
        return cls(
            ref=appointment.ref,
            status=appointment.status,
            mechanic_ref=place.ref,
            mechanic=AppointmentPlaceView.of(place, phone=appointment.place_phone(at=at)),
            customer_ref=appointment.customer_ref,
            date=appointment.day,
            time=format_minute(appointment.minute),
            timezone=place.time_zone,
            starts_at=appointment.starts_at,
            ends_at=appointment.ends_at,
            duration_minutes=appointment.minutes,
            service=appointment.service,
            price=_dollars(appointment.price),
            description=appointment.description,
            partner_reference=appointment.partner_reference,
            session_id=appointment.session_id,
            pickup_progress=appointment.pickup,
            cancel_reason=appointment.cancel_reason,
            cancel_fee=_dollars(appointment.cancel_fee),
            no_show_fee=_dollars(_no_show_fee(appointment)),
            mechanic_response=appointment.response,
            mechanic_response_reason=appointment.response_reason,
            mechanic_responded_at=appointment.responded_at,
            rating=appointment.rating,
            transaction_id=None if bill is None else bill.transaction_id,
            invoice=JobInvoicedView.of(bill),
            estimate=JobEstimatedView.of(None if bill is None else bill.estimate),
            allowed_actions=list(appointment.allowed_actions(at=at)),
            environment=appointment.caller.environment,
            created_at=appointment.created_at,
            updated_at=appointment.updated_at,
            **more,
        )


@view
class AppointmentDetailView(AppointmentView):
    """An appointment with its timeline, the vehicle and its location."""

    vehicle: BookedVehicleView | None
    address: str | None
    timeline: list[TimelineStep]


@view
class AppointmentStatusView:
    """The status of an appointment."""

    ref: str
    status: Status
    mechanic_response: Response
    pickup_progress: Pickup
    date: "date"
    time: ClockTime
    starts_at: datetime
    allowed_actions: list[Action]
    updated_at: datetime

    @classmethod
    def of(cls, appointment: Appointment, *, at: datetime) -> Self:
        """Return the view of an appointment's status, with the actions allowed at ``at``."""
        return cls(
            ref=appointment.ref,
            status=appointment.status,
            mechanic_response=appointment.response,
            pickup_progress=appointment.pickup,
            date=appointment.day,
            time=format_minute(appointment.minute),
            starts_at=appointment.starts_at,
            allowed_actions=list(appointment.allowed_actions(at=at)),
            updated_at=appointment.updated_at,
        )


@view
class PickupStepView:
    """A step of a pickup, and when it was reached."""

    step: Pickup
    reached_at: datetime | None


@view
class PickupNotifiedView:
    """The last step that the customer was notified of, and when that was."""

    step: Pickup
    at: datetime

    @classmethod
    def of(cls, appointment: Appointment) -> Self | None:
        """Return the last notification, or None if there was none."""
        step, at = appointment.notified, appointment.notified_at
        return None if step is None or at is None else cls(step=step, at=at)


@view
class PickupView:
    """The progress of the pickup; ``allowed`` has the next step, if any."""

    ref: str
    status: Status
    step: Pickup
    steps: list[PickupStepView]
    allowed: list[Pickup]
    last_notified: PickupNotifiedView | None
    updated_at: datetime

    @classmethod
    def of(cls, appointment: Appointment, steps: Sequence[Step]) -> Self:
        """Return the view of a pickup, with the time of each step."""
        # Rescheduling restarts the pickup, so the last time counts if a step was reached twice.
        reached = {step.after: step.at for step in steps if step.action == PICKUP_STEP}
        order = list(Pickup)
        done = order[: order.index(appointment.pickup) + 1]
        return cls(
            ref=appointment.ref,
            status=appointment.status,
            step=appointment.pickup,
            steps=[
                PickupStepView(step=step, reached_at=reached.get(step.value) if step in done else None)
                for step in order
                if step is not Pickup.NOT_STARTED
            ],
            allowed=list(PICKUP.allowed(appointment.pickup)) if LIFECYCLE.allowed(appointment.status) else [],
            last_notified=PickupNotifiedView.of(appointment),
            updated_at=appointment.updated_at,
        )


@view
class PickupNoticeView:
    """A notification of the current step, its channels, and when it may be repeated."""

    ref: str
    step: Pickup
    sent: Literal[True] = True
    channels: list[Literal["webhook", "email"]]
    notified_at: datetime
    again_from: datetime

    @classmethod
    def of(cls, appointment: Appointment, *, by_mail: bool) -> Self:
        """Return the notification of the current step."""
        at = appointment.notified_at or appointment.updated_at
        return cls(
            ref=appointment.ref,
            step=appointment.pickup,
            channels=["webhook", "email"] if by_mail else ["webhook"],
            notified_at=at,
            again_from=at + timedelta(seconds=NOTIFY_SECONDS),
        )


@view
class HoldView:
    """A time that is held until it expires; ``time`` is on the mechanic's clock."""

    ref: str
    mechanic_ref: str
    service: str | None
    date: "date"
    time: ClockTime
    timezone: str
    starts_at: datetime
    ends_at: datetime
    expires_at: datetime
    created_at: datetime

    @classmethod
    def of(cls, hold: Hold) -> Self:
        """Return the view of a hold."""
        return cls(
            ref=hold.ref,
            mechanic_ref=hold.mechanic_ref,
            service=hold.service,
            date=hold.day,
            time=format_minute(hold.minute),
            timezone=hold.time_zone,
            starts_at=hold.starts_at,
            ends_at=hold.ends_at,
            expires_at=hold.expires_at,
            created_at=hold.created_at,
        )


@view
class ReleasedHoldView:
    """A hold that was released."""

    ref: str
    released: Literal[True] = True


@view
class CancellationCostView:
    """What canceling costs now and why, until when it is free, and the fee for a no-show."""

    ref: str
    status: Status
    currency: Literal["USD"] = "USD"
    fee: Dollars
    no_show_fee: Dollars
    free_until: datetime
    reason: str

    @classmethod
    def of(cls, appointment: Appointment, cost: CancellationCost) -> Self:
        """Return the view of the cost of a cancellation."""
        return cls(
            ref=appointment.ref,
            status=appointment.status,
            fee=cost.fee / 100,
            no_show_fee=no_show_cost(appointment) / 100,
            free_until=cost.free_until,
            reason=cost.reason,
        )


def _no_show_fee(appointment: Appointment) -> int | None:
    """Return the fee for a no-show in cents, or None if there can no longer be one."""
    is_told = appointment.status in {Status.SCHEDULED, Status.NO_SHOW}
    return appointment.no_show_fee if is_told else None


def detail_view(appointment: Appointment, steps: Sequence[Step], *, at: datetime) -> AppointmentDetailView:
    """Return the detail view of an appointment, with its timeline and the actions allowed at ``at``."""
    return AppointmentDetailView.of(
        appointment,
        at=at,
        vehicle=BookedVehicleView.of(appointment.vehicle),
        address=appointment.address,
        timeline=timeline_view(steps),
    )


def _dollars(cents: int | None) -> float | None:
    return None if cents is None else cents / 100
