"""Appointments as the partner API and its events show them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from repaircore.appointments.lifecycle import PICKUP, Pickup
from repaircore.appointments.model import NOTIFY_SECONDS, Appointment
from repaircore.kernel.hours import clock
from repaircore.kernel.timeline import Step, told
from repaircore.kernel.views import iso_utc
from repaircore.transactions.job_invoice import bill_told

PICKUP_STEP: Final = "pickup_progress"
"""What the timeline calls a step of the pickup."""


def appointment_told(appointment: Appointment) -> dict[str, Any]:
    """Tell an appointment; of the customer only the reference, which needs no erasing."""
    place, session = appointment.place, appointment.session_id
    return {
        "ref": appointment.ref,
        "status": appointment.status.value,
        "mechanic_ref": place.ref,
        "mechanic": {
            "ref": place.ref,
            "name": place.name,
            "phone": place.phone,
            "address": place.address,
            "city": place.city,
            "state": place.state,
        },
        "customer_ref": appointment.customer_ref,
        "date": appointment.day.isoformat(),
        "time": clock(appointment.minute),
        "timezone": place.time_zone,
        "starts_at": iso_utc(appointment.starts_at),
        "ends_at": iso_utc(appointment.ends_at),
        "description": appointment.description,
        "partner_reference": appointment.partner_reference,
        "session_id": None if session is None else str(session),
        "pickup_progress": appointment.pickup.value,
        "cancel_reason": appointment.cancel_reason,
        **bill_told(appointment.bill),
        "allowed_actions": [action.value for action in appointment.allowed_actions],
        "environment": appointment.caller.environment.value,
        "created_at": iso_utc(appointment.created_at),
        "updated_at": iso_utc(appointment.updated_at),
    }


def full_told(appointment: Appointment, steps: Sequence[Step]) -> dict[str, Any]:
    """Tell an appointment, and what became of it."""
    return {**appointment_told(appointment), "timeline": told(steps)}


def status_told(appointment: Appointment) -> dict[str, Any]:
    """Tell how an appointment stands, and nothing else."""
    return {
        "ref": appointment.ref,
        "status": appointment.status.value,
        "pickup_progress": appointment.pickup.value,
        "date": appointment.day.isoformat(),
        "time": clock(appointment.minute),
        "starts_at": iso_utc(appointment.starts_at),
        "allowed_actions": [action.value for action in appointment.allowed_actions],
        "updated_at": iso_utc(appointment.updated_at),
    }


def pickup_told(appointment: Appointment, steps: Sequence[Step]) -> dict[str, Any]:
    """Tell how far the pickup is, when each step was reached, and which comes next while it may."""
    reached = _reached(steps)
    goes_on = bool(appointment.allowed_actions)
    order = list(Pickup)
    done = order[: order.index(appointment.pickup) + 1]
    following = PICKUP.allowed(appointment.pickup) if goes_on else ()
    notified, at = appointment.notified, appointment.notified_at
    return {
        "ref": appointment.ref,
        "status": appointment.status.value,
        "step": appointment.pickup.value,
        "steps": [
            {"step": step.value, "reached_at": reached.get(step.value) if step in done else None}
            for step in order
            if step is not Pickup.NOT_STARTED
        ],
        "allowed": [step.value for step in following],
        "last_notified": None
        if notified is None or at is None
        else {"step": notified.value, "at": iso_utc(at)},
        "updated_at": iso_utc(appointment.updated_at),
    }


def notified_told(appointment: Appointment, *, by_mail: bool) -> dict[str, Any]:
    """Tell that a step of the pickup was told, on which ways, and from when on it may be told again."""
    at = appointment.notified_at or appointment.updated_at
    return {
        "ref": appointment.ref,
        "step": appointment.pickup.value,
        "sent": True,
        "channels": ["webhook", *(["email"] if by_mail else [])],
        "notified_at": iso_utc(at),
        "again_from": iso_utc(at + timedelta(seconds=NOTIFY_SECONDS)),
    }


def _reached(steps: Sequence[Step]) -> dict[str, str]:
    """Give when each step was reached last: a new time lets the pickup begin anew."""
    return {step.after: iso_utc(step.at) for step in steps if step.action == PICKUP_STEP}
