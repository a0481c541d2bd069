"""Rides, their offers and prices as clients see them, over HTTP, at the command line and in events."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.rules import Range
from repaircore.kernel.timeline import Step, TimelineStep, timeline_view
from repaircore.kernel.views import Count, Dollars, view
from repaircore.payments.model import Payment, PaymentState
from repaircore.providers.businesses import RideType
from repaircore.providers.drivers import Service
from repaircore.rides.fares import Quote
from repaircore.rides.lifecycles import Action, allowed
from repaircore.rides.model import (
    CancelReason,
    Fare,
    Offer,
    OfferStatus,
    Ride,
    RideKind,
    RideOutcome,
    Status,
    Vehicle,
)
from repaircore.rides.settlement import Settlement
from repaircore.transactions.views import JobBilledView, JobEstimatedView, JobInvoicedView


@view
class RideFareView:
    """The price of a ride: base, distance and surcharge, or the minimum where that is more."""

    currency: Literal["USD"] = "USD"
    distance_miles: float
    base_fare: Dollars
    distance_fare: Dollars
    surcharge: Dollars
    surcharge_reason: str | None
    minimum: Dollars
    total: Dollars

    @classmethod
    def of(cls, fare: Fare) -> Self:
        """Return the view of a fare."""
        return cls(**_fare_fields(fare))


@view
class MobileRideQuoteView(RideFareView):
    """The price of a mobile ride, honored until it expires for rides created with its ``estimate_id``."""

    estimate_id: str
    service_type: Service
    expires_at: datetime


@view
class TowRideQuoteView(RideFareView):
    """The price of a tow ride, honored until it expires for rides created with its ``estimate_id``."""

    estimate_id: str
    ride_type: RideType
    expires_at: datetime


@view
class OfferView:
    """An offer and its current status."""

    name: str
    rating: float | None
    price: Dollars
    currency: Literal["USD"] = "USD"
    distance_miles: float
    eta_minutes: Count
    status: OfferStatus
    offered_at: datetime
    expires_at: datetime


@view
class DriverOfferView(OfferView):
    """The offer of a driver."""

    driver_ref: str


@view
class TowOfferView(OfferView):
    """The offer of a towing business; it is accepted by ``business_ref`` or by ``tow_business_id``."""

    business_ref: str
    tow_business_id: int


@view
class RidePlaceView:
    """The pickup or the dropoff."""

    latitude: float
    longitude: float
    address: str | None


@view
class RideVehicleView:
    """The vehicle, as the partner described it."""

    make: str | None
    model: str | None
    year: str | None

    @classmethod
    def of(cls, vehicle: Vehicle) -> Self:
        """Return the view of a vehicle."""
        return cls(make=vehicle.make, model=vehicle.model, year=vehicle.year)


@view
class RideProviderView:
    """The accepted provider, and when they should arrive."""

    ref: str
    name: str
    eta: datetime | None

    @classmethod
    def of(cls, ride: Ride) -> Self | None:
        """Return the provider of a ride; None while it has none."""
        if ride.provider_ref is None:
            return None
        return cls(ref=ride.provider_ref, name=ride.provider_name or ride.provider_ref, eta=ride.eta_at)


@view
class RidePaymentView:
    """The payment: how much is authorized, captured and refunded."""

    status: PaymentState
    amount: Dollars
    captured: Dollars
    refunded: Dollars
    currency: Literal["USD"] = "USD"

    @classmethod
    def of(cls, payments: Sequence[Payment]) -> Self | None:
        """Return the newest payment that was not declined, else the newest one; None without payments."""
        candidates = [payment for payment in payments if payment.state is not PaymentState.DECLINED] or [
            *payments
        ]
        if not candidates:
            return None
        payment = candidates[-1]
        return cls(
            status=payment.state,
            amount=dollars(payment.amount),
            captured=dollars(payment.captured),
            refunded=dollars(payment.refunded),
        )


@view
class SettlementView:
    """The fee that the end of a ride costs, the rest that is released, and why."""

    currency: Literal["USD"] = "USD"
    fee: Dollars
    refund: Dollars
    reason: str

    @classmethod
    def of(cls, settlement: Settlement) -> Self:
        """Return the view of a settlement."""
        return cls(fee=dollars(settlement.fee), refund=dollars(settlement.refund), reason=settlement.reason)


@view
class CancelPreviewView(SettlementView):
    """What canceling would cost now, and the action to cancel with."""

    ref: str
    action: Literal["cancel", "cancel_accepted"]


@view
class RideView(JobBilledView):
    """The fields that mobile rides and tow rides share."""

    ref: str
    environment: Environment
    status: Status
    passenger_id: int
    passenger_ref: str
    pickup: RidePlaceView
    dropoff: RidePlaceView
    fare: RideFareView
    vehicle: RideVehicleView
    notes: str | None
    partner_reference: str | None
    session_id: str | None
    linked_ref: str | None
    outcome: RideOutcome | None
    cancel_reason: CancelReason | None
    cancel_note: str | None
    fee: Dollars | None
    payment: RidePaymentView | None
    allowed_actions: list[Action]
    expires_at: datetime
    accepted_at: datetime | None
    arrived_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    created_at: datetime
    updated_at: datetime


@view
class MobileRideListedView(RideView):
    """A mobile ride without its timeline."""

    service_type: Service
    driver: RideProviderView | None
    rating: Annotated[int, Range(1, 5)] | None
    comment: str | None


@view
class MobileRideView(MobileRideListedView):
    """A mobile ride."""

    timeline: list[TimelineStep]


@view
class MobileRideEndedView(MobileRideView):
    """A mobile ride that has ended, with its settlement."""

    settlement: SettlementView


@view
class TowRideListedView(RideView):
    """A tow ride without its timeline."""

    ride_type: RideType
    reason_for_tow: str | None
    business: RideProviderView | None


@view
class TowRideView(TowRideListedView):
    """A tow ride."""

    timeline: list[TimelineStep]


@view
class TowRideEndedView(TowRideView):
    """A tow ride that has ended, with its settlement."""

    settlement: SettlementView


@view
class RideStatusView:
    """The status of a ride, and what it allows."""

    ref: str
    status: Status
    outcome: RideOutcome | None
    allowed_actions: list[Action]
    updated_at: datetime


@view
class MobileRideStatusView(RideStatusView):
    """The status of a mobile ride."""

    driver: RideProviderView | None


@view
class TowRideStatusView(RideStatusView):
    """The status of a tow ride."""

    business: RideProviderView | None


def cancel_preview_view(ref: str, action: Action, settlement: Settlement) -> CancelPreviewView:
    """Return the view of what canceling would cost."""
    return CancelPreviewView(
        ref=ref,
        action="cancel" if action is Action.CANCEL else "cancel_accepted",
        fee=dollars(settlement.fee),
        refund=dollars(settlement.refund),
        reason=settlement.reason,
    )


AnyQuoteView: TypeAlias = MobileRideQuoteView | TowRideQuoteView
AnyOfferView: TypeAlias = DriverOfferView | TowOfferView
AnyStatusView: TypeAlias = MobileRideStatusView | TowRideStatusView


def quote_view(quote: Quote, estimate_id: str) -> AnyQuoteView:
    """Return the view of a quote with its token."""
    fields: dict[str, Any] = {
        **_fare_fields(quote.fare),
        "estimate_id": estimate_id,
        "expires_at": quote.expires_at,
    }
    if quote.kind is RideKind.MOBILE:
        return MobileRideQuoteView(**fields, service_type=Service(quote.service))
    return TowRideQuoteView(**fields, ride_type=RideType(quote.service))


def offer_view(offer: Offer, kind: RideKind) -> AnyOfferView:
    """Return the view of an offer."""
    fields: dict[str, Any] = {
        "name": offer.provider_name,
        "rating": offer.rating,
        "price": dollars(offer.price),
        "distance_miles": offer.distance_miles,
        "eta_minutes": offer.eta_minutes,
        "status": offer.status,
        "offered_at": offer.offered_at,
        "expires_at": offer.expires_at,
    }
    if kind is RideKind.MOBILE:
        return DriverOfferView(**fields, driver_ref=offer.provider_ref)
    return TowOfferView(**fields, business_ref=offer.provider_ref, tow_business_id=offer.provider_id)


def status_view(ride: Ride) -> AnyStatusView:
    """Return the view of a ride's status."""
    fields: dict[str, Any] = {
        "ref": ride.ref,
        "status": ride.status,
        "outcome": ride.outcome,
        "allowed_actions": allowed(ride),
        "updated_at": ride.updated_at,
    }
    provider = RideProviderView.of(ride)
    if ride.kind is RideKind.MOBILE:
        return MobileRideStatusView(**fields, driver=provider)
    return TowRideStatusView(**fields, business=provider)


def ride_view(
    ride: Ride,
    payments: Sequence[Payment] = (),
    *,
    steps: Sequence[Step] | None = None,
    settlement: Settlement | None = None,
) -> RideView:
    """Return the view of a ride: with its timeline where ``steps`` are given, and with its settlement."""
    listed, whole, ended = _VIEWS[ride.kind]
    fields = _ride_fields(ride, payments)
    if steps is None:
        return listed(**fields)
    fields["timeline"] = timeline_view(steps)
    if settlement is None:
        return whole(**fields)
    return ended(**fields, settlement=SettlementView.of(settlement))


_VIEWS: Final[Mapping[RideKind, tuple[Callable[..., RideView], ...]]] = {
    RideKind.MOBILE: (MobileRideListedView, MobileRideView, MobileRideEndedView),
    RideKind.TOW: (TowRideListedView, TowRideView, TowRideEndedView),
}


def _fare_fields(fare: Fare) -> dict[str, Any]:
    return {
        "distance_miles": fare.distance_miles,
        "base_fare": dollars(fare.base_fare),
        "distance_fare": dollars(fare.distance_fare),
        "surcharge": dollars(fare.surcharge),
        "surcharge_reason": fare.surcharge_reason,
        "minimum": dollars(fare.minimum),
        "total": dollars(fare.total),
    }


def _ride_fields(ride: Ride, payments: Sequence[Payment]) -> dict[str, Any]:
    """Return the fields of a ride's view, those of its kind included."""
    bill, provider = ride.bill, RideProviderView.of(ride)
    kind = (
        {
            "service_type": Service(ride.service),
            "driver": provider,
            "rating": ride.rating,
            "comment": ride.comment,
        }
        if ride.kind is RideKind.MOBILE
        else {"ride_type": RideType(ride.service), "business": provider, "reason_for_tow": ride.reason}
    )
    return {
        "transaction_id": None if bill is None else bill.transaction_id,
        "invoice": JobInvoicedView.of(bill),
        "estimate": JobEstimatedView.of(None if bill is None else bill.estimate),
        "ref": ride.ref,
        "environment": ride.environment,
        "status": ride.status,
        "passenger_id": ride.customer_id,
        "passenger_ref": ride.customer_ref,
        "pickup": RidePlaceView(
            latitude=ride.pickup.latitude, longitude=ride.pickup.longitude, address=ride.pickup_address
        ),
        "dropoff": RidePlaceView(
            latitude=ride.dropoff.latitude, longitude=ride.dropoff.longitude, address=ride.dropoff_address
        ),
        "fare": RideFareView.of(ride.fare),
        "vehicle": RideVehicleView.of(ride.vehicle),
        "notes": ride.notes,
        "partner_reference": ride.partner_reference,
        "session_id": ride.session_id,
        "linked_ref": ride.linked_ref,
        "outcome": ride.outcome,
        "cancel_reason": ride.cancel_reason,
        "cancel_note": ride.cancel_note,
        "fee": dollars_or_none(ride.fee),
        "payment": RidePaymentView.of(payments),
        "allowed_actions": allowed(ride),
        "expires_at": ride.expires_at,
        "accepted_at": ride.accepted_at,
        "arrived_at": ride.arrived_at,
        "started_at": ride.started_at,
        "ended_at": ride.ended_at,
        "created_at": ride.created_at,
        "updated_at": ride.updated_at,
        **kind,
    }
