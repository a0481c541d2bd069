"""An appointment as the mechanic sees it on a phone, through the link in the message, without an account or scripts."""

from collections.abc import Callable
from typing import Final

from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.appointments.errors import AppointmentNotFound
from repaircore.appointments.letters import LATE_MOVE, service_words, when
from repaircore.appointments.lifecycle import Action, Status
from repaircore.appointments.model import Appointment
from repaircore.appointments.model import Response as Answer
from repaircore.appointments.responses import PATH, DeclineAppointment, require_seen
from repaircore.customers.model import Customer
from repaircore.kernel.errors import Conflict
from repaircore.kernel.timeline import MECHANIC
from repaircore_http.console.forms import filled, form
from repaircore_http.console.pages import show, to
from repaircore_http.console.public.access import counted_opening, error_texts, phone_pages, unlisted
from repaircore_http.core import core

mechanic_appointments = phone_pages("mechanic_appointments")

_DIGITS: Final = 9
_UNKNOWN: Final = -1
"""The number of moves if the form has no valid one; no appointment has been moved this often."""

_STEPS: Final = frozenset({"accept", "decline", "no-show"})
_LABELS: Final = {"reason": "The reason"}
_REASONS: Final = ("I am busy then", "I am closed then", "I do not do this work", "Other")


def show_appointment(token: str) -> ResponseReturnValue:
    """Show the current state of the appointment, and what the mechanic may do."""
    appointment, customer = _opened(token)
    now = core().clock()
    where = appointment.where_for_mechanic
    page = show(
        "public/mechanic_appointment.html",
        token=token,
        appointment=appointment,
        customer=customer,
        phone=appointment.customer_phone(None if customer is None else customer.phone, at=now),
        what=service_words(appointment) or "Appointment",
        when=when(appointment, now=now),
        where=where[0].upper() + where[1:],
        is_over=appointment.status is not Status.SCHEDULED,
        is_open=appointment.status is Status.SCHEDULED and now < appointment.starts_at,
        has_ended=now >= appointment.ends_at,
        can_report=Action.MARK_NO_SHOW in appointment.allowed_actions(at=now),
        is_accepted=appointment.response is Answer.ACCEPTED,
        is_declined=appointment.response is Answer.DECLINED,
        late_move=LATE_MOVE if core().appointments.policy.is_late_move(appointment, at=now) else None,
        gets_messages=core().mechanic_responses.log.reaches_mechanic(appointment),
        reasons=_REASONS,
        errors=error_texts(_LABELS),
    )
    return unlisted(page)


@mechanic_appointments.get(f"{PATH}<token>")
def index(token: str) -> ResponseReturnValue:
    """Show the appointment of a link."""
    return show_appointment(token)


@mechanic_appointments.post(f"{PATH}<token>/accept", again=show_appointment)
def accept(token: str) -> Response:
    """Accept the appointment."""
    return _take(token, lambda _: core().mechanic_responses.accept(token, moves=_seen_moves()))


@mechanic_appointments.post(f"{PATH}<token>/decline", again=show_appointment)
def decline(token: str) -> Response:
    """Decline the appointment."""

    def act(_: Appointment) -> None:
        reason = filled(DeclineAppointment).reason
        core().mechanic_responses.decline(token, reason=reason, moves=_seen_moves())

    return _take(token, act)


@mechanic_appointments.post(f"{PATH}<token>/no-show", again=show_appointment)
def report_no_show(token: str) -> Response:
    """Report that the customer did not show up, once the appointment has started."""

    def act(appointment: Appointment) -> None:
        at = core().clock()
        require_seen(appointment, _seen_moves(), at=at)
        if at < appointment.starts_at:
            raise Conflict("This appointment has not started yet. You can report a no-show after it starts.")
        # If the appointment is moved between these checks and the update, it has not started, and the update fails.
        core().appointments.update(
            appointment.ref, {"status": Status.NO_SHOW}, appointment.caller, actor=MECHANIC
        )

    return _take(token, act)


@mechanic_appointments.get(f"{PATH}<token>/<step>")
def after_sending(token: str, step: str) -> Response:
    """Redirect to the appointment when a browser opens the POST address of a form with GET."""
    if step not in _STEPS:
        raise AppointmentNotFound
    return _back(token)


def _take(token: str, act: Callable[[Appointment], object]) -> Response:
    """Take a step, and redirect to the page with the new state; an appointment that has ended stays unchanged.

    Raises:
        AppointmentNotFound: the link is invalid, or the appointment has been over for more than a day.
        Conflict: the appointment, which has not ended, does not allow the step.
    """
    appointment, _ = _opened(token)
    if appointment.status is Status.SCHEDULED:
        try:
            act(appointment)
        except Conflict:
            current, _ = core().mechanic_responses.get(token)
            if current.status is Status.SCHEDULED:  # otherwise it ended in the meantime
                raise
    return _back(token)


def _opened(token: str) -> tuple[Appointment, Customer | None]:
    """Return the appointment of a link and its customer, if any; every opening is counted.

    Raises:
        AppointmentNotFound: the link is invalid, or the appointment has been over for more than a day.
        TooMany: too many requests with this link, or with invalid links from this IP address.
    """
    with counted_opening(token):
        return core().mechanic_responses.get(token)


def _seen_moves() -> int:
    """Return how often the appointment had been moved when the page showed it."""
    text = form().text("moves")
    is_number = text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    return int(text) if is_number else _UNKNOWN


def _back(token: str) -> Response:
    return to(f"{PATH}{token}")
