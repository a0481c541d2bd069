"""A job as its provider sees it on a phone, through the link in the message, without an account or scripts."""

from base64 import b64decode
from binascii import Error
from collections.abc import Callable
from io import BytesIO
from typing import BinaryIO, Final
from urllib.parse import urlsplit

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.dispatch.errors import NoRequest
from repaircore.dispatch.jobs import PreviousTerms, ProviderJob, job_end
from repaircore.dispatch.links import PATH
from repaircore.dispatch.refusals import JobStep, is_done, refusal
from repaircore.dispatch.requests import GiveReason, MakeOffer, ReportEnRoute
from repaircore.dispatch.texts import job_words, local_time, vehicle_words
from repaircore.kernel.callers import ProviderCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents
from repaircore.proofs.errors import photo_too_large, signature_too_large
from repaircore.proofs.model import MAX_PHOTO_BYTES, MAX_SIGNATURE_BYTES, Stage
from repaircore.proofs.rules import stages
from repaircore.proofs.service import AddPhoto, AddSignature
from repaircore.rides.model import RideOutcome
from repaircore_http.clients import user_agent
from repaircore_http.console.forms import FileField, filled, form
from repaircore_http.console.pages import show, to
from repaircore_http.console.public.access import counted_opening, error_texts, phone_pages, unlisted
from repaircore_http.core import core

provider_jobs = phone_pages("provider_jobs")

_DRAWN: Final = "data:image/png;base64,"
_OUTCOMES: Final = {
    RideOutcome.COMPLETED: "Done",
    RideOutcome.GONE_ON_ARRIVAL: "Nobody was there",
    RideOutcome.UNSUCCESSFUL: "It did not help",
    RideOutcome.CONVERTED_TO_TOW: "The vehicle needs a tow",
}
_REASONS: Final = ("Too far away", "Too busy right now", "Wrong equipment", "It pays too little", "Other")
_STEPS: Final = frozenset(
    {"offer", "decline", "stop", "en-route", "arrived", "start", "photo", "signature", "complete", "drop-out"}
)
_LABELS: Final = {
    "eta_minutes": "The number of minutes",
    "latitude": "Your location",
    "longitude": "Your location",
    "outcome": "The outcome",
    "price": "The price",
    "reason": "The reason",
    "stage": "Where it was taken",
    "photo": "The photo",
    "signature": "The signature",
    "signed_by": "The name of the signer",
}
_STAGES: Final = {Stage.PICKUP: "At the pickup", Stage.DROPOFF: "At the dropoff"}
_ARRIVALS: Final = (10, 20, 30, 45, 60, 90)


@frozen(kw_only=True)
class _Complete:
    """How the job ended."""

    outcome: RideOutcome


@frozen(kw_only=True)
class _Change:
    """When the customer changed the trip, and its former area and pay, each None if unchanged or unknown."""

    at: str
    old_area: str | None
    old_pay: Cents | None


def show_job(token: str) -> ResponseReturnValue:
    """Show the current state of the job and what the provider may do, or only how it ended if it has."""
    caller, job = _opened(token)
    return unlisted(_job_page(token, caller, job) if job.request.is_active else _end_page(job))


def _job_page(token: str, caller: ProviderCaller, job: ProviderJob) -> str:
    ride, zone = job.ride, _zone(job)
    before = core().provider_requests.previous_terms(job)
    return show(
        "public/provider_job.html",
        token=token,
        job=job,
        what=job_words(ride.kind, ride.service),
        vehicle=vehicle_words(ride.vehicle),
        until=local_time(job.request.expires_at, zone),
        wanted="Now" if ride.scheduled_for is None else f"At {local_time(ride.scheduled_for, zone)}",
        eta=None if ride.eta_at is None else local_time(ride.eta_at, zone),
        outcomes=[(outcome, _OUTCOMES[outcome]) for outcome in job.outcomes],
        reasons=_REASONS,
        arrivals=_ARRIVALS,
        change=None if before is None else _change(job, before),
        is_stopped=_is_stopped(job),
        stages=[(stage, _STAGES[stage]) for stage in reversed(stages(ride))] if job.is_chosen else [],
        proofs=core().proofs.list_for_provider(job.request.ref, caller) if job.is_chosen else [],
        stage_names=_STAGES,
        map_address=_map_address,
        gets_messages=job.provider is not None and core().dispatch.notices.reaches(job.provider),
        errors=error_texts(_LABELS),
    )


def _end_page(job: ProviderJob) -> str:
    """Return the page of a job that has ended for its provider, without places and people."""
    end = job_end(job)
    return show(
        "public/provider_done.html",
        end=end,
        ended=None if end.at is None else local_time(end.at, _zone(job)),
        what=job_words(job.ride.kind, job.ride.service),
        reference=job.request.ref,
        is_stopped=_is_stopped(job),
        sender=urlsplit(core().settings.public_url).netloc,
    )


def _change(job: ProviderJob, before: PreviousTerms) -> _Change:
    area = core().provider_requests.area_at(before.dropoff)
    return _Change(
        at=local_time(before.changed_at, _zone(job)),
        old_area=None if area == job.destination else area,
        old_pay=before.other_pay(job.ride.agreed_price),
    )


def _is_stopped(job: ProviderJob) -> bool:
    return job.provider is not None and not job.provider.active


def _zone(job: ProviderJob) -> str:
    return "UTC" if job.provider is None else job.provider.time_zone


@provider_jobs.get(f"{PATH}<token>")
def index(token: str) -> ResponseReturnValue:
    """Show the job of a link."""
    return show_job(token)


@provider_jobs.post(f"{PATH}<token>/offer", again=show_job)
def offer(token: str) -> Response:
    """Offer to do the job."""

    def act(ref: str, caller: ProviderCaller) -> None:
        core().provider_requests.offer(ref, filled(MakeOffer, numbers=("price",)), caller)

    return _take(token, JobStep.OFFER, act)


@provider_jobs.post(f"{PATH}<token>/decline", again=show_job)
def decline(token: str) -> Response:
    """Decline the job, or withdraw the offer."""

    def act(ref: str, caller: ProviderCaller) -> None:
        core().provider_requests.decline(ref, filled(GiveReason), caller)

    return _take(token, JobStep.DECLINE, act)


@provider_jobs.post(f"{PATH}<token>/stop", again=show_job)
def stop(token: str) -> Response:
    """Stop sending requests to the provider; one who was chosen keeps this job."""
    return _take(token, JobStep.STOP, core().provider_requests.stop)


@provider_jobs.post(f"{PATH}<token>/en-route", again=show_job)
def en_route(token: str) -> Response:
    """Report that the provider is on the way."""

    def act(ref: str, caller: ProviderCaller) -> None:
        core().provider_requests.en_route(ref, filled(ReportEnRoute), caller)

    return _take(token, JobStep.EN_ROUTE, act)


@provider_jobs.post(f"{PATH}<token>/arrived", again=show_job)
def arrived(token: str) -> Response:
    """Report that the provider has arrived."""
    return _take(token, JobStep.ARRIVE, core().provider_requests.arrive)


@provider_jobs.post(f"{PATH}<token>/start", again=show_job)
def start(token: str) -> Response:
    """Report that the work has started."""
    return _take(token, JobStep.START, core().provider_requests.start)


@provider_jobs.post(
    f"{PATH}<token>/photo",
    again=show_job,
    upload=FileField(field="photo", max_bytes=MAX_PHOTO_BYTES, too_large=photo_too_large, texts=("stage",)),
)
def photo(token: str) -> Response:
    """Add a photo as proof."""

    def act(ref: str, caller: ProviderCaller) -> None:
        data, file = filled(AddPhoto), form().file
        if file is None:
            raise Invalid({"photo": ["Choose a photo first."]})
        core().proofs.add_photo(ref, data, file, caller)

    return _take(token, JobStep.PROVE, act)


@provider_jobs.post(f"{PATH}<token>/signature", again=show_job, form_bytes=2 * MAX_SIGNATURE_BYTES)
def signature(token: str) -> Response:
    """Add the signature that was drawn on the page."""

    def act(ref: str, caller: ProviderCaller) -> None:
        data, drawn = filled(AddSignature), _drawn(form().text("signature"))
        core().proofs.add_signature(ref, data, drawn, caller)

    return _take(token, JobStep.PROVE, act)


@provider_jobs.post(f"{PATH}<token>/complete", again=show_job)
def complete(token: str) -> Response:
    """Report how the job ended."""

    def act(ref: str, caller: ProviderCaller) -> None:
        core().provider_requests.complete(ref, caller, outcome=filled(_Complete).outcome)

    return _take(token, JobStep.COMPLETE, act)


@provider_jobs.post(f"{PATH}<token>/drop-out", again=show_job)
def drop_out(token: str) -> Response:
    """Drop out of the job."""

    def act(ref: str, caller: ProviderCaller) -> None:
        core().provider_requests.drop_out(ref, filled(GiveReason), caller)

    return _take(token, JobStep.DROP_OUT, act)


@provider_jobs.get(f"{PATH}<token>/<step>")
def after_sending(token: str, step: str) -> Response:
    """Redirect to the job when a browser opens the POST address of a form with GET."""
    if step not in _STEPS:
        raise NoRequest
    return _back(token)


def _take(token: str, step: JobStep, act: Callable[[str, ProviderCaller], object]) -> Response:
    """Take a step, and redirect to the page with the new state.

    A step that was already taken, and any step of a job that has ended, changes nothing.

    Raises:
        NoRequest: the link is unknown.
        Conflict: the job does not allow the step, in the words of a provider.
    """
    caller, job = _opened(token)
    if job.request.is_active:
        try:
            act(job.request.ref, caller)
        except Conflict as refused:
            _require_done(job.request.ref, caller, step, refused)
    return _back(token)


def _require_done(ref: str, caller: ProviderCaller, step: JobStep, refused: Conflict) -> None:
    job = core().provider_requests.get(ref, caller)
    if job.request.is_active and not is_done(job, step):
        raise Conflict(refusal(job, step) or refused.message) from refused


def _drawn(address: str) -> BinaryIO:
    """Return the picture in a data URL, which is how the page sends a drawing.

    Raises:
        Invalid: on ``signature``: it is missing, not a PNG, or too large.
    """
    if not address:
        raise Invalid({"signature": ["Draw the signature first."]})
    try:
        png = b64decode(address.removeprefix(_DRAWN), validate=True)
    except (Error, ValueError):
        raise Invalid({"signature": ["The signature must be a PNG."]}) from None
    if len(png) > MAX_SIGNATURE_BYTES:
        raise signature_too_large()
    return BytesIO(png)


def _opened(token: str) -> tuple[ProviderCaller, ProviderJob]:
    """Return the provider and the job of a link; every opening is counted.

    Raises:
        NoRequest: the link is unknown.
        TooMany: too many requests with this link, or with unknown links from this IP address.
    """
    with counted_opening(token):
        return core().provider_requests.open(token)


def _map_address(point: Point) -> str:
    """Return the address that opens the phone's map app at a point; Apple's devices do not support ``geo:`` URIs."""
    place = f"{point.latitude},{point.longitude}"
    is_apple = any(device in user_agent() for device in ("iPhone", "iPad", "iPod"))
    return f"maps://?q={place}" if is_apple else f"geo:{place}?q={place}"


def _back(token: str) -> Response:
    return to(f"{PATH}{token}")
