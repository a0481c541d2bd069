"""Tow rides: a towing business takes the vehicle somewhere."""

from functools import partial

from attrs import evolve, frozen
from flask import Response

from repaircore.kernel.errors import Conflict, Unavailable
from repaircore.kernel.ids import is_possible_id
from repaircore.providers.businesses import RideType
from repaircore.rides.service import Rides
from repaircore.rides.views import (
    TowOfferView,
    TowRideEndedView,
    TowRideQuoteView,
    TowRideStatusView,
    TowRideView,
    offer_view,
    quote_view,
)
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import read_body
from repaircore_http.partner.course import (
    Note,
    RideInput,
    RideSchemas,
    Short,
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
from repaircore_http.partner.dialect import PREFIX, partner, replied
from repaircore_http.routes import Routes

tow_rides = Routes(
    "partner_tow_rides",
    url_prefix=f"{PREFIX}/tow-rides",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner tow rides",
)


def _served() -> Rides:
    return core().tows


_read_up = reading_up(_served)


@frozen(kw_only=True)
class EstimateTow(TripInput):
    """How what is to be towed where."""

    ride_type: RideType


@frozen(kw_only=True)
class CreateTow(RideInput):
    """Whose vehicle is to be towed how and where, at which price, and what else the business should know."""

    ride_type: RideType
    passenger_id: int
    reason_for_tow: Note = None
    linked_ref: Short = None


@frozen(kw_only=True)
class UpdateTow(UpdateRide):
    """What is to change; the trip, the ride type and how the customer pays while the tow is pending."""

    ride_type: RideType | None = None
    reason_for_tow: Note = None


@tow_rides.post("/estimate-price", accepts=EstimateTow, returns=PartnerData[TowRideQuoteView])
def estimate_price() -> Response:
    """Tell what a tow would cost; the price is honored for 15 minutes."""
    asked = read_body(EstimateTow)
    token, quote = _served().estimate(trip_of(asked, asked.ride_type), partner_caller())
    return replied(quote_view(quote, token))


@tow_rides.post(
    "",
    idempotent=True,
    prepare=_read_up,
    accepts=CreateTow,
    returns=PartnerData[TowRideView],
    status=201,
    raises=(Conflict,),
)
def create() -> Response:
    """Ask for a tow; towing businesses then offer."""
    asked = read_body(CreateTow)
    order = evolve(
        ordered(asked, asked.ride_type),
        customer_id=asked.passenger_id if is_possible_id(asked.passenger_id) else 0,
        reason=asked.reason_for_tow,
        linked_ref=asked.linked_ref,
    )
    tow = _served().create(order, partner_caller())
    return replied(current(_served(), tow), 201)


@tow_rides.patch(
    "/<named:towRide>",
    idempotent=True,
    prepare=_read_up,
    accepts=UpdateTow,
    returns=PartnerData[TowRideView],
    raises=(Conflict,),
)
def update(towRide: str) -> Response:  # noqa: N803 - the name that the address has
    """Change a tow before it ends."""
    given, served = read_changes(UpdateTow), _served()
    return replied(
        current(served, served.update(towRide, partial(changes_of, given, "ride_type"), partner_caller()))
    )


@tow_rides.get("/<towRide>/business-offers", safe=True, returns=PartnerData[list[TowOfferView]])
def business_offers(towRide: str) -> Response:  # noqa: N803
    """List the open offers, the soonest arrival first."""
    served = _served()
    return replied([offer_view(offer, served.kind) for offer in served.offers(towRide, partner_caller())])


_hold, _assign = acceptance(_served)


def _hold_for(towRide: str, towBusinessId: str) -> None:  # noqa: N803
    _hold(towRide, _served().reference_of(towRide, towBusinessId, partner_caller()))


@tow_rides.post(
    "/<towRide>/business-offers/<towBusinessId>/accept",
    idempotent=True,
    prepare=_hold_for,
    returns=PartnerData[TowRideView],
    raises=(Conflict, Unavailable),
)
def accept(towRide: str, towBusinessId: str) -> Response:  # noqa: ARG001, N803 - what is accepted is held by then
    """Have the business of an offer come: the money is held, it is assigned, the other offers are closed."""
    return _assign(towRide)


take_their_course(
    tow_rides,
    _served,
    "towRide",
    RideSchemas(
        whole=PartnerData[TowRideView],
        ended=PartnerData[TowRideEndedView],
        status=PartnerData[TowRideStatusView],
    ),
)
