"""Tow rides: a towing business takes the vehicle somewhere."""

from functools import partial
from typing import cast

from attrs import frozen
from flask import Response, g

from repaircore.kernel.errors import Conflict, Unavailable
from repaircore.kernel.ids import is_possible_id
from repaircore.providers.businesses import RideType
from repaircore.rides.fare_views import TowRideQuoteView, quote_view
from repaircore.rides.progress import RateRide
from repaircore.rides.views import (
    TowOfferView,
    TowRideEndedView,
    TowRideListedView,
    TowRideStatusView,
    TowRideView,
    ride_view,
)
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import partner_caller
from repaircore_http.idempotency import current_claim
from repaircore_http.json_io import read_body, read_query
from repaircore_http.listing import PartnerListPage, reply_list
from repaircore_http.partner import ride_routes as handlers
from repaircore_http.partner.dialect import reply_data
from repaircore_http.partner.ride_routes import KindOfRide, RideRoutes, reply_ride
from repaircore_http.partner.rides import (
    ListRides,
    Note,
    RideInput,
    ShortText,
    TripInput,
    UpdateRide,
    read_sent_fields,
    to_changes,
    to_create_ride,
    to_trip,
)

tow_rides = RideRoutes("tow", lambda core: core.tows)

_Tow = PartnerData[TowRideView]


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
    """The fields to change.

    The trip, the ride type and the payment method can only be changed while the tow is pending, and the time only until
    businesses are asked.
    """

    ride_type: RideType | None = None
    reason_for_tow: Note = None


@tow_rides.get("", safe=True, query=ListRides, returns=PartnerListPage[TowRideListedView])
def index() -> Response:
    """List tows, newest first."""
    query, served, caller = read_query(ListRides), core().tows, partner_caller()
    return reply_list(
        query,
        lambda request: served.list_page(caller, wanted=query.filter(), request=request),
        TowRideListedView,
        lambda listed: cast("TowRideListedView", ride_view(listed.ride, listed.payments)),
        name="tows",
        envelope=PartnerListPage,
    )


@tow_rides.post("/estimate-price", accepts=EstimateTow, returns=PartnerData[TowRideQuoteView])
def estimate_price() -> Response:
    """Estimate the price of a tow; it is honored for 15 minutes."""
    data = read_body(EstimateTow)
    token, quote = core().tows.estimate(to_trip(data, data.ride_type), partner_caller())
    return reply_data(quote_view(quote, token))


@tow_rides.post(
    "",
    idempotent=True,
    prepare=tow_rides.preload,
    accepts=CreateTow,
    returns=_Tow,
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


@tow_rides.patch(
    "/<named:towRide>",
    idempotent=True,
    prepare=tow_rides.preload,
    accepts=UpdateTow,
    returns=_Tow,
    raises=(Conflict,),
)
def update(towRide: str) -> Response:
    """Update a tow that has not ended."""
    fields, tows = read_sent_fields(UpdateTow), core().tows
    return reply_ride(tows, tows.update(towRide, partial(to_changes, fields), partner_caller()))


def _authorize(towRide: str, towBusinessId: str) -> None:
    tows, caller = core().tows, partner_caller()
    provider_ref = tows.resolve_provider(towRide, towBusinessId, caller)
    g.authorized_offer = tows.authorize(towRide, provider_ref, caller, claim=current_claim())


@tow_rides.post(
    "/<towRide>/business-offers/<towBusinessId>/accept",
    idempotent=True,
    prepare=_authorize,
    returns=_Tow,
    raises=(Conflict, Unavailable),
)
def accept(towRide: str, towBusinessId: str) -> Response:  # noqa: ARG001 - the authorized offer is that of this business
    """Accept an offer: the payment is authorized, the business is assigned, and the other offers are closed."""
    tows = core().tows
    return reply_ride(tows, tows.assign(towRide, g.authorized_offer, partner_caller()))


@tow_rides.post(
    "/<towRide>/rate-business", idempotent=True, accepts=RateRide, returns=_Tow, raises=(Conflict,)
)
def rate_business(towRide: str) -> Response:
    """Rate the business of a completed tow, once."""
    data, tows = read_body(RateRide), core().tows
    return reply_ride(tows, tows.rate(towRide, data, partner_caller()))


tow_rides.add_read("/<named:towRide>", handlers.show, "Show a tow.", returns=_Tow)
tow_rides.add_read(
    "/<towRide>/status", handlers.status, "Show the status of a tow.", returns=PartnerData[TowRideStatusView]
)
tow_rides.add(
    "/<towRide>/business-offers",
    handlers.offers,
    "List the open offers, the soonest arrival first.",
    endpoint="business_offers",
    returns=PartnerData[list[TowOfferView]],
)
tow_rides.add_shared(
    KindOfRide(
        ref="towRide",
        ride=TowRideView,
        ended=TowRideEndedView,
        summaries={
            handlers.cancel_preview: "Preview what canceling a tow would cost now.",
            handlers.cancel: "Cancel a pending tow.",
            handlers.cancel_accepted: "Cancel a tow that has a business.",
            handlers.driver_arrived: "Mark the towing business as arrived.",
            handlers.start: "Mark the tow as started.",
            handlers.complete: "Complete a tow that the business came for.",
            handlers.preview_destination: "Preview what another destination would cost, while the tow has a business.",
            handlers.change_destination: "Change the destination of a tow at the price that was previewed.",
            handlers.list_proofs: "List the photos and signatures of a tow.",
            handlers.share_link: "Share a page where anyone can follow a tow, without an account, until it ends.",
            handlers.revoke_link: "Revoke the link to follow a tow.",
            handlers.receipt: "Show the cost of an ended tow.",
            handlers.refund: "Refund what a tow cost, in full or in part.",
            handlers.sandbox: "In test, have a business decline, drop out, be on the way or be late.",
        },
    )
)
