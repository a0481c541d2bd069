"""A ride's payment after the ride: captures, voids, refunds, and fees that could not be captured."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Self

from attrs import evolve, frozen
from typing_extensions import override

from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.money import Cents, dollars
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.timeline import Step
from repaircore.kernel.types import Clock, NewId
from repaircore.kernel.views import Dollars, view
from repaircore.payments.model import ACTIVE, Payment, PaymentFilter, PaymentState
from repaircore.payments.ports import PaymentNews
from repaircore.rides.fare_views import RideFareView
from repaircore.rides.lifecycles import allowed
from repaircore.rides.model import Ride, RideKind, RideOutcome
from repaircore.rides.ports import OpenWork, RidesWork
from repaircore.rides.transitions import ride_event

_ANNOUNCED: Final = frozenset({"payment_captured", "payment_voided"})
"""Payment news that the timeline already implies by the end of the ride."""


@frozen(kw_only=True)
class RidePaymentNews(PaymentNews):
    """Reports payment news to the ride's partner: an event, and a timeline step unless the ride's end implied it."""

    new_id: NewId
    clock: Clock

    @override
    def __call__(self, work: RidesWork, payment: Payment) -> None:
        """Report a payment that was just saved, if it is a ride's."""
        kind = _kind(payment.subject)
        ride = None if kind is None else work.rides.lock(payment.subject, kind, None)
        if ride is None:
            return
        payments = work.payments.list_for(ride.ref, environment=ride.environment)
        event, detail = _event(ride, payment, payments)
        if event in _ANNOUNCED:
            announced = ride_event(ride, event, payments, self.new_id, **detail)
            work.outbox.add(evolve(announced, created_at=self.clock()))
            return
        saved = work.rides.replace(ride, evolve(ride, updated_at=self.clock()))
        step = Step.within(saved.status, event, at=saved.updated_at, actor="system", detail=detail)
        work.timelines.add(saved.ref, step)
        work.outbox.add(ride_event(saved, event, payments, self.new_id, **detail))


@frozen(kw_only=True)
class UnpaidRide:
    """A ride that has ended, and its payment, which lapsed before its share of the fee was captured."""

    ride: Ride
    payment: Payment
    owed: Cents

    @classmethod
    def of(cls, ride: Ride, payment: Payment, payments: Sequence[Payment]) -> Self:
        """Return the amount owed from a lapsed payment: the part of the fee that earlier payments do not cover."""
        covered = sum(
            other.amount
            for other in payments
            if other.part < payment.part and (other.state in ACTIVE or other.is_lapsed)
        )
        share = max(0, min(payment.amount, (ride.fee or 0) - covered))
        return cls(ride=ride, payment=payment, owed=share - payment.captured)


@view
class UnpaidRideView:
    """A ride that has ended, and the fee that could not be captured."""

    ref: str
    partner_id: int
    customer_ref: str
    currency: str
    owed: Dollars
    payment_id: str
    gateway_ref: str | None
    since: datetime

    @classmethod
    def of(cls, unpaid: UnpaidRide) -> Self:
        """Return the view of an unpaid ride."""
        ride, payment = unpaid.ride, unpaid.payment
        return cls(
            ref=ride.ref,
            partner_id=ride.partner_id,
            customer_ref=ride.customer_ref,
            currency=payment.currency,
            owed=dollars(unpaid.owed),
            payment_id=payment.id,
            gateway_ref=payment.gateway_ref,
            since=payment.updated_at,
        )


@view
class ReceiptView:
    """The receipt of a ride: its fare and final fee, and what was captured, refunded and paid."""

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
    fee: Dollars
    captured: Dollars
    refunded: Dollars
    paid: Dollars

    @classmethod
    def of(cls, ride: Ride, payments: Sequence[Payment]) -> Self:
        """Return the receipt of a ride.

        Raises:
            Conflict: it has not ended, or nothing was captured for it.
        """
        paid = [payment for payment in payments if payment.captured]
        if ride.ended_at is None or not paid:
            details = {"status": str(ride.status), "allowed": allowed(ride)}
            raise Conflict("There is no receipt: nothing was captured for this ride.", details=details)
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
            fee=dollars(ride.fee or 0),
            captured=dollars(captured),
            refunded=dollars(refunded),
            paid=dollars(captured - refunded),
        )


@frozen(kw_only=True)
class UnpaidRides:
    """The use case of unpaid rides: mobile rides and tow rides whose payment lapsed before the fee was captured."""

    read: OpenWork

    def list_page(
        self,
        environment: Environment,
        *,
        partner_id: int | None = None,
        number: int = 1,
        per_page: int = PER_PAGE,
    ) -> Page[UnpaidRide]:
        """List a page of the unpaid rides of one partner, or of all, newest payment first.

        Raises:
            Invalid: on ``page`` and ``per_page``.
        """
        require_page(number, per_page)
        wanted = PaymentFilter(environment=environment, partner_id=partner_id, is_lapsed=True)
        with self.read() as work:
            page = work.payments.list_page(wanted, number=number, per_page=per_page)
            unpaid = tuple(
                UnpaidRide.of(ride, payment, work.payments.list_for(ride.ref, environment=ride.environment))
                for payment in page
                if (ride := _ride_of(work, payment)) is not None
            )
        return Page(items=unpaid, number=page.number, per_page=page.per_page, total=page.total)


def _kind(ref: str) -> RideKind | None:
    return next((kind for kind in RideKind if ref.startswith(f"{kind}_")), None)


def _ride_of(work: RidesWork, payment: Payment) -> Ride | None:
    kind = _kind(payment.subject)
    return None if kind is None else work.rides.find(payment.subject, kind, None)


def _event(ride: Ride, payment: Payment, payments: Sequence[Payment]) -> tuple[str, dict[str, Any]]:
    """Return the name of a payment's event, and its details."""
    if payment.is_lapsed:
        owed = UnpaidRide.of(ride, payment, payments).owed
        return "payment_failed", {"owed": dollars(owed), "reason": payment.reason}
    if payment.state is PaymentState.CAPTURED:
        rest = payment.amount - payment.captured
        return "payment_captured", {
            "captured": dollars(payment.captured),
            "released": dollars(rest),
            "partial": rest > 0,
        }
    if payment.state is PaymentState.VOIDED:
        return "payment_voided", {"released": dollars(payment.amount), "reason": payment.reason}
    refunded = sum(each.refunded for each in payments)
    return "refunded", {
        "refunded": dollars(refunded),
        "partial": refunded < sum(each.captured for each in payments),
    }
