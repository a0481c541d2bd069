"""A ride's payments after its end: captures, voids, refunds, and fees that could not be captured."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, Self

from attrs import evolve, frozen
from typing_extensions import override

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents, cents, dollars
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.timeline import Actor, Step
from repaircore.kernel.types import Clock, NewId
from repaircore.kernel.views import Dollars, view
from repaircore.payments.model import ACTIVE, Payment, PaymentFilter, PaymentState
from repaircore.payments.ports import PaymentNews
from repaircore.payments.refunds import refunded_by
from repaircore.rides.model import Ride, RideKind
from repaircore.rides.ports import OpenWork, RidesWork
from repaircore.rides.transitions import ride_event

_REFUNDED: Final = "refunded"
_ANNOUNCED: Final = frozenset({"payment_captured", "payment_voided"})
"""Payment news that the end of the ride in the timeline already implies."""


@frozen(kw_only=True)
class RidePaymentNews(PaymentNews):
    """Reports payment news to the ride's partner: an event, and a timeline step unless the ride's end implies it."""

    new_id: NewId
    clock: Clock

    @override
    def __call__(self, work: RidesWork, payment: Payment) -> None:
        """Report a payment that was just saved, if it is for a ride."""
        kind = _kind(payment.subject)
        ride = None if kind is None else work.rides.lock(payment.subject, kind, None)
        if ride is None:
            return
        payments = work.payments.list_for(ride.ref, environment=ride.environment)
        if payment.state is PaymentState.REFUNDED:
            self._report_refund(work, ride, payment, payments)
            return
        event, detail = _event(ride, payment, payments)
        if event in _ANNOUNCED:
            announced = ride_event(ride, event, payments, self.new_id, **detail)
            work.outbox.add(evolve(announced, created_at=self.clock()))
            return
        self._report(work, ride, payments, event, detail)

    def _report_refund(
        self, work: RidesWork, ride: Ride, payment: Payment, payments: Sequence[Payment]
    ) -> None:
        """Report a refund once the last of its payments is refunded, so that a refund across payments is one event."""
        if any(other.state is PaymentState.REFUNDING for other in payments):
            return
        steps = work.timelines.list_for(ride.ref)
        earlier = [step.detail["refunded"] for step in steps if step.action == _REFUNDED and step.detail]
        refunded = sum(each.refunded for each in payments)
        detail = {
            "amount": dollars(refunded - cents(max(earlier, default=0))),
            "refunded": dollars(refunded),
            "partial": refunded < sum(each.captured for each in payments),
        }
        reason = {} if payment.reason is None else {"reason": payment.reason}
        actor = refunded_by(work, payment)
        extra = {"reason": payment.reason, "actor": actor, "parts": _parts(payments)}
        self._report(work, ride, payments, _REFUNDED, {**detail, **reason}, by=actor, extra=extra)

    def _report(
        self,
        work: RidesWork,
        ride: Ride,
        payments: Sequence[Payment],
        event: str,
        detail: dict[str, Any],
        *,
        by: Actor = "system",
        extra: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Store a timeline step and an event, which also has the fields ``extra``; ``by`` is who caused it."""
        saved = work.rides.replace(ride, evolve(ride, updated_at=self.clock()))
        step = Step.within(saved.status, event, at=saved.updated_at, actor=by, detail=detail)
        work.timelines.add(saved.ref, step)
        work.outbox.add(ride_event(saved, event, payments, self.new_id, **{**detail, **extra}))


@frozen(kw_only=True)
class UnpaidRide:
    """A ride that has ended, and a payment that lapsed before its share of the fee was captured."""

    ride: Ride
    payment: Payment
    owed: Cents

    @classmethod
    def of(cls, ride: Ride, payment: Payment, payments: Sequence[Payment]) -> Self:
        """Return a ride and what is still owed for its lapsed payment.

        This is the part of the fee that earlier payments do not cover, minus what was captured.
        """
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


@frozen(kw_only=True)
class UnpaidRides:
    """Lists unpaid rides: mobile and tow rides whose payment lapsed before the fee was captured."""

    read: OpenWork

    def list_page(
        self,
        environment: Environment,
        *,
        partner_id: int | None = None,
        number: int = 1,
        per_page: int = PER_PAGE,
    ) -> Page[UnpaidRide]:
        """List a page of the unpaid rides of one partner, or of all partners, newest payment first.

        Raises:
            Invalid: ``page`` or ``per_page`` is invalid.
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
    """Return the name of the event for a payment, and the event's details."""
    if payment.is_lapsed:
        owed = UnpaidRide.of(ride, payment, payments).owed
        return "payment_failed", {"payment_id": payment.id, "owed": dollars(owed), "reason": payment.reason}
    if payment.state is PaymentState.CAPTURED:
        return "payment_captured", {
            "payment_id": payment.id,
            "captured": dollars(payment.captured),
            "released": dollars(payment.amount - payment.captured),
            "partial": payment.captured < payment.amount,
        }
    return "payment_voided", {
        "payment_id": payment.id,
        "released": dollars(payment.amount),
        "reason": payment.reason,
    }


def _parts(payments: Sequence[Payment]) -> list[dict[str, Any]]:
    """Return what was captured and refunded from each payment."""
    return [
        {"payment_id": each.id, "captured": dollars(each.captured), "refunded": dollars(each.refunded)}
        for each in payments
        if each.captured
    ]
