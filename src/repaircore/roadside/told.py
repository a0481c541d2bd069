"""Jobs as the API and the events show them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from repaircore.kernel.moments import zulu
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.payments.model import Payment, PaymentState
from repaircore.roadside.ending import Settlement
from repaircore.roadside.lifecycles import JOBS, Action
from repaircore.roadside.model import Fare, Job, JobKind, Offer, OfferStatus
from repaircore.roadside.quoting import Quote

__all__ = ["allowed", "fare_told", "job_told", "offer_told", "quote_told", "settlement_told", "status_told"]

_SERVICE = {JobKind.RIDE: "service_type", JobKind.TOW: "ride_type"}
_PROVIDER = {JobKind.RIDE: "driver", JobKind.TOW: "business"}
_OURS = {Action.EXPIRE, Action.DROP_OUT}
"""What happens to a job without the partner: it is not told as allowed."""


def allowed(job: Job) -> list[str]:
    """List what the partner may do with a job, in wire words."""
    actions = [action for action in JOBS[job.kind].allowed(job.status) if action not in _OURS]
    if job.rating is not None:
        actions = [action for action in actions if action is not Action.RATE]
    if job.kind is JobKind.TOW:
        actions = [action for action in actions if action is not Action.DECLINE_OFFER]
    return [str(action) for action in actions]


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
        "expires_at": zulu(quote.expires_at),
    }


def offer_told(offer: Offer, kind: JobKind, *, at: datetime) -> dict[str, Any]:
    """Tell an offer; one that nobody decided in time is expired."""
    is_over = offer.status is OfferStatus.OFFERED and at >= offer.expires_at
    return {
        f"{_PROVIDER[kind]}_ref": offer.provider_ref,
        **({"tow_business_id": offer.provider_id} if kind is JobKind.TOW else {}),
        "name": offer.provider_name,
        "rating": offer.rating,
        "price": dollars(offer.price),
        "currency": "USD",
        "distance_miles": offer.distance_miles,
        "eta_minutes": offer.eta_minutes,
        "status": str(OfferStatus.EXPIRED if is_over else offer.status),
        "offered_at": zulu(offer.offered_at),
        "expires_at": zulu(offer.expires_at),
    }


def settlement_told(settlement: Settlement) -> dict[str, Any]:
    """Tell what an end costs."""
    return {
        "currency": "USD",
        "fee": dollars(settlement.fee),
        "refund": dollars(settlement.refund),
        "reason": settlement.why,
    }


def status_told(job: Job) -> dict[str, Any]:
    """Tell how a job stands, in few words."""
    return {
        "ref": job.ref,
        "status": str(job.status),
        "outcome": None if job.outcome is None else str(job.outcome),
        _PROVIDER[job.kind]: _provider(job),
        "allowed_actions": allowed(job),
        "updated_at": zulu(job.updated_at),
    }


def job_told(job: Job, payments: Sequence[Payment] = ()) -> dict[str, Any]:
    """Tell the whole of a job but its timeline."""
    return {
        "ref": job.ref,
        "environment": str(job.environment),
        "status": str(job.status),
        _SERVICE[job.kind]: job.service,
        "passenger_id": job.customer_id,
        "passenger_ref": job.customer_ref,
        "pickup": _place(job.pickup.latitude, job.pickup.longitude, job.pickup_address),
        "dropoff": _place(job.dropoff.latitude, job.dropoff.longitude, job.dropoff_address),
        "fare": fare_told(job.fare),
        "vehicle": {"make": job.vehicle.make, "model": job.vehicle.model, "year": job.vehicle.year},
        **({"reason_for_tow": job.reason} if job.kind is JobKind.TOW else {}),
        "notes": job.notes,
        "partner_reference": job.partner_reference,
        "session_id": job.session_id,
        "linked_ref": job.linked_ref,
        _PROVIDER[job.kind]: _provider(job),
        "outcome": None if job.outcome is None else str(job.outcome),
        "cancel_reason": None if job.cancel_reason is None else str(job.cancel_reason),
        "cancel_note": job.cancel_note,
        "fee": dollars_or_none(job.fee),
        "payment": _payment(payments),
        **({"rating": job.rating, "comment": job.comment} if job.kind is JobKind.RIDE else {}),
        "allowed_actions": allowed(job),
        "expires_at": zulu(job.expires_at),
        "accepted_at": _moment(job.accepted_at),
        "arrived_at": _moment(job.arrived_at),
        "started_at": _moment(job.started_at),
        "ended_at": _moment(job.ended_at),
        "created_at": zulu(job.created_at),
        "updated_at": zulu(job.updated_at),
    }


def _place(latitude: float, longitude: float, address: str | None) -> dict[str, Any]:
    return {"latitude": latitude, "longitude": longitude, "address": address}


def _provider(job: Job) -> dict[str, Any] | None:
    if job.provider_ref is None:
        return None
    return {"ref": job.provider_ref, "name": job.provider_name, "eta": _moment(job.eta_at)}


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
    return None if at is None else zulu(at)
