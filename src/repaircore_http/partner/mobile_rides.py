"""Mobile rides: a driver comes to where the vehicle is."""

from functools import partial
from typing import Annotated, cast

from attrs import frozen
from flask import Response, g

from repaircore.kernel.errors import Conflict, Unavailable
from repaircore.kernel.rules import Length
from repaircore.providers.drivers import Service
from repaircore.rides.fare_views import MobileRideQuoteView, quote_view
from repaircore.rides.progress import RateRide
from repaircore.rides.views import (
    DriverOfferView,
    MobileRideEndedView,
    MobileRideListedView,
    MobileRideStatusView,
    MobileRideView,
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
    RideInput,
    TripInput,
    UpdateRide,
    read_sent_fields,
    to_changes,
    to_create_ride,
    to_trip,
)

mobile_rides = RideRoutes("mobile", lambda core: core.rides)

_Ride = PartnerData[MobileRideView]


@frozen(kw_only=True)
class EstimateMobileRide(TripInput):
    """The service and the trip."""

    service_type: Service


@frozen(kw_only=True)
class CreateMobileRide(RideInput):
    """The service, the customer and the trip, the estimate, and what else the driver should know."""

    service_type: Service
    passenger_ref: Annotated[str, Length(1, 64)]


@frozen(kw_only=True)
class UpdateMobileRide(UpdateRide):
    """The fields to change.

    The trip, the service and the payment method can only be changed while the ride is pending, and the time only until
    drivers are asked.
    """

    service_type: Service | None = None


@frozen(kw_only=True)
class AcceptOffer:
    """The driver whose offer is accepted."""

    driver_ref: Annotated[str, Length(1, 64)]


@frozen(kw_only=True)
class DeclineOffer:
    """The driver whose offer is declined; by default the one with the soonest arrival."""

    driver_ref: Annotated[str | None, Length(1, 64)] = None


@mobile_rides.get("", safe=True, query=ListRides, returns=PartnerListPage[MobileRideListedView])
def index() -> Response:
    """List the rides, newest first."""
    query, served, caller = read_query(ListRides), core().rides, partner_caller()
    return reply_list(
        query,
        lambda request: served.list_page(caller, wanted=query.filter(), request=request),
        MobileRideListedView,
        lambda listed: cast("MobileRideListedView", ride_view(listed.ride, listed.payments)),
        name="rides",
        envelope=PartnerListPage,
    )


@mobile_rides.post("/estimate-price", accepts=EstimateMobileRide, returns=PartnerData[MobileRideQuoteView])
def estimate_price() -> Response:
    """Estimate the price of a ride; it is honored for 15 minutes."""
    data = read_body(EstimateMobileRide)
    token, quote = core().rides.estimate(to_trip(data, data.service_type), partner_caller())
    return reply_data(quote_view(quote, token))


@mobile_rides.post(
    "",
    idempotent=True,
    prepare=mobile_rides.preload,
    accepts=CreateMobileRide,
    returns=_Ride,
    status=201,
    raises=(Conflict,),
)
def create() -> Response:
    """Create a ride; drivers then make offers."""
    data, rides = read_body(CreateMobileRide), core().rides
    ride = to_create_ride(data, data.service_type, customer_ref=data.passenger_ref)
    return reply_ride(rides, rides.create(ride, partner_caller()), status=201)


@mobile_rides.patch(
    "/<named:mobileRide>",
    idempotent=True,
    prepare=mobile_rides.preload,
    accepts=UpdateMobileRide,
    returns=_Ride,
    raises=(Conflict,),
)
def update(mobileRide: str) -> Response:
    """Update a ride that has not ended."""
    fields, rides = read_sent_fields(UpdateMobileRide), core().rides
    return reply_ride(rides, rides.update(mobileRide, partial(to_changes, fields), partner_caller()))


def _authorize(ref: str) -> None:
    provider_ref = read_body(AcceptOffer).driver_ref
    g.authorized_offer = core().rides.authorize(ref, provider_ref, partner_caller(), claim=current_claim())


@mobile_rides.post(
    "/<ref>/accept-offer",
    idempotent=True,
    prepare=_authorize,
    accepts=AcceptOffer,
    returns=_Ride,
    raises=(Conflict, Unavailable),
)
def accept_offer(ref: str) -> Response:
    """Accept an offer: the payment is authorized, the driver is assigned, and the other offers are closed."""
    rides = core().rides
    return reply_ride(rides, rides.assign(ref, g.authorized_offer, partner_caller()))


@mobile_rides.post(
    "/<mobileRide>/decline-offer", idempotent=True, accepts=DeclineOffer, returns=_Ride, raises=(Conflict,)
)
def decline_offer(mobileRide: str) -> Response:
    """Decline an offer."""
    data, rides = read_body(DeclineOffer), core().rides
    return reply_ride(rides, rides.decline_offer(mobileRide, data.driver_ref, partner_caller()))


@mobile_rides.post(
    "/<mobileRide>/rate-driver", idempotent=True, accepts=RateRide, returns=_Ride, raises=(Conflict,)
)
def rate_driver(mobileRide: str) -> Response:
    """Rate the driver of a completed ride, once."""
    data, rides = read_body(RateRide), core().rides
    return reply_ride(rides, rides.rate(mobileRide, data, partner_caller()))


mobile_rides.add_read("/<named:mobileRide>", handlers.show, "Show a ride.", returns=_Ride)
mobile_rides.add_read(
    "/<ref>/status", handlers.status, "Show the status of a ride.", returns=PartnerData[MobileRideStatusView]
)
mobile_rides.add(
    "/<ref>/interested-drivers",
    handlers.offers,
    "List the open offers, the soonest arrival first.",
    endpoint="interested_drivers",
    returns=PartnerData[list[DriverOfferView]],
)
mobile_rides.add_shared(
    KindOfRide(
        ref="mobileRide",
        ride=MobileRideView,
        ended=MobileRideEndedView,
        summaries={
            handlers.cancel_preview: "Preview what canceling a ride would cost now.",
            handlers.cancel: "Cancel a pending ride.",
            handlers.cancel_accepted: "Cancel a ride that has a driver.",
            handlers.driver_arrived: "Mark the driver as arrived.",
            handlers.start: "Mark the work as started.",
            handlers.complete: "Complete a ride that the driver came for.",
            handlers.preview_destination: "Preview what another destination would cost, while the ride has a driver.",
            handlers.change_destination: "Change the destination of a ride at the price that was previewed.",
            handlers.list_proofs: "List the photos and signatures of a ride.",
            handlers.share_link: "Share a page where anyone can follow a ride, without an account, until it ends.",
            handlers.revoke_link: "Revoke the link to follow a ride.",
            handlers.receipt: "Show the cost of an ended ride.",
            handlers.refund: "Refund what a ride cost, in full or in part.",
            handlers.sandbox: "In test, have a driver decline, drop out, be on the way or be late.",
        },
    )
)
