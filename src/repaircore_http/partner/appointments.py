"""Appointments with mechanics."""

from attrs import asdict, frozen
from flask import Response

from repaircore.appointments.validation import (
    CancelAppointment,
    CreateAppointment,
    RescheduleAppointment,
    UpdateAppointment,
    validate_end,
)
from repaircore.appointments.views import (
    AppointmentDetailView,
    AppointmentStatusView,
    AppointmentView,
    PickupNoticeView,
    PickupView,
    detail_view,
)
from repaircore.kernel.errors import Conflict
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


@frozen(kw_only=True)
class UpdateOrCompleteAppointment(UpdateAppointment):
    """The fields to change; the status completed or no_show ends the appointment, completed with an invoice."""

    invoice: InvoiceInput | None = None


@appointments.post(
    "",
    idempotent=True,
    accepts=CreateAppointment,
    returns=PartnerData[AppointmentView],
    status=201,
    raises=(Conflict,),
)
def book() -> Response:
    """Book an appointment."""
    booked = core().appointments.book(read_body(CreateAppointment), partner_caller())
    return reply_data(AppointmentView.of(booked), 201)


@appointments.get("/<reference>", safe=True, returns=PartnerData[AppointmentDetailView])
def show(reference: str) -> Response:
    """Show an appointment with its timeline."""
    return reply_data(detail_view(*core().appointments.get(reference, partner_caller())))


@appointments.patch(
    "/<reference>",
    idempotent=True,
    accepts=UpdateOrCompleteAppointment,
    returns=PartnerData[AppointmentView],
    raises=(Conflict,),
)
def update(reference: str) -> Response:
    """Update an appointment, advance its pickup, or end it."""
    body = read_json()
    data = parse_input(UpdateOrCompleteAppointment, body, validate=lambda **fields: validate_end(fields))
    invoice = to_job_invoice(data.invoice)
    fields = {name: value for name, value in asdict(data, recurse=False).items() if name in body}
    updated = core().appointments.update(reference, fields, partner_caller(), invoice=invoice)
    return reply_data(AppointmentView.of(updated))


@appointments.post(
    "/<reference>/cancel",
    idempotent=True,
    accepts=CancelAppointment,
    returns=PartnerData[AppointmentView],
    raises=(Conflict,),
)
def cancel(reference: str) -> Response:
    """Cancel an appointment."""
    data = read_body(CancelAppointment)
    cancelled = core().appointments.cancel(reference, partner_caller(), reason=data.reason)
    return reply_data(AppointmentView.of(cancelled))


@appointments.post(
    "/<reference>/reschedule",
    idempotent=True,
    accepts=RescheduleAppointment,
    returns=PartnerData[AppointmentView],
    raises=(Conflict,),
)
def reschedule(reference: str) -> Response:
    """Move an appointment to another time."""
    data = read_body(RescheduleAppointment)
    moved = core().appointments.reschedule(reference, partner_caller(), date=data.date, time=data.time)
    return reply_data(AppointmentView.of(moved))


@appointments.get("/<reference>/status", safe=True, returns=PartnerData[AppointmentStatusView])
def status(reference: str) -> Response:
    """Show the status of an appointment."""
    appointment, _ = core().appointments.get(reference, partner_caller())
    return reply_data(AppointmentStatusView.of(appointment))


@appointments.get("/<reference>/pickup-progress", safe=True, returns=PartnerData[PickupView])
def pickup_progress(reference: str) -> Response:
    """Show the progress of the pickup."""
    return reply_data(PickupView.of(*core().appointments.get(reference, partner_caller())))


@appointments.get(
    "/<reference>/notify-pickup-progress", returns=PartnerData[PickupNoticeView], raises=(Conflict,)
)
def notify_pickup_progress(reference: str) -> Response:
    """Notify the customer and the webhooks of the progress of the pickup: a GET with an effect, so not safe."""
    notice = core().appointments.notify(reference, partner_caller())
    return reply_data(PickupNoticeView.of(notice.appointment, by_mail=notice.by_mail))
