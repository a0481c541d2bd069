"""Changes of a ride's payment that its partner did not request: a fee that could not be captured, and refunds."""

from datetime import datetime
from typing import Any, Self

from attrs import evolve, frozen
from typing_extensions import override

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents, dollars
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.timeline import Step
from repaircore.kernel.types import Clock, NewId
from repaircore.kernel.views import Dollars, view
from repaircore.payments.model import Payment, PaymentFilter
from repaircore.payments.ports import PaymentNews
from repaircore.rides.model import Ride, RideKind
from repaircore.rides.ports import OpenWork, RidesWork
from repaircore.rides.transitions import ride_event


@frozen(kw_only=True)
class RidePaymentNews(PaymentNews):
    """Reports payment news to the ride's partner: an event, and a step in the ride's timeline."""

    new_id: NewId
    clock: Clock

    @override
    def __call__(self, work: RidesWork, payment: Payment) -> None:
        """Report a payment that was just saved, if it is a ride's."""
        kind = _kind(payment.subject)
        ride = None if kind is None else work.rides.lock(payment.subject, kind, None)
        if ride is None:
            return
        event, detail = _event(ride, payment)
        saved = work.rides.replace(ride, evolve(ride, updated_at=self.clock()))
        work.timelines.add(
            saved.ref,
            Step(
                at=saved.updated_at,
                action=event,
                before=saved.status,
                after=saved.status,
                actor="system",
                detail=detail,
            ),
        )
        payments = work.payments.list_for(saved.ref, environment=saved.environment)
        work.outbox.add(ride_event(saved, event, payments, self.new_id, **detail))


@frozen(kw_only=True)
class UnpaidRide:
    """A ride that has ended, and its payment, which lapsed before the fee was captured."""

    ride: Ride
    payment: Payment

    @property
    def owed(self) -> Cents:
        """The part of the fee that was not captured."""
        return (self.ride.fee or 0) - self.payment.captured


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
                UnpaidRide(ride=ride, payment=payment)
                for payment in page
                if (ride := _ride_of(work, payment)) is not None
            )
        return Page(items=unpaid, number=page.number, per_page=page.per_page, total=page.total)


def _kind(ref: str) -> RideKind | None:
    return next((kind for kind in RideKind if ref.startswith(f"{kind}_")), None)


def _ride_of(work: RidesWork, payment: Payment) -> Ride | None:
    kind = _kind(payment.subject)
    return None if kind is None else work.rides.find(payment.subject, kind, None)


def _event(ride: Ride, payment: Payment) -> tuple[str, dict[str, Any]]:
    """Return the word for what happened to a payment, and its details."""
    if payment.is_lapsed:
        owed = UnpaidRide(ride=ride, payment=payment).owed
        return "payment_failed", {"owed": dollars(owed), "reason": payment.reason}
    return "refunded", {"refunded": dollars(payment.refunded)}
