"""An offer is accepted, declined, or taken back.

Accepting is a saga: money is held first, outside of any unit of work; then, in one, the payment is kept with what it is
for: the driver assigned, the other offers closed, the event written. Whoever dies between leaves an authorization
that the reconciler undoes.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from attrs import evolve, frozen

from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.timeline import OPERATOR, Actor
from repaircore.payments.errors import PaymentExists
from repaircore.payments.model import NewPayment, Payment, PaymentState
from repaircore.rides.errors import BeingAccepted, OfferGone, PaidOtherwise, ProviderBusy
from repaircore.rides.lifecycles import OFFERS, Action, OfferAction, allowed
from repaircore.rides.model import Offer, OfferStatus, Ride, Scenario, Status
from repaircore.rides.offering import closed
from repaircore.rides.ports import RidesWork
from repaircore.rides.transitions import RideTransitions


@frozen(kw_only=True)
class AuthorizedOffer:
    """Money that is held for an offer, not yet kept with what it is for. ``outcome`` None: it was kept before."""

    offer: Offer
    payment: Payment
    outcome: Payment | None


class OfferAcceptance(RideTransitions):
    """The use cases of offers."""

    def accept_offer(
        self, ref: str, provider_ref: str, caller: PartnerCaller, *, claim: str | None = None
    ) -> Ride:
        """Have an offer's provider come: the money is held, they are assigned, the other offers are closed.

        ``claim`` names the request: the same one again finds what it did. Of several at once, one wins.

        Raises:
            NoRide: the caller has none of this reference.
            OfferGone: nobody of this reference offers (any more).
            Conflict: the state does not allow it, the payment was declined, or another acceptance was quicker.
            GatewayUnavailable: whether the money is held is not known; it is found out, and undone, without the caller.
        """
        return self.assign(ref, self.authorize(ref, provider_ref, caller, claim=claim), caller)

    def authorize(
        self, ref: str, provider_ref: str, caller: PartnerCaller, *, claim: str | None = None
    ) -> AuthorizedOffer:
        """Hold the money for an offer: the first half of ``accept_offer``, which asks outside."""
        with self.transaction() as work:
            ride = self._found(work, ref, caller)
            done = self._done_before(work, ride, provider_ref, claim)
            if done is not None:
                return done
            self._after(ride, Action.ACCEPT_OFFER)
            offer = self._chosen(work, ride, provider_ref)
            try:
                payment = self.payments.start(work, self._order(work, ride, offer, claim))
            except PaymentExists:
                raise BeingAccepted(ride.status, allowed(ride)) from None
            if payment.state is not PaymentState.AUTHORIZING:
                # What this very request held before it got no answer is being released by now.
                raise BeingAccepted(ride.status, allowed(ride))
        outcome = self.payments.perform(payment)
        if outcome.state is PaymentState.DECLINED:
            with suppress(Conflict), self.transaction() as work:  # the same request may have been here before
                self.payments.keep(work, payment, outcome)
            raise Conflict(
                f"The payment was declined: {outcome.reason}.",
                details={
                    "status": str(ride.status),
                    "allowed": allowed(ride),
                    "reason": "payment_declined",
                },
            )
        return AuthorizedOffer(offer=offer, payment=payment, outcome=outcome)

    def assign(self, ref: str, authorized: AuthorizedOffer, caller: PartnerCaller) -> Ride:
        """Keep the payment and assign the provider: the second half of ``accept_offer``, one unit of work."""
        if authorized.outcome is None:
            with self.read() as work:
                return self._found(work, ref, caller)
        try:
            with self.transaction() as work:
                return self._assigned(work, ref, authorized, authorized.outcome, caller)
        except Conflict as conflict:
            self._call_off(authorized.payment, authorized.outcome)
            if isinstance(conflict, ProviderBusy):
                # Taken since the money was held; the offer would be good again as soon as they are free.
                self._quietly_afterwards(lambda: self._take_back(ref, authorized.offer))
            raise

    def decline_offer(self, ref: str, provider_ref: str | None, caller: PartnerCaller) -> Ride:
        """Decline the offer of a provider, else the one that would be there first.

        Raises:
            NoRide: the caller has none of this reference.
            OfferGone: there is no such open offer.
            Conflict: the state does not allow it.
        """
        with self.transaction() as work:
            ride = self._locked(work, ref, caller)
            self._after(ride, Action.DECLINE_OFFER)
            offer = self._chosen(work, ride, provider_ref)
            kept = self._moved(work, ride, Action.DECLINE_OFFER, detail={"provider_ref": offer.provider_ref})
            declined = offer.closed(OFFERS.after(offer.status, OfferAction.DECLINE), at=kept.updated_at)
            work.offers.replace(offer, declined)
            return kept

    def drop_out(self, ref: str, caller: PartnerCaller | None = None, *, actor: Actor = OPERATOR) -> Ride:
        """Have the provider drop out who was on the way: the money is released, and others are asked.

        Raises:
            NoRide: there is none of this reference.
            Conflict: nobody is on the way.
        """
        while True:
            with self.read() as work:
                ride = self._found(work, ref, caller)
            self._after(ride, Action.DROP_OUT)
            reopened = self._reopened(ride, actor)
            if reopened is not None:
                return reopened

    def _assigned(
        self, work: RidesWork, ref: str, authorized: AuthorizedOffer, outcome: Payment, caller: PartnerCaller
    ) -> Ride:
        ride, offer, at = self._locked(work, ref, caller), authorized.offer, self.clock()
        self.failpoint("rides.accept.before_assign")
        is_first = all(step.action != Action.ACCEPT_OFFER for step in work.timelines.list_for(ref))
        chosen = next(one for one in work.offers.of(ref) if one.id == offer.id)
        if ride.status is Status.PENDING and chosen.status is not OfferStatus.OFFERED:
            raise self._gone(ride, self._standing(work, ride, at=at))
        if ride.status is Status.PENDING and ride.payment_method != authorized.payment.payment_method:
            raise PaidOtherwise(ride.status, allowed(ride))
        kept = self._moved(
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
            self.payments.keep(work, authorized.payment, outcome)
        except Conflict:
            raise BeingAccepted(ride.status, allowed(ride)) from None  # it was given up as left behind
        work.offers.replace(chosen, chosen.closed(OFFERS.after(chosen.status, OfferAction.ACCEPT), at=at))
        self._close_offers(work, kept, at=at)
        self._tell(work, kept, "accepted")
        self.failpoint("rides.accept.after_assign")
        if kept.scenario is Scenario.DRIVER_CANCELS and is_first:
            self._quietly_afterwards(lambda: self._drops_out(ref))
        return kept

    def _drops_out(self, ref: str) -> None:
        """Have the sandbox's driver drop out; a partner that has cancelled meanwhile is right."""
        self.drop_out(ref, actor="sandbox")

    def _reopened(self, ride: Ride, actor: Actor) -> Ride | None:
        """Open a ride for other offers; None when it is no longer as it was seen."""
        at = self.clock()
        expires_at = max(ride.expires_at, at + _TO_CHOOSE_AGAIN)
        asked = self._asked(ride.ref)
        offers = self._invited(evolve(ride, expires_at=expires_at), asked, at=at)
        with self.transaction() as work:
            if not self._is_unchanged(work, ride):
                return None
            kept = self._moved(
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
            for offer in asked.offers:
                if offer.id == ride.offer_id:
                    taken_back = OFFERS.after(offer.status, OfferAction.WITHDRAW)
                    work.offers.replace(offer, offer.closed(taken_back, at=at))
            self._release(work, ride, "provider_dropped_out")
            self._tell(work, kept, "reopened", *work.offers.add(offers), actor=actor)
            return kept

    def _done_before(
        self, work: RidesWork, ride: Ride, provider_ref: str, claim: str | None
    ) -> AuthorizedOffer | None:
        """Find what the same request did before it got no answer."""
        payment = self._held(work, ride)
        if claim is None or payment is None or payment.claim != claim or ride.status is Status.PENDING:
            return None
        offer = next((one for one in work.offers.of(ride.ref) if one.id == ride.offer_id), None)
        if offer is None or offer.provider_ref != provider_ref:
            return None
        return AuthorizedOffer(offer=offer, payment=payment, outcome=None)

    def _chosen(self, work: RidesWork, ride: Ride, provider_ref: str | None) -> Offer:
        standing = self._standing(work, ride, at=self.clock())
        named = [one for one in standing if provider_ref in {None, one.provider_ref}]
        if not named:
            raise self._gone(ride, standing)
        return named[0]

    def _gone(self, ride: Ride, standing: Sequence[Offer]) -> OfferGone:
        return OfferGone(ride.status, allowed(ride), [one.provider_ref for one in standing])

    def _order(self, work: RidesWork, ride: Ride, offer: Offer, claim: str | None) -> NewPayment:
        tried = work.payments.of(ride.ref, environment=ride.environment)
        is_steered = (ride.scenario is Scenario.PAYMENT_TIMEOUT and not tried) or (
            ride.scenario is Scenario.PAYMENT_DECLINED
            and (not tried or tried[0].payment_method == ride.payment_method)
        )
        return NewPayment(
            partner_id=ride.partner_id,
            environment=ride.environment,
            subject=ride.ref,
            offer_ref=offer.provider_ref,
            amount=offer.price,
            claim=claim,
            payment_method=ride.payment_method,
            sandbox=str(ride.scenario) if is_steered else None,
        )

    def _take_back(self, ref: str, offer: Offer) -> None:
        """Withdraw an offer that its provider cannot keep."""
        at = self.clock()
        with self.transaction() as work:
            self._locked(work, ref, None)
            this = [one for one in work.offers.of(ref) if one.id == offer.id]
            for old, new in closed(this, OfferAction.WITHDRAW, at=at):
                work.offers.replace(old, new)

    def _call_off(self, payment: Payment, outcome: Payment) -> None:
        def act() -> None:
            self.payments.call_off(payment, outcome)

        self._quietly_afterwards(act)


_TO_CHOOSE_AGAIN = timedelta(minutes=10)
"""How long a ride waits at least once its provider has dropped out."""
