"""Use cases for destination changes: quoting a price, and accepting it.

Accepting a price is a saga, like accepting an offer: the difference is authorized first, outside of any unit of work;
then one unit of work stores the authorization together with the new destination. If the ride ends or changes in
between, its provider drops out, or the process crashes, the authorization is released and the destination stays as it
was.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from attrs import evolve, frozen

from repaircore.destinations.errors import BeingChanged, DifferenceDeclined
from repaircore.destinations.model import DestinationQuote
from repaircore.destinations.ports import DestinationSeal
from repaircore.destinations.rules import quote, require_own, require_unchanged
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents, dollars
from repaircore.kernel.timeline import Step
from repaircore.payments.errors import PaymentExists
from repaircore.payments.model import ACTIVE, NewPayment, Payment, PaymentState, SandboxBehavior
from repaircore.rides.lifecycles import Action, allowed
from repaircore.rides.model import PreviousTrip, Ride, Scenario
from repaircore.rides.ports import RidesWork
from repaircore.rides.transitions import RideTransitions, ride_event


@frozen(kw_only=True)
class AuthorizedDifference:
    """An accepted quote, the payment of the difference as it was started, and its outcome.

    ``payment`` and ``result`` are None if nothing more has to be authorized.
    """

    quote: DestinationQuote
    payment: Payment | None = None
    result: Payment | None = None


@frozen(kw_only=True)
class DestinationChanges(RideTransitions):
    """Use cases for destination changes, for one kind of ride."""

    destination_seal: DestinationSeal

    def preview(self, ref: str, dropoff: Point, caller: PartnerCaller) -> tuple[str, DestinationQuote]:
        """Quote a ride to another destination; return a token that honors the price for 15 minutes, and the quote.

        Raises:
            NoRide: the caller has no ride with this reference.
            Invalid: on ``dropoff_latitude``: the dropoff is too far away, or is the ride's current one.
            Conflict: the status does not allow it.
        """
        with self.read() as work:
            ride = self._get(work, ref, caller)
        at = self.clock()
        self._next_status(ride.as_of(at), Action.CHANGE_DESTINATION)
        local = ride.created_at.astimezone(self.zone_at(ride.pickup))
        quoted = quote(ride, dropoff, self.fares, local=local, at=at)
        return self.destination_seal.seal(quoted), quoted

    def change(
        self,
        ref: str,
        token: str,
        caller: PartnerCaller,
        *,
        dropoff_address: str | None = None,
        payment_method: str | None = None,
        claim: str | None = None,
    ) -> Ride:
        """Accept the price of another destination: authorize the difference, and change the destination.

        ``payment_method`` pays the difference; it defaults to the ride's. ``claim`` identifies the request, so
        that a repeated one continues the same payment. Of several concurrent requests, one wins.

        Raises:
            NoRide: the caller has no ride with this reference.
            Invalid: on ``estimate_id``: the quote is unknown, has expired, or is for another ride.
            DifferenceDeclined: the payment was declined; the destination stays as it was.
            Conflict: the status does not allow it, the ride has changed, or another request is changing it.
            GatewayUnavailable: the outcome of the authorization is unknown; the reconciler resolves and releases it.
        """
        authorized = self.authorize(ref, token, caller, payment_method=payment_method, claim=claim)
        return self.assign(ref, authorized, caller, dropoff_address=dropoff_address)

    def authorize(
        self,
        ref: str,
        token: str,
        caller: PartnerCaller,
        *,
        payment_method: str | None = None,
        claim: str | None = None,
    ) -> AuthorizedDifference:
        """Authorize the difference: the first half of ``change``, which calls the gateway."""
        with self.transaction() as work:
            ride = self._get(work, ref, caller)
            quoted = require_own(self.destination_seal.open(token), ref, at=self.clock())
            self._next_status(ride, Action.CHANGE_DESTINATION)
            require_unchanged(quoted, ride)
            payments = work.payments.list_for(ref, environment=ride.environment)
            missing = quoted.price - _authorized(payments)
            if missing <= 0:
                return AuthorizedDifference(quote=quoted)
            paid_by = evolve(ride, payment_method=payment_method or ride.payment_method)
            payment = self._start_payment(work, paid_by, payments, missing, claim)
        result = self.payments.perform(payment)
        if result.state is PaymentState.DECLINED:
            self._record_declined(ride, quoted, payment, result)
            raise DifferenceDeclined(result.reason, ride.status, allowed(ride))
        return AuthorizedDifference(quote=quoted, payment=payment, result=result)

    def assign(
        self,
        ref: str,
        authorized: AuthorizedDifference,
        caller: PartnerCaller,
        *,
        dropoff_address: str | None = None,
    ) -> Ride:
        """Store the authorization and the new destination: the second half of ``change``, in one unit of work."""
        payment, result = authorized.payment, authorized.result
        try:
            with self.transaction() as work:
                return self._change(work, ref, authorized, caller, dropoff_address)
        except Conflict:
            if payment is not None and result is not None:
                self._defer_quietly(lambda: self._discard(payment, result))
            raise

    def _change(
        self,
        work: RidesWork,
        ref: str,
        authorized: AuthorizedDifference,
        caller: PartnerCaller,
        dropoff_address: str | None,
    ) -> Ride:
        quoted, at = authorized.quote, self.clock()
        ride = self._lock(work, ref, caller)
        self.failpoint("rides.change_destination.before_change")
        self._next_status(ride, Action.CHANGE_DESTINATION)
        require_unchanged(quoted, ride)
        self._require_covered(work, ride, authorized)
        saved = self._apply(
            work,
            ride,
            Action.CHANGE_DESTINATION,
            at=at,
            detail={**_step_detail(quoted), **PreviousTrip.to_detail(ride)},
            dropoff=quoted.dropoff,
            dropoff_address=dropoff_address,
            fare=quoted.fare,
            price=quoted.price,
            destination_changed_at=at,
        )
        if authorized.payment is not None and authorized.result is not None:
            self.payments.save_result(work, authorized.payment, authorized.result)
        payments = work.payments.list_for(ref, environment=ride.environment)
        extra = {"previous_total": dollars(quoted.current), "difference": dollars(quoted.difference)}
        work.outbox.add(ride_event(saved, "destination_changed", payments, self.new_id, **extra))
        self.failpoint("rides.change_destination.after_change")
        return saved

    def _require_covered(self, work: RidesWork, ride: Ride, authorized: AuthorizedDifference) -> None:
        """Raise BeingChanged if the authorized amount does not cover the new price.

        This happens if the provider dropped out meanwhile and another was accepted.
        """
        payments = work.payments.list_for(ride.ref, environment=ride.environment)
        added = 0 if authorized.result is None else authorized.result.amount
        if _authorized(payments) + added < authorized.quote.price:
            raise BeingChanged(ride.status, allowed(ride))

    def _start_payment(
        self, work: RidesWork, ride: Ride, payments: Sequence[Payment], missing: Cents, claim: str | None
    ) -> Payment:
        """Start the payment of a difference; a repeated request continues the payment that it started.

        Raises:
            BeingChanged: another request is paying a difference for this ride.
        """
        added = [payment for payment in payments if payment.part and payment.state in ACTIVE]
        pending = next((payment for payment in added if payment.state is PaymentState.AUTHORIZING), None)
        if pending is not None and (claim is None or pending.claim != claim):
            raise BeingChanged(ride.status, allowed(ride))
        part = pending.part if pending else 1 + max(payment.part for payment in payments)
        is_declined = Scenario.DIFFERENCE_DECLINED in ride.scenarios and not any(p.part for p in payments)
        new = NewPayment(
            partner_id=ride.partner_id,
            environment=ride.environment,
            subject=ride.ref,
            offer_ref=ride.provider_ref or "",
            amount=missing,
            part=part,
            claim=claim,
            payment_method=ride.payment_method,
            sandbox=SandboxBehavior.DECLINED if is_declined else None,
        )
        try:
            return self.payments.start(work, new)
        except PaymentExists:
            raise BeingChanged(ride.status, allowed(ride)) from None

    def _record_declined(
        self, ride: Ride, quoted: DestinationQuote, payment: Payment, result: Payment
    ) -> None:
        # A conflict means that another attempt of the same request has already recorded it.
        with suppress(Conflict), self.transaction() as work:
            current = self._lock(work, ride.ref, None)
            at = self.clock()
            work.rides.replace(current, evolve(current, updated_at=at))
            self.payments.save_result(work, payment, result)
            detail = {**_step_detail(quoted), "why": result.reason}
            step = Step.within(current.status, "destination_declined", at=at, actor="system", detail=detail)
            work.timelines.add(ride.ref, step)

    def _discard(self, payment: Payment, result: Payment) -> None:
        self.payments.discard(payment, result)


def _authorized(payments: Sequence[Payment]) -> Cents:
    return sum(payment.amount for payment in payments if payment.state is PaymentState.AUTHORIZED)


def _step_detail(quoted: DestinationQuote) -> dict[str, Any]:
    return {
        "latitude": quoted.dropoff.latitude,
        "longitude": quoted.dropoff.longitude,
        "total": dollars(quoted.price),
    }
