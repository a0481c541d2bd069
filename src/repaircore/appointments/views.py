"""Appointments as the partner API and its events show them, without personal data of the customer, which would have to be erased."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, Literal, Self
from uuid import UUID

from repaircore.appointments.lifecycle import PICKUP, Action, Pickup, Status
from repaircore.appointments.model import NOTIFY_SECONDS, Appointment, AppointmentPlace
from repaircore.kernel.callers import Environment
from repaircore.kernel.hours import format_minute
from repaircore.kernel.timeline import Step, TimelineStep, timeline_view
from repaircore.kernel.views import view
from repaircore.mechanics.views import ClockTime
from repaircore.transactions.views import JobBilledView, JobEstimatedView, JobInvoicedView

PICKUP_STEP: Final = "pickup_progress"
"""The action of a step of the pickup in timelines."""


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
    def of(cls, place: AppointmentPlace) -> Self:
        """Return a place."""
        return cls(
            ref=place.ref,
            name=place.name,
            phone=place.phone,
            address=place.address,
            city=place.city,
            state=place.state,
        )


@view
class AppointmentView(JobBilledView):
    """An appointment; date and time are by the mechanic's clock."""

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
    description: str | None
    partner_reference: str | None
    session_id: UUID | None
    pickup_progress: Pickup
    cancel_reason: str | None
    allowed_actions: list[Action]
    environment: Environment
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, appointment: Appointment, **more: Any) -> Self:
        """Return an appointment; ``more`` are fields of a subclass."""
        place, bill = appointment.place, appointment.bill
        return cls(
            ref=appointment.ref,
            status=appointment.status,
            mechanic_ref=place.ref,
            mechanic=AppointmentPlaceView.of(place),
            customer_ref=appointment.customer_ref,
            date=appointment.day,
            time=format_minute(appointment.minute),
            timezone=place.time_zone,
            starts_at=appointment.starts_at,
            ends_at=appointment.ends_at,
            description=appointment.description,
            partner_reference=appointment.partner_reference,
            session_id=appointment.session_id,
            pickup_progress=appointment.pickup,
            cancel_reason=appointment.cancel_reason,
            transaction_id=None if bill is None else bill.transaction_id,
            invoice=JobInvoicedView.of(bill),
            estimate=JobEstimatedView.of(None if bill is None else bill.estimate),
            allowed_actions=list(appointment.allowed_actions),
            environment=appointment.caller.environment,
            created_at=appointment.created_at,
            updated_at=appointment.updated_at,
            **more,
        )


@view
class AppointmentDetailView(AppointmentView):
    """An appointment with its timeline."""

    timeline: list[TimelineStep]


@view
class AppointmentStatusView:
    """The status of an appointment."""

    ref: str
    status: Status
    pickup_progress: Pickup
    date: "date"
    time: ClockTime
    starts_at: datetime
    allowed_actions: list[Action]
    updated_at: datetime

    @classmethod
    def of(cls, appointment: Appointment) -> Self:
        """Return the status of an appointment."""
        return cls(
            ref=appointment.ref,
            status=appointment.status,
            pickup_progress=appointment.pickup,
            date=appointment.day,
            time=format_minute(appointment.minute),
            starts_at=appointment.starts_at,
            allowed_actions=list(appointment.allowed_actions),
            updated_at=appointment.updated_at,
        )


@view
class PickupStepView:
    """A step of a pickup, and when it was reached."""

    step: Pickup
    reached_at: datetime | None


@view
class PickupNotifiedView:
    """The last step that the customer was notified of, and when."""

    step: Pickup
    at: datetime

    @classmethod
    def of(cls, appointment: Appointment) -> Self | None:
        """Return the last notification; None before the first."""
        step, at = appointment.notified, appointment.notified_at
        return None if step is None or at is None else cls(step=step, at=at)


@view
class PickupView:
    """The progress of the pickup; ``allowed`` is the next step."""

    ref: str
    status: Status
    step: Pickup
    steps: list[PickupStepView]
    allowed: list[Pickup]
    last_notified: PickupNotifiedView | None
    updated_at: datetime

    @classmethod
    def of(cls, appointment: Appointment, steps: Sequence[Step]) -> Self:
        """Return the progress of the pickup, with the time of each step."""
        # Rescheduling restarts the pickup: of a step that was reached twice, the last time counts.
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
            allowed=list(PICKUP.allowed(appointment.pickup)) if appointment.allowed_actions else [],
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


def detail_view(appointment: Appointment, steps: Sequence[Step]) -> AppointmentDetailView:
    """Return an appointment with its timeline."""
    return AppointmentDetailView.of(appointment, timeline=timeline_view(steps))
