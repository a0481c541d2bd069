"""What becomes of a ride's money without its partner: a fee that could not be taken, and money that was given back."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from attrs import evolve, frozen
from typing_extensions import override

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents, dollars
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.timeline import Step
from repaircore.kernel.types import Clock, NewId
from repaircore.payments.model import Payment, PaymentFilter
from repaircore.payments.ports import PaymentNews
from repaircore.rides.model import Ride, RideKind
from repaircore.rides.ports import RidesWork
from repaircore.rides.views import ride_event

Look: TypeAlias = Callable[[], AbstractContextManager[RidesWork]]
"""Open a unit of work that only reads."""


@frozen(kw_only=True)
class RidePaymentNews(PaymentNews):
    """Tells a ride's partner: an event, and a step in the ride's timeline."""

    new_id: NewId
    clock: Clock

    @override
    def __call__(self, work: RidesWork, payment: Payment) -> None:
        """Tell of a payment that was just kept; what no ride is paid with is nobody's news."""
        kind = _kind(payment.subject)
        ride = None if kind is None else work.rides.lock(payment.subject, kind, None)
        if ride is None:
            return
        what, detail = _said(ride, payment)
        kept = work.rides.replace(ride, evolve(ride, updated_at=self.clock()))
        work.timelines.add(
            kept.ref,
            Step(
                at=kept.updated_at,
                action=what,
                before=kept.status,
                after=kept.status,
                actor="system",
                detail=detail,
            ),
        )
        held = work.payments.of(kept.ref, environment=kept.environment)
        work.outbox.add(ride_event(kept, what, held, self.new_id, **detail))


@frozen(kw_only=True)
class UnpaidRide:
    """A ride that has ended, and its payment, of which nothing could be taken any more."""

    ride: Ride
    payment: Payment

    @property
    def owed(self) -> Cents:
        """Give the fee that nobody took."""
        return (self.ride.fee or 0) - self.payment.captured


@frozen(kw_only=True)
class UnpaidRides:
    """The use case: rides and tows whose fee stands owed, as what was held for it had lapsed."""

    read: Look

    def page(
        self,
        environment: Environment,
        *,
        partner_id: int | None = None,
        number: int = 1,
        per_page: int = PER_PAGE,
    ) -> Page[UnpaidRide]:
        """Give a page of them, the newest payment first; of one partner, or of all.

        Raises:
            Invalid: on ``page`` and ``per_page``.
        """
        require_page(number, per_page)
        wanted = PaymentFilter(environment=environment, partner_id=partner_id, is_lapsed=True)
        with self.read() as work:
            found = work.payments.page(wanted, number=number, per_page=per_page)
            dues = tuple(
                UnpaidRide(ride=ride, payment=payment)
                for payment in found
                if (ride := _paid_for(work, payment)) is not None
            )
        return Page(items=dues, number=found.number, per_page=found.per_page, total=found.total)


def _kind(ref: str) -> RideKind | None:
    """Give the kind that a reference begins with."""
    return next((kind for kind in RideKind if ref.startswith(f"{kind}_")), None)


def _paid_for(work: RidesWork, payment: Payment) -> Ride | None:
    kind = _kind(payment.subject)
    return None if kind is None else work.rides.by_ref(payment.subject, kind, None)


def _said(ride: Ride, payment: Payment) -> tuple[str, dict[str, Any]]:
    if payment.is_lapsed:
        owed = UnpaidRide(ride=ride, payment=payment).owed
        return "payment_failed", {"owed": dollars(owed), "reason": payment.reason}
    return "refunded", {"refunded": dollars(payment.refunded)}
