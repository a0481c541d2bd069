"""Appointments with mechanics."""

from typing import Annotated

from attrs import asdict, fields, frozen
from flask import Response

from repaircore.appointments.calendar import MEDIA_TYPE, calendar_file
from repaircore.appointments.validation import (
    AppointmentFilter,
    CancelAppointment,
    CreateAppointment,
    CreateHold,
    RateMechanic,
    RescheduleAppointment,
    UpdateAppointment,
    validate_end,
)
from repaircore.appointments.views import (
    AppointmentDetailView,
    AppointmentStatusView,
    AppointmentView,
    CancellationCostView,
    HoldView,
    PickupNoticeView,
    PickupView,
    ReleasedHoldView,
    detail_view,
)
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import sort_by
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import parse_input, read_body, read_json, read_query
from repaircore_http.listing import ListQuery, PartnerListPage, reply_list
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.partner.invoices import InvoiceInput, to_job_invoice
from repaircore_http.routes import RawResponse, Routes

appointments = Routes(
    "partner_appointments",
    url_prefix=f"{PREFIX}/appointments",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner appointments",
)


@frozen(kw_only=True)
class UpdateOrCompleteAppointment(UpdateAppointment):
    """The fields to change; the status completed or no_show ends the appointment, and completed may have an invoice."""

    invoice: InvoiceInput | None = None


@frozen(kw_only=True)
class ListAppointments(ListQuery, AppointmentFilter):
    """Filters, sort order and page for the list of appointments; dates are in the mechanic's time zone."""

    sort: Annotated[str, sort_by("created_at", "starts_at")] = ""

    def filter(self) -> AppointmentFilter:
        """Return the filters without the sort order and the page."""
        return AppointmentFilter(
            **{field.name: getattr(self, field.name) for field in fields(AppointmentFilter)}
        )


@appointments.get("", safe=True, query=ListAppointments, returns=PartnerListPage[AppointmentView])
def index() -> Response:
    """List appointments by customer, mechanic, date, status or your reference, newest first."""
    query, served, known = read_query(ListAppointments), core(), partner_caller()
    now = served.clock()
    return reply_list(
        query,
        lambda request: served.appointments.list_page(known, query.filter(), request),
        AppointmentView,
        lambda appointment: AppointmentView.of(appointment, at=now),
        name="appointments",
        envelope=PartnerListPage,
    )


@appointments.post(
    "/holds",
    idempotent=True,
    accepts=CreateHold,
    returns=PartnerData[HoldView],
    status=201,
    raises=(Conflict,),
)
def hold() -> Response:
    """Hold a time for ten minutes, during which nobody else can book it."""
    return reply_data(HoldView.of(core().holds.hold(read_body(CreateHold), partner_caller())), 201)


@appointments.delete("/holds/<reference>", returns=PartnerData[ReleasedHoldView])
def release(reference: str) -> Response:
    """Release a hold before it expires."""
    core().holds.release(reference, partner_caller())
    return reply_data(ReleasedHoldView(ref=reference))


@appointments.post(
    "",
    idempotent=True,
    accepts=CreateAppointment,
    returns=PartnerData[AppointmentDetailView],
    status=201,
    raises=(Conflict,),
)
def book() -> Response:
    """Book an appointment."""
    booked = core().appointments.book(read_body(CreateAppointment), partner_caller())
    return _reply_detail(booked.ref, 201)


@appointments.get("/<reference>", safe=True, returns=PartnerData[AppointmentDetailView])
def show(reference: str) -> Response:
    """Show an appointment with its timeline."""
    return _reply_detail(reference)


@appointments.patch(
    "/<reference>",
    idempotent=True,
    accepts=UpdateOrCompleteAppointment,
    returns=PartnerData[AppointmentDetailView],
    raises=(Conflict,),
)
def update(reference: str) -> Response:
    """Update an appointment, advance its pickup, or end it."""
    body = read_json()
    data = parse_input(UpdateOrCompleteAppointment, body, validate=lambda **fields: validate_end(fields))
    invoice = to_job_invoice(data.invoice)
    fields = {name: value for name, value in asdict(data, recurse=False).items() if value is not None}
    core().appointments.update(reference, fields, partner_caller(), invoice=invoice)
    return _reply_detail(reference)


@appointments.post(
    "/<reference>/cancel",
    idempotent=True,
    accepts=CancelAppointment,
    returns=PartnerData[AppointmentDetailView],
    raises=(Conflict,),
)
def cancel(reference: str) -> Response:
    """Cancel an appointment."""
    data = read_body(CancelAppointment)
    core().appointments.cancel(reference, partner_caller(), data)
    return _reply_detail(reference)


@appointments.get(
    "/<reference>/cancel-preview",
    safe=True,
    returns=PartnerData[CancellationCostView],
    raises=(Conflict,),
)
def cancel_preview(reference: str) -> Response:
    """Preview what canceling an appointment would cost now."""
    return reply_data(
        CancellationCostView.of(*core().appointments.preview_cancellation(reference, partner_caller()))
    )


@appointments.get(
    "/<reference>/calendar.ics",
    safe=True,
    returns=RawResponse(media_type=MEDIA_TYPE, description="A calendar file (RFC 5545)."),
)
def calendar(reference: str) -> Response:
    """Return an appointment as a calendar file."""
    served = core()
    appointment, _ = served.appointments.get(reference, partner_caller())
    answer = Response(
        calendar_file(appointment, at=served.clock()), content_type=f"{MEDIA_TYPE}; charset=utf-8"
    )
    answer.headers["Content-Disposition"] = f'attachment; filename="{appointment.ref}.ics"'
    return answer


@appointments.post(
    "/<reference>/rate-mechanic",
    idempotent=True,
    accepts=RateMechanic,
    returns=PartnerData[AppointmentDetailView],
    raises=(Conflict,),
)
def rate_mechanic(reference: str) -> Response:
    """Rate the mechanic of a completed appointment, once."""
    core().appointments.rate(reference, read_body(RateMechanic), partner_caller())
    return _reply_detail(reference)


@appointments.post(
    "/<reference>/reschedule",
    idempotent=True,
    accepts=RescheduleAppointment,
    returns=PartnerData[AppointmentDetailView],
    raises=(Conflict,),
)
def reschedule(reference: str) -> Response:
    """Move an appointment to another time."""
    data = read_body(RescheduleAppointment)
    core().appointments.reschedule(
        reference, partner_caller(), date=data.date, time=data.time, hold=data.hold
    )
    return _reply_detail(reference)


@appointments.get("/<reference>/status", safe=True, returns=PartnerData[AppointmentStatusView])
def status(reference: str) -> Response:
    """Show the status of an appointment."""
    appointment, _ = core().appointments.get(reference, partner_caller())
    return reply_data(AppointmentStatusView.of(appointment, at=core().clock()))


@appointments.get("/<reference>/pickup-progress", safe=True, returns=PartnerData[PickupView])
def pickup_progress(reference: str) -> Response:
    """Show the progress of the pickup."""
    return reply_data(PickupView.of(*core().appointments.get(reference, partner_caller())))


@appointments.get(
    "/<reference>/notify-pickup-progress", returns=PartnerData[PickupNoticeView], raises=(Conflict,)
)
def notify_pickup_progress(reference: str) -> Response:
    """Notify the customer and the webhooks of the pickup's progress.

    Although it is a GET, it has an effect.
    """
    notice = core().appointments.notify(reference, partner_caller())
    return reply_data(PickupNoticeView.of(notice.appointment, by_mail=notice.by_mail))


def _reply_detail(reference: str, status: int = 200) -> Response:
    """Return a response with an appointment and its timeline."""
    served = core()
    appointment, steps = served.appointments.get(reference, partner_caller())
    return reply_data(detail_view(appointment, steps, at=served.clock()), status)
