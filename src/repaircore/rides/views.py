"""Rides as the API and the events show them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from repaircore.kernel.events import Event
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.types import NewId
from repaircore.kernel.views import iso_utc
from repaircore.payments.model import Payment, PaymentState
from repaircore.rides.fares import Quote
from repaircore.rides.lifecycles import allowed
from repaircore.rides.model import Fare, Offer, Ride, RideKind
from repaircore.rides.settlement import Settlement
from repaircore.transactions.job_invoice import bill_told

_SERVICE = {RideKind.MOBILE: "service_type", RideKind.TOW: "ride_type"}
_PROVIDER = {RideKind.MOBILE: "driver", RideKind.TOW: "business"}


def event_of(ride: Ride, what: str, data: dict[str, Any], new_id: NewId) -> Event:
    """Make the event of what happened to a ride, which was written before."""
    return Event(
        id=reference(Kind.EVENT, new_id()),
        type=f"{ride.kind}.{what}",
        partner_id=ride.partner_id,
        environment=ride.environment,
        subject=ride.ref,
        data=data,
        created_at=ride.updated_at,
    )


def fare_told(fare: Fare) -> dict[str, Any]:
    """Tell a fare, in dollars and miles."""
    return {
        "currency": "USD",
        "distance_miles": fare.distance_miles,
        "base_fare": dollars(fare.base_fare),
        "distance_fare": dollars(fare.distance_fare),
        "surcharge": dollars(fare.surcharge),
        "surcharge_reason": fare.surcharge_reason,
        "minimum": dollars(fare.minimum),
        "total": dollars(fare.total),
    }


def quote_told(quote: Quote, estimate_id: str) -> dict[str, Any]:
    """Tell a quoted price and until when it is honored."""
    return {
        "estimate_id": estimate_id,
        _SERVICE[quote.kind]: quote.service,
        **fare_told(quote.fare),
        "expires_at": iso_utc(quote.expires_at),
    }


def offer_told(offer: Offer, kind: RideKind) -> dict[str, Any]:
    """Tell an offer, as it was seen at the moment."""
    return {
        f"{_PROVIDER[kind]}_ref": offer.provider_ref,
        **({"tow_business_id": offer.provider_id} if kind is RideKind.TOW else {}),
        "name": offer.provider_name,
        "rating": offer.rating,
        "price": dollars(offer.price),
        "currency": "USD",
        "distance_miles": offer.distance_miles,
        "eta_minutes": offer.eta_minutes,
        "status": str(offer.status),
        "offered_at": iso_utc(offer.offered_at),
        "expires_at": iso_utc(offer.expires_at),
    }


def settlement_told(settlement: Settlement) -> dict[str, Any]:
    """Tell what an end costs."""
    return {
        "currency": "USD",
        "fee": dollars(settlement.fee),
        "refund": dollars(settlement.refund),
        "reason": settlement.why,
    }


def status_told(ride: Ride) -> dict[str, Any]:
    """Tell how a ride stands, in few words."""
    return {
        "ref": ride.ref,
        "status": str(ride.status),
        "outcome": None if ride.outcome is None else str(ride.outcome),
        _PROVIDER[ride.kind]: _provider(ride),
        "allowed_actions": allowed(ride),
        "updated_at": iso_utc(ride.updated_at),
    }


def ride_told(ride: Ride, payments: Sequence[Payment] = ()) -> dict[str, Any]:
    """Tell the whole of a ride but its timeline."""
    return {
        "ref": ride.ref,
        "environment": str(ride.environment),
        "status": str(ride.status),
        _SERVICE[ride.kind]: ride.service,
        "passenger_id": ride.customer_id,
        "passenger_ref": ride.customer_ref,
        "pickup": _place(ride.pickup.latitude, ride.pickup.longitude, ride.pickup_address),
        "dropoff": _place(ride.dropoff.latitude, ride.dropoff.longitude, ride.dropoff_address),
        "fare": fare_told(ride.fare),
        "vehicle": {"make": ride.vehicle.make, "model": ride.vehicle.model, "year": ride.vehicle.year},
        **({"reason_for_tow": ride.reason} if ride.kind is RideKind.TOW else {}),
        "notes": ride.notes,
        "partner_reference": ride.partner_reference,
        "session_id": ride.session_id,
        "linked_ref": ride.linked_ref,
        _PROVIDER[ride.kind]: _provider(ride),
        "outcome": None if ride.outcome is None else str(ride.outcome),
        "cancel_reason": None if ride.cancel_reason is None else str(ride.cancel_reason),
        "cancel_note": ride.cancel_note,
        "fee": dollars_or_none(ride.fee),
        "payment": _payment(payments),
        **bill_told(ride.bill),
        **({"rating": ride.rating, "comment": ride.comment} if ride.kind is RideKind.MOBILE else {}),
        "allowed_actions": allowed(ride),
        "expires_at": iso_utc(ride.expires_at),
        "accepted_at": _moment(ride.accepted_at),
        "arrived_at": _moment(ride.arrived_at),
        "started_at": _moment(ride.started_at),
        "ended_at": _moment(ride.ended_at),
        "created_at": iso_utc(ride.created_at),
        "updated_at": iso_utc(ride.updated_at),
    }


def _place(latitude: float, longitude: float, address: str | None) -> dict[str, Any]:
    return {"latitude": latitude, "longitude": longitude, "address": address}


def _provider(ride: Ride) -> dict[str, Any] | None:
    if ride.provider_ref is None:
        return None
    return {"ref": ride.provider_ref, "name": ride.provider_name, "eta": _moment(ride.eta_at)}


def _payment(payments: Sequence[Payment]) -> dict[str, Any] | None:
    """Tell the newest payment that was not declined, else the newest one."""
    told = [payment for payment in payments if payment.state is not PaymentState.DECLINED] or [*payments]
    if not told:
        return None
    payment = told[-1]
    return {
        "status": str(payment.state),
        "amount": dollars(payment.amount),
        "captured": dollars(payment.captured),
        "refunded": dollars(payment.refunded),
        "currency": payment.currency,
    }


def _moment(at: datetime | None) -> str | None:
    return None if at is None else iso_utc(at)
