"""Tow rides: a towing business takes the vehicle somewhere."""

from functools import partial

from attrs import frozen
from flask import Response, g

from repaircore.kernel.errors import Conflict, Unavailable
from repaircore.kernel.ids import is_possible_id
from repaircore.providers.businesses import RideType
from repaircore.rides.progress import CancelRide
from repaircore.rides.views import (
    CancelPreviewView,
    TowOfferView,
    TowRideEndedView,
    TowRideQuoteView,
    TowRideStatusView,
    TowRideView,
    cancel_preview_view,
    offer_view,
    quote_view,
    status_view,
)
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.idempotency import current_claim
from repaircore_http.json_io import read_body, read_query
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.partner.invoices import to_job_invoice
from repaircore_http.partner.rides import (
    CompleteRide,
    Note,
    PreviewCancellation,
    RideInput,
    ShortText,
    TripInput,
    UpdateRide,
    read_sent_fields,
    reply_detail,
    reply_ride,
    to_changes,
    to_create_ride,
    to_trip,
)
from repaircore_http.routes import Routes

tow_rides = Routes(
    "partner_tow_rides",
    url_prefix=f"{PREFIX}/tow-rides",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner tow rides",
)


@frozen(kw_only=True)
class EstimateTow(TripInput):
    """The ride type and the trip."""

    ride_type: RideType


@frozen(kw_only=True)
class CreateTow(RideInput):
    """The ride type, the customer and the trip, the estimate, and what else the business should know."""

    ride_type: RideType
    passenger_id: int
    reason_for_tow: Note = None
    linked_ref: ShortText = None


@frozen(kw_only=True)
class UpdateTow(UpdateRide):
    """The fields to change; the trip, the ride type and the payment method only while the tow is pending."""

    ride_type: RideType | None = None
    reason_for_tow: Note = None


@tow_rides.post("/estimate-price", accepts=EstimateTow, returns=PartnerData[TowRideQuoteView])
def estimate_price() -> Response:
    """Estimate the price of a tow; it is honored for 15 minutes."""
    data = read_body(EstimateTow)
    token, quote = core().tows.estimate(to_trip(data, data.ride_type), partner_caller())
    return reply_data(quote_view(quote, token))


def _preload(**_path: str) -> None:
    core().tows.preload()


@tow_rides.post(
    "",
    idempotent=True,
    prepare=_preload,
    accepts=CreateTow,
    returns=PartnerData[TowRideView],
    status=201,
    raises=(Conflict,),
)
def create() -> Response:
    """Create a tow; towing businesses then make offers."""
    data, tows = read_body(CreateTow), core().tows
    tow = to_create_ride(
        data,
        data.ride_type,
        customer_id=data.passenger_id if is_possible_id(data.passenger_id) else 0,
        reason=data.reason_for_tow,
        linked_ref=data.linked_ref,
    )
    return reply_ride(tows, tows.create(tow, partner_caller()), status=201)


@tow_rides.get("/<named:towRide>", safe=True, returns=PartnerData[TowRideView])
def show(towRide: str) -> Response:
    """Show a tow."""
    return reply_detail(core().tows.get(towRide, partner_caller()))


@tow_rides.get("/<towRide>/status", safe=True, returns=PartnerData[TowRideStatusView])
def status(towRide: str) -> Response:
    """Show the status of a tow."""
    return reply_data(status_view(core().tows.get(towRide, partner_caller()).ride))


@tow_rides.patch(
    "/<named:towRide>",
    idempotent=True,
    prepare=_preload,
    accepts=UpdateTow,
    returns=PartnerData[TowRideView],
    raises=(Conflict,),
)
def update(towRide: str) -> Response:
    """Update a tow that has not ended."""
    fields, tows = read_sent_fields(UpdateTow), core().tows
    return reply_ride(tows, tows.update(towRide, partial(to_changes, fields), partner_caller()))


@tow_rides.get("/<towRide>/business-offers", safe=True, returns=PartnerData[list[TowOfferView]])
def business_offers(towRide: str) -> Response:
    """List the open offers, the soonest arrival first."""
    tows = core().tows
    offers = tows.list_acceptable_offers(towRide, partner_caller())
    return reply_data([offer_view(offer, tows.kind) for offer in offers])


def _authorize(towRide: str, towBusinessId: str) -> None:
    tows, caller = core().tows, partner_caller()
    provider_ref = tows.resolve_provider(towRide, towBusinessId, caller)
    g.authorized_offer = tows.authorize(towRide, provider_ref, caller, claim=current_claim())


@tow_rides.post(
    "/<towRide>/business-offers/<towBusinessId>/accept",
    idempotent=True,
    prepare=_authorize,
    returns=PartnerData[TowRideView],
    raises=(Conflict, Unavailable),
)
def accept(towRide: str, towBusinessId: str) -> Response:  # noqa: ARG001 - of this business is the authorized offer
    """Accept an offer: the payment is authorized, the business is assigned, the other offers are closed."""
    tows = core().tows
    return reply_ride(tows, tows.assign(towRide, g.authorized_offer, partner_caller()))


@tow_rides.post(
    "/<towRide>/cancel",
    idempotent=True,
    accepts=CancelRide,
    returns=PartnerData[TowRideView],
    raises=(Conflict,),
)
def cancel(towRide: str) -> Response:
    """Cancel a pending tow."""
    data, tows = read_body(CancelRide), core().tows
    return reply_ride(tows, tows.cancel(towRide, partner_caller(), data))


@tow_rides.patch(
    "/<towRide>/cancel-accepted",
    idempotent=True,
    accepts=CancelRide,
    returns=PartnerData[TowRideEndedView],
    raises=(Conflict,),
)
def cancel_accepted(towRide: str) -> Response:
    """Cancel a tow that has a business."""
    data, tows = read_body(CancelRide), core().tows
    tow, settlement = tows.cancel_accepted(towRide, partner_caller(), data)
    return reply_ride(tows, tow, settlement=settlement)


@tow_rides.get(
    "/<towRide>/cancel-preview",
    safe=True,
    query=PreviewCancellation,
    returns=PartnerData[CancelPreviewView],
    raises=(Conflict,),
)
def cancel_preview(towRide: str) -> Response:
    """Preview what canceling a tow would cost now."""
    query = read_query(PreviewCancellation)
    action, settlement = core().tows.preview_cancellation(towRide, partner_caller(), reason=query.reason)
    return reply_data(cancel_preview_view(towRide, action, settlement))


@tow_rides.post(
    "/<towRide>/driver-arrived", idempotent=True, returns=PartnerData[TowRideView], raises=(Conflict,)
)
def driver_arrived(towRide: str) -> Response:
    """Mark the towing business as arrived."""
    tows = core().tows
    return reply_ride(tows, tows.arrive(towRide, partner_caller()))


@tow_rides.post("/<towRide>/start", idempotent=True, returns=PartnerData[TowRideView], raises=(Conflict,))
def start(towRide: str) -> Response:
    """Mark the tow as started."""
    tows = core().tows
    return reply_ride(tows, tows.start(towRide, partner_caller()))


@tow_rides.post(
    "/<towRide>/complete",
    idempotent=True,
    accepts=CompleteRide,
    returns=PartnerData[TowRideEndedView],
    raises=(Conflict,),
)
def complete(towRide: str) -> Response:
    """Complete a tow that the business came for."""
    data, tows = read_body(CompleteRide), core().tows
    tow, settlement = tows.complete(
        towRide, partner_caller(), outcome=data.outcome, invoice=to_job_invoice(data.invoice)
    )
    return reply_ride(tows, tow, settlement=settlement)
