"""A partner's rides, tows and appointments, each with its timeline."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any, Final, Self

from attrs import asdict, evolve, frozen
from flask.typing import ResponseReturnValue

from repaircore.appointments.letters import service_words
from repaircore.appointments.model import Appointment
from repaircore.appointments.validation import AppointmentFilter
from repaircore.dispatch.texts import job_words
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import NotFound
from repaircore.kernel.money import Cents
from repaircore.kernel.paging import Page, PageRequest
from repaircore.kernel.references import Kind, is_reference
from repaircore.kernel.rules import Length
from repaircore.kernel.timeline import Step
from repaircore.rides.model import Ride, RideFilter, RideKind
from repaircore_http.console.lists import ListQuery, read_list
from repaircore_http.console.partner.access import own_partner, partner_pages, show_own
from repaircore_http.console.partner.step_details import ShownStep, shown_steps
from repaircore_http.core import core
from repaircore_http.json_io import read_query_params

partner_jobs = partner_pages("partner_jobs")

_KINDS: Final = (("ride", "Rides"), ("tow", "Tows"), ("appointment", "Appointments"))
_FIELDS: Final = ("kind", "partner_reference", "date_from", "date_to")


class JobKind(StrEnum):
    """The kinds of jobs that a list can show."""

    RIDE = "ride"
    TOW = "tow"
    APPOINTMENT = "appointment"


@frozen(kw_only=True)
class ListJobs(ListQuery):
    """Filters (kind, the partner's reference, and dates) and page for the list of jobs.

    Rides and tows are filtered by the date of their creation in UTC, appointments by the date of their start in the
    mechanic's time zone.
    """

    kind: JobKind = JobKind.RIDE
    partner_reference: Annotated[str | None, Length(1, 255)] = None
    date_from: date | None = None
    date_to: date | None = None


@frozen(kw_only=True)
class JobRow:
    """A job in a list."""

    ref: str
    title: str
    status: str
    customer_ref: str
    partner_reference: str | None
    amount: Cents | None
    created_at: datetime

    @classmethod
    def of_ride(cls, ride: Ride) -> Self:
        """Return the row of a ride or a tow, with its agreed price, or its cost once it has ended."""
        return cls(
            ref=ride.ref,
            title=job_words(ride.kind, ride.service),
            status=str(ride.status),
            customer_ref=ride.customer_ref,
            partner_reference=ride.partner_reference,
            amount=ride.agreed_price if ride.fee is None else ride.fee,
            created_at=ride.created_at,
        )

    @classmethod
    def of_appointment(cls, booked: Appointment) -> Self:
        """Return the row of an appointment."""
        return cls(
            ref=booked.ref,
            title=f"{service_words(booked) or 'Appointment'}, {booked.place.name}",
            status=str(booked.status),
            customer_ref=booked.customer_ref,
            partner_reference=booked.partner_reference,
            amount=booked.price,
            created_at=booked.created_at,
        )


def unfiltered() -> ResponseReturnValue:
    """List rides if the filter is invalid; the field keeps what was typed."""
    typed = dict.fromkeys(_FIELDS, "") | read_query_params(ListJobs)
    return show_own(
        "partner/jobs.html", page=_page(ListJobs(), own_partner()), fields=typed, kinds=_KINDS, query={}
    )


@partner_jobs.get("/partner/jobs", again=unfiltered)
def index() -> ResponseReturnValue:
    """List the partner's jobs of a kind, newest first."""
    wanted, query = read_list(ListJobs)
    return show_own(
        "partner/jobs.html",
        page=_page(wanted, own_partner()),
        fields=asdict(wanted),
        kinds=_KINDS,
        query=query,
    )


@partner_jobs.get("/partner/jobs/<ref>")
def detail(ref: str) -> ResponseReturnValue:
    """Show a job with its payments and its timeline."""
    own = own_partner()
    if is_reference(Kind.APPOINTMENT, ref):
        booked, steps = core().appointments.get(ref, own)
        return show_own(
            "partner/appointment.html", job=JobRow.of_appointment(booked), booked=booked, steps=_shown(steps)
        )
    if not is_reference(Kind.RIDE, ref) and not is_reference(Kind.TOW, ref):
        raise NotFound("There is no such job.")
    rides = core().rides if is_reference(Kind.RIDE, ref) else core().tows
    found = rides.get(ref, own)
    return show_own(
        "partner/ride.html",
        job=JobRow.of_ride(found.ride),
        ride=found.ride,
        is_tow=found.ride.kind is RideKind.TOW,
        payments=found.payments,
        steps=_shown(found.steps),
    )


def _shown(steps: Sequence[Step]) -> list[ShownStep]:
    return shown_steps(steps, core().provider_requests.area_at)


def latest_jobs(own: PartnerCaller, count: int) -> list[JobRow]:
    """Return the partner's latest jobs of all kinds, newest first."""
    wanted = [_page(ListJobs(kind=kind), own, per_page=count) for kind in JobKind]
    rows = sorted((row for page in wanted for row in page), key=lambda row: row.created_at, reverse=True)
    return rows[:count]


def _page(wanted: ListJobs, own: PartnerCaller, *, per_page: int | None = None) -> Page[JobRow]:
    request = wanted.request() if per_page is None else PageRequest(per_page=per_page)
    if wanted.kind is JobKind.APPOINTMENT:
        booked = core().appointments.list_page(
            own,
            AppointmentFilter(
                partner_reference=wanted.partner_reference, date_from=wanted.date_from, date_to=wanted.date_to
            ),
            request,
        )
        return _rows(booked, map(JobRow.of_appointment, booked))
    rides = core().rides if wanted.kind is JobKind.RIDE else core().tows
    listed = rides.list_page(
        own,
        wanted=RideFilter(
            partner_reference=wanted.partner_reference, date_from=wanted.date_from, date_to=wanted.date_to
        ),
        request=request,
    )
    return _rows(listed, (JobRow.of_ride(each.ride) for each in listed))


def _rows(page: Page[Any], rows: Iterable[JobRow]) -> Page[JobRow]:
    """Return a page with ``rows`` in place of its items."""
    return evolve(page, items=tuple(rows))
