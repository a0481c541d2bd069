"""Rides and their offers as clients see them over HTTP, at the command line and in events."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.rules import Range
from repaircore.kernel.timeline import Step, TimelineStep, timeline_view
from repaircore.kernel.views import Count, Dollars, view
from repaircore.payments.model import ACTIVE, Payment, PaymentState
from repaircore.providers.businesses import RideType
from repaircore.providers.drivers import Service
from repaircore.rides.fare_views import RideFareView
from repaircore.rides.lifecycles import COMPLETING, Action, allowed
from repaircore.rides.model import (
    UNDER_WAY,
    CancelReason,
    DispatchStatus,
    Offer,
    OfferStatus,
    Position,
    ProviderCard,
    Ride,
    RideKind,
    RideOutcome,
    Status,
    Vehicle,
)
from repaircore.rides.settlement import Settlement, SettlementView
from repaircore.transactions.views import JobBilledView, JobEstimatedView, JobInvoicedView

_HELD: Final = ACTIVE - {PaymentState.AUTHORIZING}
"""The states in which a payment holds, or has moved, the customer's money."""

_ENDS: Final = frozenset({*COMPLETING.values(), Action.CANCEL_ACCEPTED, Action.CALL_OFF})
"""The actions that end a ride with a payment; they are also the reason stored with the payments they release."""


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
    """A driver's offer."""

    driver_ref: str


@view
class TowOfferView(OfferView):
    """A towing business's offer; accept it with its ``business_ref`` or its ``tow_business_id``."""

    business_ref: str
    tow_business_id: int


@view
class RidePlaceView:
    """The place of a pickup or dropoff, with its address if known."""

    latitude: float
    longitude: float
    address: str | None


@view
class RideVehicleView:
    """The vehicle as the partner described it."""

    make: str | None
    model: str | None
    year: str | None
    vin: str | None
    plate: str | None
    color: str | None

    @classmethod
    def of(cls, vehicle: Vehicle) -> Self:
        """Return the view of a vehicle."""
        return cls(
            make=vehicle.make,
            model=vehicle.model,
            year=vehicle.year,
            vin=vehicle.vin,
            plate=vehicle.plate,
            color=vehicle.color,
        )


@view
class RidePositionView:
    """The last known position of the provider on the way, and when it was reported."""

    latitude: float
    longitude: float
    at: datetime

    @classmethod
    def of(cls, position: Position | None) -> Self | None:
        """Return the view of a position, or None if there is none."""
        if position is None:
            return None
        return cls(latitude=position.latitude, longitude=position.longitude, at=position.at)


@view
class DispatchView:
    """The status of the search for a provider for a pending ride."""

    status: DispatchStatus

    @classmethod
    def of(cls, ride: Ride) -> Self | None:
        """Return the view of a ride's search, or None if the ride is not pending or has no search status."""
        if ride.status is not Status.PENDING or ride.dispatch is None:
            return None
        return cls(status=ride.dispatch)


@view
class RideProviderView:
    """The accepted provider: vehicle, position, expected arrival, and the phone number while the ride is under way."""

    ref: str
    name: str
    phone: str | None
    vehicle: str | None
    plate: str | None
    eta: datetime | None
    en_route_at: datetime | None
    position: RidePositionView | None

    @classmethod
    def of(cls, ride: Ride) -> Self | None:
        """Return the view of a ride's provider, or None if it has none."""
        if ride.provider_ref is None:
            return None
        card = ride.provider_card or ProviderCard()
        return cls(
            ref=ride.provider_ref,
            name=ride.provider_name or ride.provider_ref,
            phone=card.phones.shown(card.phone) if ride.status in UNDER_WAY else None,
            vehicle=card.vehicle,
            plate=card.plate,
            eta=ride.eta_at,
            en_route_at=ride.en_route_at,
            position=RidePositionView.of(ride.position),
        )


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
        """Return the view of the newest payment that was not declined, else of the newest one, or None if none exists.

        Amounts that were added for a changed destination are included, even if the end of the ride released them.
        """
        first = [payment for payment in payments if not payment.part]
        candidates = [payment for payment in first if payment.state is not PaymentState.DECLINED] or first
        if not candidates:
            return None
        payment = candidates[-1]
        later = payments[payments.index(payment) :]
        added = [each for each in later if each.part and _is_or_was_held(each)]
        return cls(
            status=payment.state,
            amount=dollars(payment.amount + sum(each.amount for each in added)),
            captured=dollars(payment.captured + sum(each.captured for each in added)),
            refunded=dollars(payment.refunded + sum(each.refunded for each in added)),
        )


def _is_or_was_held(payment: Payment) -> bool:
    """Return whether a payment was held until the ride ended, or is still held."""
    return payment.state in _HELD or payment.is_lapsed or payment.reason in _ENDS


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
    price: Dollars
    scheduled_for: datetime | None
    vehicle: RideVehicleView
    notes: str | None
    partner_reference: str | None
    metadata: Mapping[str, str]
    session_id: str | None
    linked_ref: str | None
    outcome: RideOutcome | None
    cancel_reason: CancelReason | None
    cancel_note: str | None
    fee: Dollars | None
    payment: RidePaymentView | None
    dispatch: DispatchView | None
    allowed_actions: list[Action]
    expires_at: datetime
    destination_changed_at: datetime | None
    accepted_at: datetime | None
    arrived_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    created_at: datetime
    rating: Annotated[int, Range(1, 5)] | None
    comment: str | None
    updated_at: datetime


@view
class MobileRideListedView(RideView):
    """A mobile ride without its timeline."""

    service_type: Service
    driver: RideProviderView | None


@view
class MobileRideView(MobileRideListedView):
    """A mobile ride with its timeline."""

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
    """A tow ride with its timeline."""

    timeline: list[TimelineStep]


@view
class TowRideEndedView(TowRideView):
    """A tow ride that has ended, with its settlement."""

    settlement: SettlementView


@view
class RideStatusView:
    """The status of a ride, and the actions that it allows."""

    ref: str
    status: Status
    outcome: RideOutcome | None
    dispatch: DispatchView | None
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


AnyOfferView: TypeAlias = DriverOfferView | TowOfferView
AnyStatusView: TypeAlias = MobileRideStatusView | TowRideStatusView


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
        "dispatch": DispatchView.of(ride),
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
    """Return the view of a ride, with its timeline and settlement if given."""
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


def _ride_fields(ride: Ride, payments: Sequence[Payment]) -> dict[str, Any]:
    """Return the fields of a ride's view, including those of its kind."""
    bill, provider = ride.bill, RideProviderView.of(ride)
    kind = (
        {
            "service_type": Service(ride.service),
            "driver": provider,
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
        "price": dollars(ride.agreed_price),
        "scheduled_for": ride.scheduled_for,
        "vehicle": RideVehicleView.of(ride.vehicle),
        "notes": ride.notes,
        "partner_reference": ride.partner_reference,
        "metadata": ride.metadata or {},
        "session_id": ride.session_id,
        "linked_ref": ride.linked_ref,
        "outcome": ride.outcome,
        "cancel_reason": ride.cancel_reason,
        "cancel_note": ride.cancel_note,
        "fee": dollars_or_none(ride.fee),
        "payment": RidePaymentView.of(payments),
        "dispatch": DispatchView.of(ride),
        "allowed_actions": allowed(ride),
        "expires_at": ride.expires_at,
        "destination_changed_at": ride.destination_changed_at,
        "accepted_at": ride.accepted_at,
        "arrived_at": ride.arrived_at,
        "started_at": ride.started_at,
        "ended_at": ride.ended_at,
        "created_at": ride.created_at,
        "rating": ride.rating,
        "comment": ride.comment,
        "updated_at": ride.updated_at,
        **kind,
    }
