"""Use cases of offers: accepting, declining, and a provider who drops out.

Accepting is a saga. The payment is authorized first, outside of any unit of work; then one unit of work stores the payment
together with its purpose: the provider is assigned, the other offers are closed, the event is stored. A crash in between
leaves an authorization that the reconciler releases.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.timeline import OPERATOR, Actor
from repaircore.payments.errors import PaymentExists
from repaircore.payments.model import NewPayment, Payment, PaymentState
from repaircore.rides.errors import BeingAccepted, OfferGone, PaymentMethodChanged, ProviderBusy
from repaircore.rides.lifecycles import OFFERS, Action, OfferAction, allowed
from repaircore.rides.model import Offer, OfferStatus, Ride, Scenario, Status
from repaircore.rides.offering import close_undecided
from repaircore.rides.ports import RidesWork
from repaircore.rides.transitions import RideTransitions

_TIME_TO_CHOOSE: Final = timedelta(minutes=10)
"""How long a ride stays pending at least after its provider dropped out."""


@frozen(kw_only=True)
class AuthorizedOffer:
    """An offer whose payment is authorized but not yet stored as such; ``result`` None: an earlier attempt stored it."""

    offer: Offer
    payment: Payment
    result: Payment | None


class OfferAcceptance(RideTransitions):
    """The use cases of offers."""

    def accept_offer(
        self, ref: str, provider_ref: str, caller: PartnerCaller, *, claim: str | None = None
    ) -> Ride:
        """Accept a provider's offer: authorize the payment, assign the provider, close the other offers.

        ``claim`` identifies the request: a repeated request finds what it did before. Of several concurrent requests, one wins.

        Raises:
            NoRide: the caller has no ride with this reference.
            OfferGone: the provider has no open offer.
            Conflict: the status does not allow it, the payment was declined, or another acceptance was quicker.
            GatewayUnavailable: the outcome of the authorization is unknown; the reconciler finds it out and releases it.
        """
        return self.assign(ref, self.authorize(ref, provider_ref, caller, claim=claim), caller)

    def authorize(
        self, ref: str, provider_ref: str, caller: PartnerCaller, *, claim: str | None = None
    ) -> AuthorizedOffer:
        """Authorize the payment of an offer: the first half of ``accept_offer``, which calls the gateway."""
        with self.transaction() as work:
            ride = self._get(work, ref, caller)
            earlier = self._find_accepted(work, ride, provider_ref, claim)
            if earlier is not None:
                return earlier
            self._next_status(ride, Action.ACCEPT_OFFER)
            offer = self._choose_offer(work, ride, provider_ref)
            payment = self._start_payment(work, ride, offer, claim)
        result = self.payments.perform(payment)
        if result.state is PaymentState.DECLINED:
            self._record_declined(payment, result)
            raise _declined(ride, result)
        return AuthorizedOffer(offer=offer, payment=payment, result=result)

    def assign(self, ref: str, authorized: AuthorizedOffer, caller: PartnerCaller) -> Ride:
        """Store the payment and assign the provider: the second half of ``accept_offer``, in one unit of work."""
        if authorized.result is None:
            with self.read() as work:
                return self._get(work, ref, caller)
        result = authorized.result
        try:
            with self.transaction() as work:
                return self._assign(work, ref, authorized, result, caller)
        except Conflict as conflict:
            self._defer_quietly(lambda: self._call_off_payment(authorized.payment, result))
            if isinstance(conflict, ProviderBusy):
                # Busy since the payment was authorized; left open, the offer could be accepted once they are free.
                self._defer_quietly(lambda: self._withdraw_offer(ref, authorized.offer))
            raise

    def decline_offer(self, ref: str, provider_ref: str | None, caller: PartnerCaller) -> Ride:
        """Decline a provider's offer; without a provider, the one with the soonest arrival.

        Raises:
            NoRide: the caller has no ride with this reference.
            OfferGone: there is no such open offer.
            Conflict: the status does not allow it.
        """
        with self.transaction() as work:
            ride = self._lock(work, ref, caller)
            self._next_status(ride, Action.DECLINE_OFFER)
            offer = self._choose_offer(work, ride, provider_ref)
            saved = self._apply(work, ride, Action.DECLINE_OFFER, detail={"provider_ref": offer.provider_ref})
            declined = offer.closed(OFFERS.after(offer.status, OfferAction.DECLINE), at=saved.updated_at)
            work.offers.replace(offer, declined)
            return saved

    def drop_out(self, ref: str, caller: PartnerCaller | None = None, *, actor: Actor = OPERATOR) -> Ride:
        """Take the provider off a ride: release the payment and ask other providers.

        Raises:
            NoRide: there is no ride with this reference.
            Conflict: no provider is on the way.
        """
        while True:
            with self.read() as work:
                ride = self._get(work, ref, caller)
            self._next_status(ride, Action.DROP_OUT)
            reopened = self._reopen(ride, actor)
            if reopened is not None:
                return reopened

    def _assign(
        self, work: RidesWork, ref: str, authorized: AuthorizedOffer, result: Payment, caller: PartnerCaller
    ) -> Ride:
        ride, at = self._lock(work, ref, caller), self.clock()
        self.failpoint("rides.accept.before_assign")
        is_first = all(step.action != Action.ACCEPT_OFFER for step in work.timelines.list_for(ref))
        offer = next(offer for offer in work.offers.list_for(ref) if offer.id == authorized.offer.id)
        if ride.status is Status.PENDING:
            self._require_still_acceptable(work, ride, offer, authorized.payment, at=at)
        saved = self._apply(
            work,
            ride,
            Action.ACCEPT_OFFER,
            detail={"provider_ref": offer.provider_ref},
            offer_id=offer.id,
            provider_ref=offer.provider_ref,
            provider_name=offer.provider_name,
            at=at,
            accepted_at=at,
            eta_at=at + timedelta(minutes=offer.eta_minutes),
        )
        try:
            self.payments.save_result(work, authorized.payment, result)
        except Conflict:
            raise BeingAccepted(
                ride.status, allowed(ride)
            ) from None  # the reconciler has given it up meanwhile
        work.offers.replace(offer, offer.closed(OFFERS.after(offer.status, OfferAction.ACCEPT), at=at))
        self._close_offers(work, saved, at=at)
        self._add_events(work, saved, "accepted")
        self.failpoint("rides.accept.after_assign")
        if saved.scenario is Scenario.DRIVER_CANCELS and is_first:
            # A partner who cancels before this is in the right, so a refusal is no error.
            self._defer_quietly(lambda: self._drop_out_in_sandbox(ref))
        return saved

    def _require_still_acceptable(
        self, work: RidesWork, ride: Ride, offer: Offer, payment: Payment, *, at: datetime
    ) -> None:
        """Raise when the offer or the payment method has changed since the payment was authorized."""
        if offer.status is not OfferStatus.OFFERED:
            raise _offer_gone(ride, self._acceptable_offers(work, ride, at=at))
        if ride.payment_method != payment.payment_method:
            raise PaymentMethodChanged(ride.status, allowed(ride))

    def _drop_out_in_sandbox(self, ref: str) -> None:
        self.drop_out(ref, actor="sandbox")

    def _reopen(self, ride: Ride, actor: Actor) -> Ride | None:
        """Return a ride to pending, with new offers; None when it was changed by somebody else since it was read."""
        at = self.clock()
        expires_at = max(ride.expires_at, at + _TIME_TO_CHOOSE)
        history = self._offer_history(ride.ref)
        offers = self._new_offers(evolve(ride, expires_at=expires_at), history, at=at)
        with self.transaction() as work:
            if not self._lock_unchanged(work, ride):
                return None
            saved = self._apply(
                work,
                ride,
                Action.DROP_OUT,
                actor=actor,
                detail={"provider_ref": ride.provider_ref},
                offer_id=None,
                provider_ref=None,
                provider_name=None,
                eta_at=None,
                accepted_at=None,
                arrived_at=None,
                expires_at=expires_at,
            )
            for offer in history.offers:
                if offer.id == ride.offer_id:
                    status = OFFERS.after(offer.status, OfferAction.WITHDRAW)
                    work.offers.replace(offer, offer.closed(status, at=at))
            self._release(work, ride, "provider_dropped_out")
            self._add_events(work, saved, "reopened", *work.offers.add(offers), actor=actor)
            return saved

    def _find_accepted(
        self, work: RidesWork, ride: Ride, provider_ref: str, claim: str | None
    ) -> AuthorizedOffer | None:
        """Find the offer that an earlier attempt of the same request has accepted."""
        payment = self._active_payment(work, ride)
        if claim is None or payment is None or payment.claim != claim or ride.status is Status.PENDING:
            return None
        offer = next((offer for offer in work.offers.list_for(ride.ref) if offer.id == ride.offer_id), None)
        if offer is None or offer.provider_ref != provider_ref:
            return None
        return AuthorizedOffer(offer=offer, payment=payment, result=None)

    def _choose_offer(self, work: RidesWork, ride: Ride, provider_ref: str | None) -> Offer:
        offers = self._acceptable_offers(work, ride, at=self.clock())
        chosen = next((offer for offer in offers if provider_ref in {None, offer.provider_ref}), None)
        if chosen is None:
            raise _offer_gone(ride, offers)
        return chosen

    def _start_payment(self, work: RidesWork, ride: Ride, offer: Offer, claim: str | None) -> Payment:
        try:
            payment = self.payments.start(work, self._new_payment(work, ride, offer, claim))
        except PaymentExists:
            raise BeingAccepted(ride.status, allowed(ride)) from None
        if payment.state is not PaymentState.AUTHORIZING:
            # An earlier attempt of the same request authorized it and got no response; it is being released now.
            raise BeingAccepted(ride.status, allowed(ride))
        return payment

    def _new_payment(self, work: RidesWork, ride: Ride, offer: Offer, claim: str | None) -> NewPayment:
        earlier = work.payments.list_for(ride.ref, environment=ride.environment)
        is_scripted = (ride.scenario is Scenario.PAYMENT_TIMEOUT and not earlier) or (
            ride.scenario is Scenario.PAYMENT_DECLINED
            and (not earlier or earlier[0].payment_method == ride.payment_method)
        )
        return NewPayment(
            partner_id=ride.partner_id,
            environment=ride.environment,
            subject=ride.ref,
            offer_ref=offer.provider_ref,
            amount=offer.price,
            claim=claim,
            payment_method=ride.payment_method,
            sandbox=str(ride.scenario) if is_scripted else None,
        )

    def _record_declined(self, payment: Payment, result: Payment) -> None:
        # Conflict: another attempt of the same request has recorded it.
        with suppress(Conflict), self.transaction() as work:
            self.payments.save_result(work, payment, result)

    def _call_off_payment(self, payment: Payment, result: Payment) -> None:
        self.payments.discard(payment, result)

    def _withdraw_offer(self, ref: str, offer: Offer) -> None:
        at = self.clock()
        with self.transaction() as work:
            self._lock(work, ref, None)
            current = [each for each in work.offers.list_for(ref) if each.id == offer.id]
            for old, new in close_undecided(current, OfferAction.WITHDRAW, at=at):
                work.offers.replace(old, new)


def _declined(ride: Ride, result: Payment) -> Conflict:
    return Conflict(
        f"The payment was declined: {result.reason}.",
        details={"status": str(ride.status), "allowed": allowed(ride), "reason": "payment_declined"},
    )


def _offer_gone(ride: Ride, offers: Sequence[Offer]) -> OfferGone:
    return OfferGone(ride.status, allowed(ride), [offer.provider_ref for offer in offers])
