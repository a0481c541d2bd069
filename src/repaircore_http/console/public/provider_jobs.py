"""A job as its provider sees it on a phone, through the link in the message, without an account or scripts."""

from base64 import b64decode
from binascii import Error
from io import BytesIO
from typing import BinaryIO, Final

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.dispatch.errors import NoRequest
from repaircore.dispatch.jobs import ProviderJob
from repaircore.dispatch.links import PATH
from repaircore.dispatch.requests import GiveReason, MakeOffer, ReportEnRoute
from repaircore.dispatch.texts import job_words, local_time, vehicle_words
from repaircore.kernel.callers import ProviderCaller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.geo import Point
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


def show_job(token: str) -> ResponseReturnValue:
    """Show the current state of the job, and what the provider may do."""
    caller, job = _opened(token)
    zone = "UTC" if job.provider is None else job.provider.time_zone
    page = show(
        "public/provider_job.html",
        token=token,
        job=job,
        what=job_words(job.ride.kind, job.ride.service),
        vehicle=vehicle_words(job.ride.vehicle),
        until=local_time(job.request.expires_at, zone),
        wanted="Now" if job.ride.scheduled_for is None else f"At {local_time(job.ride.scheduled_for, zone)}",
        eta=None if job.ride.eta_at is None else local_time(job.ride.eta_at, zone),
        outcomes=[(outcome, _OUTCOMES[outcome]) for outcome in job.outcomes],
        reasons=_REASONS,
        arrivals=_ARRIVALS,
        changed=None
        if job.ride.destination_changed_at is None
        else local_time(job.ride.destination_changed_at, zone),
        stages=[(stage, _STAGES[stage]) for stage in reversed(stages(job.ride))] if job.is_chosen else [],
        proofs=core().proofs.list_for_provider(job.request.ref, caller) if job.is_chosen else [],
        stage_names=_STAGES,
        map_address=_map_address,
        errors=error_texts(_LABELS),
    )
    return unlisted(page)


@provider_jobs.get(f"{PATH}<token>")
def index(token: str) -> ResponseReturnValue:
    """Show the job of a link."""
    return show_job(token)


@provider_jobs.post(f"{PATH}<token>/offer", again=show_job)
def offer(token: str) -> Response:
    """Offer to do the job."""
    caller, job = _opened(token)
    core().provider_requests.offer(job.request.ref, filled(MakeOffer, numbers=("price",)), caller)
    return _back(token)


@provider_jobs.post(f"{PATH}<token>/decline", again=show_job)
def decline(token: str) -> ResponseReturnValue:
    """Decline the job, or take the offer back."""
    caller, job = _opened(token)
    core().provider_requests.decline(job.request.ref, filled(GiveReason), caller)
    return _goodbye("Thank you for the answer", "You declined this job. Others are being asked.")


@provider_jobs.post(f"{PATH}<token>/stop", again=show_job)
def stop(token: str) -> ResponseReturnValue:
    """Stop sending requests to the provider."""
    caller, job = _opened(token)
    core().provider_requests.stop(job.request.ref, caller)
    if core().provider_requests.get(job.request.ref, caller).is_chosen:
        return _back(token)  # a provider who was chosen in the meantime keeps this job
    return _goodbye(
        "No more requests", "You get no more requests. To get them again, ask the operator who sent this one."
    )


@provider_jobs.post(f"{PATH}<token>/en-route", again=show_job)
def en_route(token: str) -> Response:
    """Report that the provider is on the way."""
    caller, job = _opened(token)
    core().provider_requests.en_route(job.request.ref, filled(ReportEnRoute), caller)
    return _back(token)


@provider_jobs.post(f"{PATH}<token>/arrived", again=show_job)
def arrived(token: str) -> Response:
    """Report that the provider has arrived."""
    caller, job = _opened(token)
    core().provider_requests.arrive(job.request.ref, caller)
    return _back(token)


@provider_jobs.post(f"{PATH}<token>/start", again=show_job)
def start(token: str) -> Response:
    """Report that the work has started."""
    caller, job = _opened(token)
    core().provider_requests.start(job.request.ref, caller)
    return _back(token)


@provider_jobs.post(
    f"{PATH}<token>/photo",
    again=show_job,
    upload=FileField(field="photo", max_bytes=MAX_PHOTO_BYTES, too_large=photo_too_large, texts=("stage",)),
)
def photo(token: str) -> Response:
    """Add a photo as proof."""
    caller, job = _opened(token)
    data, file = filled(AddPhoto), form().file
    if file is None:
        raise Invalid({"photo": ["The photo field is required."]})
    core().proofs.add_photo(job.request.ref, data, file, caller)
    return _back(token)


@provider_jobs.post(f"{PATH}<token>/signature", again=show_job, form_bytes=2 * MAX_SIGNATURE_BYTES)
def signature(token: str) -> Response:
    """Add the signature that was drawn on the page."""
    caller, job = _opened(token)
    data, drawn = filled(AddSignature), _drawn(form().text("signature"))
    core().proofs.add_signature(job.request.ref, data, drawn, caller)
    return _back(token)


def _drawn(address: str) -> BinaryIO:
    """Return the picture in a data URL, as which a page sends a drawing.

    Raises:
        Invalid: on ``signature``.
    """
    if not address:
        raise Invalid({"signature": ["The signature field is required."]})
    try:
        png = b64decode(address.removeprefix(_DRAWN), validate=True)
    except (Error, ValueError):
        raise Invalid({"signature": ["The signature must be a PNG."]}) from None
    if len(png) > MAX_SIGNATURE_BYTES:
        raise signature_too_large()
    return BytesIO(png)


@provider_jobs.post(f"{PATH}<token>/complete", again=show_job)
def complete(token: str) -> ResponseReturnValue:
    """Report how the job ended."""
    caller, job = _opened(token)
    core().provider_requests.complete(job.request.ref, caller, outcome=filled(_Complete).outcome)
    return _goodbye("Thank you", "The job is closed.")


@provider_jobs.post(f"{PATH}<token>/drop-out", again=show_job)
def drop_out(token: str) -> ResponseReturnValue:
    """Drop out of the job."""
    caller, job = _opened(token)
    core().provider_requests.drop_out(job.request.ref, filled(GiveReason), caller)
    return _goodbye(
        "You are off this job", "The customer keeps waiting, and others are asked. Please do not go there."
    )


@provider_jobs.get(f"{PATH}<token>/<step>")
def after_sending(token: str, step: str) -> Response:
    """Redirect to the job when a browser opens the POST address of a form with GET."""
    if step not in _STEPS:
        raise NoRequest
    return _back(token)


def _opened(token: str) -> tuple[ProviderCaller, ProviderJob]:
    """Return the job of a link; every opening is counted.

    Raises:
        NoRequest: the link is unknown, or its job has ended.
        TooMany: too many requests with this link, or with unknown ones from this address.
    """
    with counted_opening(token):
        return core().provider_requests.open(token)


def _map_address(point: Point) -> str:
    """Return the address that opens the phone's own maps at a point. Apple's devices do not know ``geo:`` (RFC 5870)."""
    place = f"{point.latitude},{point.longitude}"
    is_apple = any(device in user_agent() for device in ("iPhone", "iPad", "iPod"))
    return f"maps://?q={place}" if is_apple else f"geo:{place}?q={place}"


def _back(token: str) -> Response:
    return to(f"{PATH}{token}")


def _goodbye(title: str, text: str) -> Response:
    """Return the last page of a link, which stops working from now on."""
    return unlisted(show("public/provider_done.html", title=title, text=text))
