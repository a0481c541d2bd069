"""Mobile rides: a driver comes to where the vehicle is."""

from functools import partial
from typing import Annotated

from attrs import evolve, frozen
from flask import Response

from repaircore.kernel.errors import Conflict, Unavailable
from repaircore.kernel.rules import Length, Range
from repaircore.providers.drivers import Service
from repaircore.rides.model import Status
from repaircore.rides.service import Rides
from repaircore.rides.views import (
    DriverOfferView,
    MobileRideEndedView,
    MobileRideListedView,
    MobileRideQuoteView,
    MobileRideStatusView,
    MobileRideView,
    offer_view,
    quote_view,
    ride_view,
)
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData, PartnerPage
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import read_body, read_query
from repaircore_http.paging import PageQuery
from repaircore_http.partner.course import (
    Note,
    RideInput,
    RideSchemas,
    TripInput,
    UpdateRide,
    acceptance,
    changes_of,
    current,
    ordered,
    read_changes,
    reading_up,
    take_their_course,
    trip_of,
)
from repaircore_http.partner.dialect import PREFIX, listed, partner, replied
from repaircore_http.routes import Routes

mobile_rides = Routes(
    "partner_mobile_rides",
    url_prefix=f"{PREFIX}/mobile-rides",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner mobile rides",
)


def _served() -> Rides:
    return core().rides


_read_up = reading_up(_served)


@frozen(kw_only=True)
class ListRides(PageQuery):
    """Which rides, and which page of them."""

    status: Status | None = None


@frozen(kw_only=True)
class EstimateMobileRide(TripInput):
    """What is to be done where."""

    service_type: Service


@frozen(kw_only=True)
class CreateMobileRide(RideInput):
    """Who needs what where, at which price, and what else the driver should know."""

    service_type: Service
    passenger_ref: Annotated[str, Length(1, 64)]


@frozen(kw_only=True)
class UpdateMobileRide(UpdateRide):
    """What is to change; the trip, the service and how the customer pays while the ride is pending."""

    service_type: Service | None = None


@frozen(kw_only=True)
class AcceptOffer:
    """Whose offer is accepted."""

    driver_ref: Annotated[str, Length(1, 64)]


@frozen(kw_only=True)
class DeclineOffer:
    """Whose offer is declined; without, that of the driver who would be there first."""

    driver_ref: Annotated[str | None, Length(1, 64)] = None


@frozen(kw_only=True)
class RateRide:
    """How the driver was."""

    rating: Annotated[int, Range(1, 5)]
    comment: Note = None


@mobile_rides.get("", safe=True, query=ListRides, returns=PartnerPage[MobileRideListedView])
def index() -> Response:
    """List the rides, the newest first, in pages."""
    asked = read_query(ListRides)
    page = _served().page(partner_caller(), status=asked.status, number=asked.page, per_page=asked.per_page)
    return listed(page, lambda one: ride_view(one.ride, one.payments))


@mobile_rides.post("/estimate-price", accepts=EstimateMobileRide, returns=PartnerData[MobileRideQuoteView])
def estimate_price() -> Response:
    """Tell what a ride would cost; the price is honored for 15 minutes."""
    asked = read_body(EstimateMobileRide)
    token, quote = _served().estimate(trip_of(asked, asked.service_type), partner_caller())
    return replied(quote_view(quote, token))


@mobile_rides.post(
    "",
    idempotent=True,
    prepare=_read_up,
    accepts=CreateMobileRide,
    returns=PartnerData[MobileRideView],
    status=201,
    raises=(Conflict,),
)
def create() -> Response:
    """Ask for a ride; drivers then offer."""
    asked = read_body(CreateMobileRide)
    order = evolve(ordered(asked, asked.service_type), customer_ref=asked.passenger_ref)
    ride = _served().create(order, partner_caller())
    return replied(current(_served(), ride), 201)


@mobile_rides.get("/<ref>/interested-drivers", safe=True, returns=PartnerData[list[DriverOfferView]])
def interested_drivers(ref: str) -> Response:
    """List the open offers, the soonest arrival first."""
    served = _served()
    return replied([offer_view(offer, served.kind) for offer in served.offers(ref, partner_caller())])


_hold, _assign = acceptance(_served)


def _hold_for(ref: str) -> None:
    _hold(ref, read_body(AcceptOffer).driver_ref)


@mobile_rides.post(
    "/<ref>/accept-offer",
    idempotent=True,
    prepare=_hold_for,
    accepts=AcceptOffer,
    returns=PartnerData[MobileRideView],
    raises=(Conflict, Unavailable),
)
def accept_offer(ref: str) -> Response:
    """Have the driver of an offer come: the money is held, the driver is assigned, the other offers are closed."""
    return _assign(ref)


@mobile_rides.patch(
    "/<named:mobileRide>",
    idempotent=True,
    prepare=_read_up,
    accepts=UpdateMobileRide,
    returns=PartnerData[MobileRideView],
    raises=(Conflict,),
)
def update(mobileRide: str) -> Response:  # noqa: N803 - the name that the address has
    """Change a ride before it ends."""
    given, served = read_changes(UpdateMobileRide), _served()
    changed = served.update(mobileRide, partial(changes_of, given, "service_type"), partner_caller())
    return replied(current(served, changed))


@mobile_rides.post(
    "/<mobileRide>/decline-offer",
    idempotent=True,
    accepts=DeclineOffer,
    returns=PartnerData[MobileRideView],
    raises=(Conflict,),
)
def decline_offer(mobileRide: str) -> Response:  # noqa: N803
    """Decline an offer."""
    ride = _served().decline_offer(mobileRide, read_body(DeclineOffer).driver_ref, partner_caller())
    return replied(current(_served(), ride))


@mobile_rides.post(
    "/<mobileRide>/rate-driver",
    idempotent=True,
    accepts=RateRide,
    returns=PartnerData[MobileRideView],
    raises=(Conflict,),
)
def rate_driver(mobileRide: str) -> Response:  # noqa: N803
    """Rate the driver of a completed ride, once."""
    asked = read_body(RateRide)
    return replied(
        current(_served(), _served().rate(mobileRide, asked.rating, asked.comment, partner_caller()))
    )


take_their_course(
    mobile_rides,
    _served,
    "mobileRide",
    RideSchemas(
        whole=PartnerData[MobileRideView],
        ended=PartnerData[MobileRideEndedView],
        status=PartnerData[MobileRideStatusView],
    ),
    status_name="ref",
)
