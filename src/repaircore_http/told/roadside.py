"""Mobile rides and tow rides."""

from datetime import datetime
from typing import Annotated, Literal, TypedDict

from repaircore.kernel.callers import Environment
from repaircore.kernel.rules import Range
from repaircore.kernel.views import Count, Dollars
from repaircore.payments.model import PaymentState
from repaircore.providers.businesses import RideType
from repaircore.providers.drivers import Service
from repaircore.rides.lifecycles import Action
from repaircore.rides.model import CancelReason, OfferStatus, RideOutcome, Status
from repaircore_http.told.jobs import JobBilled, TimelineStep


class RideFare(TypedDict):
    """What a ride costs: base, distance and surcharge, or the minimum where that is more."""

    currency: Literal["USD"]
    distance_miles: float
    base_fare: Dollars
    distance_fare: Dollars
    surcharge: Dollars
    surcharge_reason: str | None
    minimum: Dollars
    total: Dollars


class MobileRideQuote(RideFare):
    """The price of a mobile ride; named by its ``estimate_id`` it is honored until it expires."""

    estimate_id: str
    service_type: Service
    expires_at: datetime


class TowRideQuote(RideFare):
    """The price of a tow; named by its ``estimate_id`` it is honored until it expires."""

    estimate_id: str
    ride_type: RideType
    expires_at: datetime


class _Offer(TypedDict):
    name: str
    rating: float | None
    price: Dollars
    currency: Literal["USD"]
    distance_miles: float
    eta_minutes: Count
    status: OfferStatus
    offered_at: datetime
    expires_at: datetime


class DriverOffer(_Offer):
    """A driver who would come."""

    driver_ref: str


class TowOffer(_Offer):
    """A towing business that would come; ``business_ref`` and ``tow_business_id`` both name it where it is accepted."""

    business_ref: str
    tow_business_id: int


class RidePlace(TypedDict):
    """A place on the trip."""

    latitude: float
    longitude: float
    address: str | None


class RideVehicle(TypedDict):
    """The vehicle, as it was told."""

    make: str | None
    model: str | None
    year: str | None


class RideProvider(TypedDict):
    """Who is on the way, and when they should be there."""

    ref: str
    name: str
    eta: datetime | None


class RidePayment(TypedDict):
    """What is held, was taken and was given back."""

    status: PaymentState
    amount: Dollars
    captured: Dollars
    refunded: Dollars
    currency: Literal["USD"]


class Settlement(TypedDict):
    """What an end costs, what is let go, and why."""

    currency: Literal["USD"]
    fee: Dollars
    refund: Dollars
    reason: str


class CancelPreview(Settlement):
    """What canceling would cost now; ``action`` is the way to do it."""

    ref: str
    action: Literal["cancel", "cancel_accepted"]


class _Ride(JobBilled):
    ref: str
    environment: Environment
    status: Status
    passenger_id: int
    passenger_ref: str
    pickup: RidePlace
    dropoff: RidePlace
    fare: RideFare
    vehicle: RideVehicle
    notes: str | None
    partner_reference: str | None
    session_id: str | None
    linked_ref: str | None
    outcome: RideOutcome | None
    cancel_reason: CancelReason | None
    cancel_note: str | None
    fee: Dollars | None
    payment: RidePayment | None
    allowed_actions: list[Action]
    expires_at: datetime
    accepted_at: datetime | None
    arrived_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    created_at: datetime
    updated_at: datetime


class MobileRideListed(_Ride):
    """A mobile ride without its timeline."""

    service_type: Service
    driver: RideProvider | None
    rating: Annotated[int, Range(1, 5)] | None
    comment: str | None


class MobileRide(MobileRideListed):
    """A mobile ride."""

    timeline: list[TimelineStep]


class MobileRideEnded(MobileRide):
    """A mobile ride that has ended, and what that costs."""

    settlement: Settlement


class TowRide(_Ride):
    """A tow."""

    ride_type: RideType
    reason_for_tow: str | None
    business: RideProvider | None
    timeline: list[TimelineStep]


class TowRideEnded(TowRide):
    """A tow that has ended, and what that costs."""

    settlement: Settlement


class _Standing(TypedDict):
    ref: str
    status: Status
    outcome: RideOutcome | None
    allowed_actions: list[Action]
    updated_at: datetime


class MobileRideStanding(_Standing):
    """How a mobile ride stands."""

    driver: RideProvider | None


class TowRideStanding(_Standing):
    """How a tow stands."""

    business: RideProvider | None
