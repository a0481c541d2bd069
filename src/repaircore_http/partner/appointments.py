"""Appointments: booked, shown, changed, moved, cancelled, and followed."""

from typing import Annotated, cast
from uuid import UUID

from attrs import asdict, frozen
from flask import Response

from repaircore.appointments.lifecycle import Pickup, Status
from repaircore.appointments.validation import AppointmentChange, CreateAppointment
from repaircore.appointments.views import (
    AppointmentDetailView,
    AppointmentStatusView,
    AppointmentView,
    PickupNoticeView,
    PickupView,
    detail_view,
)
from repaircore.kernel.errors import Conflict
from repaircore.kernel.rules import Described
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import parse_input, read_body, read_json
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.partner.invoices import InvoiceInput, to_job_invoice
from repaircore_http.routes import Routes

appointments = Routes(
    "partner_appointments",
    url_prefix=f"{PREFIX}/appointments",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner appointments",
)


DateText = Annotated[str, Described("A day by the mechanic's clock.", format="date")]
TimeText = Annotated[str, Described("A time by the mechanic's clock, such as 14:30.")]
"""Texts to the reader: the core says what is wrong with a day and its time together."""


@frozen(kw_only=True)
class BookAppointment:
    """With whom, for whom and when: date and time are by the mechanic's clock."""

    mechanic_ref: str
    customer_ref: str
    date: DateText
    time: TimeText
    description: str | None = None
    partner_reference: str | None = None
    session_id: UUID | None = None


@frozen(kw_only=True)
class UpdateAppointment:
    """What is to change; completed and no_show end it, completed with what the work came to."""

    description: str | None = None
    partner_reference: str | None = None
    pickup_progress: Pickup | None = None
    status: Status | None = None
    invoice: InvoiceInput | None = None


@frozen(kw_only=True)
class CancelAppointment:
    """Why it is cancelled."""

    reason: str | None = None


@frozen(kw_only=True)
class RescheduleAppointment:
    """The new date and time, by the mechanic's clock."""

    date: DateText
    time: TimeText


@appointments.post(
    "",
    idempotent=True,
    accepts=BookAppointment,
    returns=PartnerData[AppointmentView],
    status=201,
    raises=(Conflict,),
)
def book() -> Response:
    """Book an appointment."""
    served = core().appointments
    told = CreateAppointment(**asdict(read_body(BookAppointment, validate=served.validate)))
    return reply_data(AppointmentView.of(served.book(told, partner_caller())), 201)


@appointments.get("/<reference>", safe=True, returns=PartnerData[AppointmentDetailView])
def show(reference: str) -> Response:
    """Show an appointment, and what became of it."""
    return reply_data(detail_view(*core().appointments.show(reference, partner_caller())))


@appointments.patch(
    "/<reference>",
    idempotent=True,
    accepts=UpdateAppointment,
    returns=PartnerData[AppointmentView],
    raises=(Conflict,),
)
def update(reference: str) -> Response:
    """Change what is told of an appointment, move its pickup on, or end it."""
    served, body = core().appointments, read_json()
    asked = asdict(parse_input(UpdateAppointment, body, validate=served.validate), recurse=False)
    asked["invoice"] = to_job_invoice(asked["invoice"])
    told = cast("AppointmentChange", {name: value for name, value in asked.items() if name in body})
    return reply_data(AppointmentView.of(served.change(reference, told, partner_caller())))


@appointments.post(
    "/<reference>/cancel",
    idempotent=True,
    accepts=CancelAppointment,
    returns=PartnerData[AppointmentView],
    raises=(Conflict,),
)
def cancel(reference: str) -> Response:
    """Cancel an appointment."""
    served = core().appointments
    asked = read_body(CancelAppointment, validate=served.validate)
    return reply_data(AppointmentView.of(served.cancel(reference, partner_caller(), reason=asked.reason)))


@appointments.post(
    "/<reference>/reschedule",
    idempotent=True,
    accepts=RescheduleAppointment,
    returns=PartnerData[AppointmentView],
    raises=(Conflict,),
)
def reschedule(reference: str) -> Response:
    """Move an appointment to another time."""
    served = core().appointments
    asked = read_body(RescheduleAppointment, validate=served.validate)
    moved = served.reschedule(reference, partner_caller(), date=asked.date, time=asked.time)
    return reply_data(AppointmentView.of(moved))


@appointments.get("/<reference>/status", safe=True, returns=PartnerData[AppointmentStatusView])
def status(reference: str) -> Response:
    """Show how an appointment stands."""
    appointment, _ = core().appointments.show(reference, partner_caller())
    return reply_data(AppointmentStatusView.of(appointment))


@appointments.get("/<reference>/pickup-progress", safe=True, returns=PartnerData[PickupView])
def pickup_progress(reference: str) -> Response:
    """Show how far the pickup of the vehicle is."""
    return reply_data(PickupView.of(*core().appointments.show(reference, partner_caller())))


@appointments.get(
    "/<reference>/notify-pickup-progress", returns=PartnerData[PickupNoticeView], raises=(Conflict,)
)
def notify_pickup_progress(reference: str) -> Response:
    """Tell the customer and the webhooks how far the pickup is: a GET that acts, so HEAD is not answered."""
    notified = core().appointments.notify(reference, partner_caller())
    return reply_data(PickupNoticeView.of(notified.appointment, by_mail=notified.by_mail))
