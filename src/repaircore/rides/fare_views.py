"""Ride prices as clients see them over HTTP, at the command line and in events: fares, quotes and receipts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, Self, TypeAlias

from repaircore.kernel.errors import Conflict
from repaircore.kernel.money import cents, dollars
from repaircore.kernel.timeline import Step
from repaircore.kernel.views import Dollars, view
from repaircore.payments.model import Payment
from repaircore.providers.businesses import RideType
from repaircore.providers.drivers import Service
from repaircore.rides.fares import Quote
from repaircore.rides.lifecycles import Action, allowed
from repaircore.rides.model import Fare, PreviousTrip, Ride, RideDetail, RideKind, RideOutcome
from repaircore.rides.settlement import fee_reason


@view
class RideFareView:
    """The price of a ride: base fare, distance fare and surcharge, or the minimum if that is more."""

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
    """The price of a mobile ride; creating the ride with ``estimate_id`` before ``expires_at`` secures it."""

    estimate_id: str
    service_type: Service
    expires_at: datetime


@view
class TowRideQuoteView(RideFareView):
    """The price of a tow ride; creating the ride with ``estimate_id`` before ``expires_at`` secures it."""

    estimate_id: str
    ride_type: RideType
    expires_at: datetime


AnyQuoteView: TypeAlias = MobileRideQuoteView | TowRideQuoteView


def quote_view(quote: Quote, estimate_id: str) -> AnyQuoteView:
    """Return the view of a quote; ``estimate_id`` is the token that secures its price."""
    fields: dict[str, Any] = {
        **_fare_fields(quote.fare),
        "estimate_id": estimate_id,
        "expires_at": quote.expires_at,
    }
    if quote.kind is RideKind.MOBILE:
        return MobileRideQuoteView(**fields, service_type=Service(quote.service))
    return TowRideQuoteView(**fields, ride_type=RideType(quote.service))


@view
class ReceiptPriceView:
    """A price that the partner accepted with an offer or new destination, and its difference from the previous one."""

    at: datetime
    action: Literal["accept_offer", "change_destination"]
    price: Dollars
    difference: Dollars


@view
class ReceiptPaymentView:
    """A payment for a ride; ``authorized`` is the sum of ``captured`` and ``released``."""

    payment_id: str
    authorized: Dollars
    captured: Dollars
    released: Dollars
    refunded: Dollars

    @classmethod
    def of(cls, payment: Payment) -> Self:
        """Return the view of a captured payment."""
        return cls(
            payment_id=payment.id,
            authorized=dollars(payment.amount),
            captured=dollars(payment.captured),
            released=dollars(payment.amount - payment.captured),
            refunded=dollars(payment.refunded),
        )


@view
class ReceiptView:
    """The receipt for a ride: the accepted prices, the final fee, and what was captured, refunded and paid.

    The differences in ``prices`` add up to ``price``, ``captured`` and ``owed`` add up to ``fee``, and ``payments`` add
    up to ``captured`` and ``refunded``. ``owed`` is what could not be captured.
    """

    ref: str
    partner_reference: str | None
    passenger_ref: str
    service: str
    pickup_address: str | None
    dropoff_address: str | None
    outcome: RideOutcome | None
    ended_at: datetime
    currency: str
    fare: RideFareView
    prices: list[ReceiptPriceView]
    price: Dollars
    fee: Dollars
    fee_reason: str | None
    payments: list[ReceiptPaymentView]
    captured: Dollars
    owed: Dollars
    refunded: Dollars
    paid: Dollars

    @classmethod
    def of(cls, detail: RideDetail) -> Self:
        """Return the receipt for a ride.

        Raises:
            Conflict: the ride has not ended, or nothing was captured for it.
        """
        ride = detail.ride
        paid = [payment for payment in detail.payments if payment.captured]
        if ride.ended_at is None or not paid:
            details = {"status": str(ride.status), "allowed": allowed(ride)}
            reason = (
                "the ride has not ended" if ride.ended_at is None else "no payment was captured for this ride"
            )
            raise Conflict(f"There is no receipt: {reason}.", details=details)
        captured, refunded = (
            sum(payment.captured for payment in paid),
            sum(payment.refunded for payment in paid),
        )
        return cls(
            ref=ride.ref,
            partner_reference=ride.partner_reference,
            passenger_ref=ride.customer_ref,
            service=ride.service,
            pickup_address=ride.pickup_address,
            dropoff_address=ride.dropoff_address,
            outcome=ride.outcome,
            ended_at=ride.ended_at,
            currency=paid[0].currency,
            fare=RideFareView.of(ride.fare),
            prices=_accepted_prices(ride, detail.steps),
            price=dollars(ride.agreed_price),
            fee=dollars(ride.fee or 0),
            fee_reason=_fee_reason(detail.steps),
            payments=[ReceiptPaymentView.of(payment) for payment in paid],
            captured=dollars(captured),
            owed=dollars(max(0, (ride.fee or 0) - captured)),
            refunded=dollars(refunded),
            paid=dollars(captured - refunded),
        )


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


def _accepted_prices(ride: Ride, steps: Sequence[Step]) -> list[ReceiptPriceView]:
    """Return the prices of the last accepted offer and of destination changes since then, oldest first."""
    offer = max(
        (number for number, step in enumerate(steps) if step.action == Action.ACCEPT_OFFER), default=None
    )
    if offer is None:
        return []
    changes = [step for step in steps[offer:] if step.action == Action.CHANGE_DESTINATION]
    totals = [cents((step.detail or {})["total"]) for step in changes]
    # The offer's price is the one that the first change replaced.
    previous = PreviousTrip.before(changes[0]) if changes else None
    prices = [ride.agreed_price if previous is None else previous.total, *totals]
    return [
        ReceiptPriceView(
            at=step.at,
            action="accept_offer" if step is steps[offer] else "change_destination",
            price=dollars(price),
            difference=dollars(price - before),
        )
        for step, price, before in zip([steps[offer], *changes], prices, [0, *prices[:-1]], strict=True)
    ]


def _fee_reason(steps: Sequence[Step]) -> str | None:
    """Return the reason for the fee that a ride ended with, or None."""
    reasons = [reason for step in steps if (reason := fee_reason(step)) is not None]
    return reasons[-1] if reasons else None
