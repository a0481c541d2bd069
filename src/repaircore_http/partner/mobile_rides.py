"""Mobile rides: a driver comes to where the vehicle is."""

from functools import partial
from typing import Annotated

from attrs import frozen
from flask import Response, g

from repaircore.kernel.errors import Conflict, Unavailable
from repaircore.kernel.rules import Length
from repaircore.providers.drivers import Service
from repaircore.rides.model import Status
from repaircore.rides.progress import CancelRide, RateRide
from repaircore.rides.views import (
    CancelPreviewView,
    DriverOfferView,
    MobileRideEndedView,
    MobileRideListedView,
    MobileRideQuoteView,
    MobileRideStatusView,
    MobileRideView,
    cancel_preview_view,
    offer_view,
    quote_view,
    ride_view,
    status_view,
)
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData, PartnerPage
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.idempotency import current_claim
from repaircore_http.json_io import read_body, read_query
from repaircore_http.paging import PageQuery
from repaircore_http.partner.dialect import PREFIX, partner, reply_data, reply_page
from repaircore_http.partner.invoices import to_job_invoice
from repaircore_http.partner.rides import (
    CompleteRide,
    PreviewCancellation,
    RideInput,
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

mobile_rides = Routes(
    "partner_mobile_rides",
    url_prefix=f"{PREFIX}/mobile-rides",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner mobile rides",
)


@frozen(kw_only=True)
class ListRides(PageQuery):
    """The status of the rides, and the page."""

    status: Status | None = None


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
    """The fields to change; the trip, the service and the payment method only while the ride is pending."""

    service_type: Service | None = None


@frozen(kw_only=True)
class AcceptOffer:
    """The driver whose offer is accepted."""

    driver_ref: Annotated[str, Length(1, 64)]


@frozen(kw_only=True)
class DeclineOffer:
    """The driver whose offer is declined; by default the one with the soonest arrival."""

    driver_ref: Annotated[str | None, Length(1, 64)] = None


@mobile_rides.get("", safe=True, query=ListRides, returns=PartnerPage[MobileRideListedView])
def index() -> Response:
    """List the rides, newest first."""
    query = read_query(ListRides)
    page = core().rides.list_page(
        partner_caller(), status=query.status, number=query.page, per_page=query.per_page
    )
    return reply_page(page, lambda listed: ride_view(listed.ride, listed.payments))


@mobile_rides.post("/estimate-price", accepts=EstimateMobileRide, returns=PartnerData[MobileRideQuoteView])
def estimate_price() -> Response:
    """Estimate the price of a ride; it is honored for 15 minutes."""
    data = read_body(EstimateMobileRide)
    token, quote = core().rides.estimate(to_trip(data, data.service_type), partner_caller())
    return reply_data(quote_view(quote, token))


def _preload(**_path: str) -> None:
    core().rides.preload()


@mobile_rides.post(
    "",
    idempotent=True,
    prepare=_preload,
    accepts=CreateMobileRide,
    returns=PartnerData[MobileRideView],
    status=201,
    raises=(Conflict,),
)
def create() -> Response:
    """Create a ride; drivers then make offers."""
    data, rides = read_body(CreateMobileRide), core().rides
    ride = to_create_ride(data, data.service_type, customer_ref=data.passenger_ref)
    return reply_ride(rides, rides.create(ride, partner_caller()), status=201)


@mobile_rides.get("/<named:mobileRide>", safe=True, returns=PartnerData[MobileRideView])
def show(mobileRide: str) -> Response:
    """Show a ride."""
    return reply_detail(core().rides.get(mobileRide, partner_caller()))


@mobile_rides.get("/<ref>/status", safe=True, returns=PartnerData[MobileRideStatusView])
def status(ref: str) -> Response:
    """Show the status of a ride."""
    return reply_data(status_view(core().rides.get(ref, partner_caller()).ride))


@mobile_rides.patch(
    "/<named:mobileRide>",
    idempotent=True,
    prepare=_preload,
    accepts=UpdateMobileRide,
    returns=PartnerData[MobileRideView],
    raises=(Conflict,),
)
def update(mobileRide: str) -> Response:
    """Update a ride that has not ended."""
    fields, rides = read_sent_fields(UpdateMobileRide), core().rides
    return reply_ride(rides, rides.update(mobileRide, partial(to_changes, fields), partner_caller()))


@mobile_rides.get("/<ref>/interested-drivers", safe=True, returns=PartnerData[list[DriverOfferView]])
def interested_drivers(ref: str) -> Response:
    """List the open offers, the soonest arrival first."""
    rides = core().rides
    offers = rides.list_acceptable_offers(ref, partner_caller())
    return reply_data([offer_view(offer, rides.kind) for offer in offers])


def _authorize(ref: str) -> None:
    provider_ref = read_body(AcceptOffer).driver_ref
    g.authorized_offer = core().rides.authorize(ref, provider_ref, partner_caller(), claim=current_claim())


@mobile_rides.post(
    "/<ref>/accept-offer",
    idempotent=True,
    prepare=_authorize,
    accepts=AcceptOffer,
    returns=PartnerData[MobileRideView],
    raises=(Conflict, Unavailable),
)
def accept_offer(ref: str) -> Response:
    """Accept an offer: the payment is authorized, the driver is assigned, the other offers are closed."""
    rides = core().rides
    return reply_ride(rides, rides.assign(ref, g.authorized_offer, partner_caller()))


@mobile_rides.post(
    "/<mobileRide>/decline-offer",
    idempotent=True,
    accepts=DeclineOffer,
    returns=PartnerData[MobileRideView],
    raises=(Conflict,),
)
def decline_offer(mobileRide: str) -> Response:
    """Decline an offer."""
    data, rides = read_body(DeclineOffer), core().rides
    return reply_ride(rides, rides.decline_offer(mobileRide, data.driver_ref, partner_caller()))


@mobile_rides.post(
    "/<mobileRide>/cancel",
    idempotent=True,
    accepts=CancelRide,
    returns=PartnerData[MobileRideView],
    raises=(Conflict,),
)
def cancel(mobileRide: str) -> Response:
    """Cancel a pending ride."""
    data, rides = read_body(CancelRide), core().rides
    return reply_ride(rides, rides.cancel(mobileRide, partner_caller(), data))


@mobile_rides.patch(
    "/<mobileRide>/cancel-accepted",
    idempotent=True,
    accepts=CancelRide,
    returns=PartnerData[MobileRideEndedView],
    raises=(Conflict,),
)
def cancel_accepted(mobileRide: str) -> Response:
    """Cancel a ride that has a driver."""
    data, rides = read_body(CancelRide), core().rides
    ride, settlement = rides.cancel_accepted(mobileRide, partner_caller(), data)
    return reply_ride(rides, ride, settlement=settlement)


@mobile_rides.get(
    "/<mobileRide>/cancel-preview",
    safe=True,
    query=PreviewCancellation,
    returns=PartnerData[CancelPreviewView],
    raises=(Conflict,),
)
def cancel_preview(mobileRide: str) -> Response:
    """Preview what canceling a ride would cost now."""
    query = read_query(PreviewCancellation)
    action, settlement = core().rides.preview_cancellation(mobileRide, partner_caller(), reason=query.reason)
    return reply_data(cancel_preview_view(mobileRide, action, settlement))


@mobile_rides.post(
    "/<mobileRide>/driver-arrived", idempotent=True, returns=PartnerData[MobileRideView], raises=(Conflict,)
)
def driver_arrived(mobileRide: str) -> Response:
    """Mark the driver as arrived."""
    rides = core().rides
    return reply_ride(rides, rides.arrive(mobileRide, partner_caller()))


@mobile_rides.post(
    "/<mobileRide>/start", idempotent=True, returns=PartnerData[MobileRideView], raises=(Conflict,)
)
def start(mobileRide: str) -> Response:
    """Mark the work as started."""
    rides = core().rides
    return reply_ride(rides, rides.start(mobileRide, partner_caller()))


@mobile_rides.post(
    "/<mobileRide>/complete",
    idempotent=True,
    accepts=CompleteRide,
    returns=PartnerData[MobileRideEndedView],
    raises=(Conflict,),
)
def complete(mobileRide: str) -> Response:
    """Complete a ride that the driver came for."""
    data, rides = read_body(CompleteRide), core().rides
    ride, settlement = rides.complete(
        mobileRide, partner_caller(), outcome=data.outcome, invoice=to_job_invoice(data.invoice)
    )
    return reply_ride(rides, ride, settlement=settlement)


@mobile_rides.post(
    "/<mobileRide>/rate-driver",
    idempotent=True,
    accepts=RateRide,
    returns=PartnerData[MobileRideView],
    raises=(Conflict,),
)
def rate_driver(mobileRide: str) -> Response:
    """Rate the driver of a completed ride, once."""
    data, rides = read_body(RateRide), core().rides
    return reply_ride(rides, rides.rate(mobileRide, data, partner_caller()))
