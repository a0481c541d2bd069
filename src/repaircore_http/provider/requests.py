"""The requests of a provider: offer or decline, and carry out a job."""

from typing import BinaryIO, ClassVar

from attrs import frozen
from flask import Response

from repaircore.dispatch.requests import GiveReason, MakeOffer, ReportEnRoute
from repaircore.dispatch.views import ProviderRequestView
from repaircore.kernel.errors import Conflict, Invalid, TooMany
from repaircore.kernel.paging import PER_PAGE
from repaircore.proofs.errors import photo_too_large, signature_too_large
from repaircore.proofs.model import MAX_PHOTO_BYTES, MAX_SIGNATURE_BYTES
from repaircore.proofs.service import AddPhoto, AddSignature
from repaircore.proofs.views import ProofView
from repaircore.rides.model import RideOutcome
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData, PartnerPage
from repaircore_http.guards import Auth, provider_caller
from repaircore_http.json_io import parse_input, read_body, read_query
from repaircore_http.partner.dialect import partner, reply_data, reply_page
from repaircore_http.routes import FormFile, Routes
from repaircore_http.uploads import FORM_OVERHEAD, uploaded_form

PREFIX = "/api/v1/provider"

requests = Routes(
    "provider_requests",
    url_prefix=f"{PREFIX}/requests",
    auth=Auth.PROVIDER,
    dialect=partner,
    tag="provider requests",
    area=PREFIX,
)

_Request = PartnerData[ProviderRequestView]


@frozen(kw_only=True)
class ListRequests:
    """The page for the list of requests."""

    page: int = 1
    per_page: int = PER_PAGE


@frozen(kw_only=True)
class CompleteJob:
    """How the job ended."""

    takes_nulls: ClassVar[bool] = True

    outcome: RideOutcome = RideOutcome.COMPLETED


@requests.get("", safe=True, query=ListRequests, returns=PartnerPage[ProviderRequestView])
def index() -> Response:
    """List the provider's requests, newest first."""
    query = read_query(ListRequests)
    page = core().provider_requests.list_page(provider_caller(), number=query.page, per_page=query.per_page)
    return reply_page(page, ProviderRequestView.of)


@requests.get("/<ref>", safe=True, returns=_Request)
def show(ref: str) -> Response:
    """Show a request."""
    return reply_data(ProviderRequestView.of(core().provider_requests.get(ref, provider_caller())))


@requests.post("/<ref>/offer", accepts=MakeOffer, returns=_Request, raises=(Conflict,))
def offer(ref: str) -> Response:
    """Offer to do the job at its price; repeating an offer returns the same response."""
    job = core().provider_requests.offer(ref, read_body(MakeOffer), provider_caller())
    return reply_data(ProviderRequestView.of(job))


@requests.post("/<ref>/decline", accepts=GiveReason, returns=_Request, raises=(Conflict,))
def decline(ref: str) -> Response:
    """Decline the request, or withdraw the offer before it is accepted."""
    job = core().provider_requests.decline(ref, read_body(GiveReason), provider_caller())
    return reply_data(ProviderRequestView.of(job))


@requests.post("/<ref>/en-route", accepts=ReportEnRoute, returns=_Request, raises=(Conflict,))
def en_route(ref: str) -> Response:
    """Report that the provider is on the way, optionally with position and arrival; may be repeated."""
    job = core().provider_requests.en_route(ref, read_body(ReportEnRoute), provider_caller())
    return reply_data(ProviderRequestView.of(job))


@requests.post("/<ref>/arrived", returns=_Request, raises=(Conflict,))
def arrived(ref: str) -> Response:
    """Report that the provider has arrived."""
    return reply_data(ProviderRequestView.of(core().provider_requests.arrive(ref, provider_caller())))


@requests.post("/<ref>/start", returns=_Request, raises=(Conflict,))
def start(ref: str) -> Response:
    """Report that the work, or the drive, has started."""
    return reply_data(ProviderRequestView.of(core().provider_requests.start(ref, provider_caller())))


@requests.post("/<ref>/complete", accepts=CompleteJob, returns=_Request, raises=(Conflict,))
def complete(ref: str) -> Response:
    """Report the outcome: the ride is completed, and paid accordingly."""
    outcome = read_body(CompleteJob).outcome
    job = core().provider_requests.complete(ref, provider_caller(), outcome=outcome)
    return reply_data(ProviderRequestView.of(job))


@requests.get("/<ref>/proofs", safe=True, returns=PartnerData[list[ProofView]])
def proofs(ref: str) -> Response:
    """List the photos and signatures that the provider has added."""
    return reply_data(
        [ProofView.of(proof) for proof in core().proofs.list_for_provider(ref, provider_caller())]
    )


@requests.post(
    "/<ref>/photos",
    accepts=AddPhoto,
    max_bytes=MAX_PHOTO_BYTES + FORM_OVERHEAD,
    file=FormFile(field="photo", media_types="image/jpeg, image/png, image/webp"),
    returns=PartnerData[ProofView],
    status=201,
    raises=(Conflict, TooMany),
)
def add_photo(ref: str) -> Response:
    """Add a photo of at most 10 MB as proof; it is stored scaled down and without metadata."""
    with uploaded_form(("stage",), file="photo", max_bytes=MAX_PHOTO_BYTES, too_large=photo_too_large) as (
        texts,
        photo,
    ):
        data = parse_input(AddPhoto, texts)
        proof = core().proofs.add_photo(ref, data, _required(photo, "photo"), provider_caller())
    return reply_data(ProofView.of(proof), 201)


@requests.post(
    "/<ref>/signature",
    accepts=AddSignature,
    max_bytes=MAX_SIGNATURE_BYTES + FORM_OVERHEAD,
    file=FormFile(field="signature", media_types="image/png"),
    returns=PartnerData[ProofView],
    status=201,
    raises=(Conflict, TooMany),
)
def add_signature(ref: str) -> Response:
    """Add a drawn signature as proof: a PNG of at most 200 KB."""
    with uploaded_form(
        ("stage", "signed_by"),
        file="signature",
        max_bytes=MAX_SIGNATURE_BYTES,
        too_large=signature_too_large,
    ) as (texts, drawn):
        data = parse_input(AddSignature, texts)
        proof = core().proofs.add_signature(ref, data, _required(drawn, "signature"), provider_caller())
    return reply_data(ProofView.of(proof), 201)


def _required(file: BinaryIO | None, field: str) -> BinaryIO:
    if file is None:
        raise Invalid({field: [f"The {field} field is required."]})
    return file


@requests.post("/<ref>/drop-out", accepts=GiveReason, returns=_Request, raises=(Conflict,))
def drop_out(ref: str) -> Response:
    """Drop out of a job before it starts; the payment is released, and other providers are asked."""
    job = core().provider_requests.drop_out(ref, read_body(GiveReason), provider_caller())
    return reply_data(ProviderRequestView.of(job))
