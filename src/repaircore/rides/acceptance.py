"""Use cases for offers: accept and decline them, and let providers withdraw or drop out.

Accepting is a saga. The payment is authorized first, outside of any unit of work; then one unit of work stores the
payment, assigns the provider, closes the other offers and stores the event. A crash in between leaves an authorization
that the reconciler releases.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from attrs import evolve, frozen

from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.masked_phones import PHONES_SHOWN, MaskedPhones, PhonePair, mask_phones, phones_step
from repaircore.kernel.money import Cents, dollars
from repaircore.kernel.timeline import OPERATOR, PROVIDER, Actor, Step
from repaircore.payments.errors import PaymentExists
from repaircore.payments.model import BEHAVIORS, NewPayment, Payment, PaymentState
from repaircore.rides.errors import BeingAccepted, OfferGone, PaymentMethodChanged, ProviderBusy
from repaircore.rides.lifecycles import OFFERS, Action, OfferAction, allowed
from repaircore.rides.model import (
    DispatchStatus,
    Offer,
    OfferStatus,
    ProviderCard,
    Ride,
    Scenario,
    Status,
)
from repaircore.rides.offering import (
    Candidate,
    close_undecided,
    create_offer,
    phone_pair,
    promised_arrival,
)
from repaircore.rides.ports import RideCaller, RidesWork
from repaircore.rides.transitions import RideTransitions, dispatch_status

_TAKEN_BACK: Final = "decline"
"""The action in the timeline step of a provider who withdraws an offer."""

_TIME_TO_CHOOSE: Final = timedelta(minutes=10)
"""The minimum time that a ride stays pending after its provider drops out."""

_OF_FIRST_PAYMENT: Final = frozenset({Scenario.PAYMENT_TIMEOUT, Scenario.PAYMENT_UNAVAILABLE})
_OF_EVERY_PAYMENT: Final = frozenset(
    {Scenario.CAPTURE_TIMEOUT, Scenario.VOID_TIMEOUT, Scenario.REFUND_TIMEOUT}
)


@frozen(kw_only=True)
class AuthorizedOffer:
    """An offer and its authorized payment, for ``assign`` to store; ``result`` is None if an earlier attempt stored it.

    ``phones`` has the masked number, if any, through which customer and provider call each other.
    """

    offer: Offer
    payment: Payment
    result: Payment | None
    phones: MaskedPhones = PHONES_SHOWN


class OfferAcceptance(RideTransitions):
    """Use cases for a ride's offers, and for providers who drop out."""

    def list_offers(self, ref: str) -> list[Offer]:
        """List all offers ever made for a ride, oldest first, for the operator.

        Raises:
            NoRide: there is no ride with this reference.
        """
        at = self.clock()
        with self.read() as work:
            return [offer.as_of(at) for offer in work.offers.list_for(self._get(work, ref, None).ref)]

    def list_acceptable_offers(self, ref: str, caller: RideCaller) -> list[Offer]:
        """List the offers that can be accepted now, soonest arrival first; there are none unless the ride is pending.

        Raises:
            NoRide: the caller has no ride with this reference.
        """
        with self.read() as work:
            return self._acceptable_offers(work, self._get(work, ref, caller), at=self.clock())

    def resolve_provider(self, ref: str, provider: str, caller: PartnerCaller) -> str:
        """Return the reference of the provider with the id ``provider``, or ``provider`` itself if no offer has it.

        Raises:
            NoRide: the caller has no ride with this reference.
        """
        with self.read() as work:
            self._get(work, ref, caller)
            refs = {str(offer.provider_id): offer.provider_ref for offer in work.offers.list_for(ref)}
        return refs.get(provider, provider)

    def accept_offer(
        self, ref: str, provider_ref: str, caller: PartnerCaller, *, claim: str | None = None
    ) -> Ride:
        """Accept a provider's offer: authorize the payment, assign the provider and close the other offers.

        ``claim`` identifies the request, so that a retry finds the earlier result. If several requests compete, one
        wins.

        Raises:
            NoRide: the caller has no ride with this reference.
            OfferGone: the provider has no open offer.
            Conflict: the status does not allow it, the payment was declined, the payment method was changed, the driver
                took another ride, or another request is accepting or has accepted an offer.
            GatewayUnavailable: the outcome of the authorization is unknown; the reconciler releases it if it succeeded.
        """
        return self.assign(ref, self.authorize(ref, provider_ref, caller, claim=claim), caller)

    def authorize(
        self, ref: str, provider_ref: str, caller: PartnerCaller, *, claim: str | None = None
    ) -> AuthorizedOffer:
        """Authorize the payment for an offer: the first half of ``accept_offer``, which makes all gateway calls."""
        self._decline_in_sandbox(ref, provider_ref, caller)
        with self.transaction() as work:
            ride = self._get(work, ref, caller)
            earlier = self._find_accepted(work, ride, provider_ref, claim)
            if earlier is not None:
                return earlier
            self._next_status(ride, Action.ACCEPT_OFFER)
            offer = self._choose_offer(work, ride, provider_ref)
            payment = self._start_payment(work, ride, offer, claim)
            pair = self._phone_pair(work, ride, offer, caller)
        result = self.payments.perform(payment)
        if result.state is PaymentState.DECLINED:
            self._record_declined(payment, result)
            raise _declined(ride, result)
        phones = PHONES_SHOWN if self.masking is None else mask_phones(self.masking, pair)
        return AuthorizedOffer(offer=offer, payment=payment, result=result, phones=phones)

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
                # The provider became busy after the authorization; an open offer could be accepted once they are free.
                self._defer_quietly(lambda: self._withdraw_offer(ref, authorized.offer))
            raise

    def decline_offer(self, ref: str, provider_ref: str | None, caller: PartnerCaller) -> Ride:
        """Decline a provider's offer; by default, the one with the soonest arrival.

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

    def take_back_offer(
        self, ref: str, provider_ref: str | None, caller: PartnerCaller, *, actor: Actor
    ) -> Ride:
        """Withdraw an open offer on behalf of its provider; by default, the one with the soonest arrival.

        Raises:
            NoRide: the caller has no ride with this reference.
            OfferGone: there is no such open offer.
            Conflict: the ride is not pending.
        """
        with self.transaction() as work:
            ride = self._lock(work, ref, caller)
            self._next_status(ride, Action.ACCEPT_OFFER)
            offer, at = self._choose_offer(work, ride, provider_ref), self.clock()
            self.withdraw_offer(work, offer, at=at)
            detail = {"provider_ref": offer.provider_ref}
            work.timelines.add(ref, Step.within(ride.status, _TAKEN_BACK, at=at, actor=actor, detail=detail))
            return ride

    def drop_out(
        self, ref: str, caller: RideCaller = None, *, actor: Actor = OPERATOR, reason: str | None = None
    ) -> Ride:
        """Take the provider off a ride: return it to pending, release the payment and ask other providers.

        Raises:
            NoRide: the caller has no ride with this reference.
            Conflict: the status does not allow it.
        """
        while True:
            with self.read() as work:
                ride = self._get(work, ref, caller)
            self._next_status(ride, Action.DROP_OUT)
            reopened = self._reopen(ride, actor, reason)
            if reopened is not None:
                return reopened

    def add_offer(
        self,
        work: RidesWork,
        ride: Ride,
        candidate: Candidate,
        *,
        eta_minutes: int,
        price: Cents | None = None,
        at: datetime,
    ) -> tuple[Ride, Offer]:
        """Store a provider's offer for a pending ride that the unit of work has locked; return the ride and the offer.

        ``price`` defaults to the quoted fare and must not exceed it.
        """
        detail: dict[str, Any] = {"provider_ref": candidate.ref, "eta_minutes": eta_minutes}
        if price is not None:
            detail["price"] = dollars(price)
        step = Step.within(ride.status, "offer", at=at, actor=PROVIDER, detail=detail)
        offer = create_offer(ride, candidate, eta_minutes=eta_minutes, price=price, at=at)
        saved = work.rides.replace(ride, evolve(ride, dispatch=DispatchStatus.OFFERS, updated_at=at))
        work.timelines.add(ride.ref, step)
        (stored,) = work.offers.add([offer])
        self._add_events(work, saved, stored)
        return saved, stored

    def withdraw_offer(self, work: RidesWork, offer: Offer, *, at: datetime) -> None:
        """Withdraw an offer on behalf of its provider; the unit of work must have locked the ride."""
        for old, new in close_undecided([offer], OfferAction.WITHDRAW, at=at):
            work.offers.replace(old, new)

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
            detail={"provider_ref": offer.provider_ref, "price": dollars(offer.price)},
            offer_id=offer.id,
            price=offer.price,
            provider_ref=offer.provider_ref,
            provider_name=offer.provider_name,
            provider_card=self._card(work, ride, authorized),
            at=at,
            accepted_at=at,
            eta_at=promised_arrival(ride, offer, at=at, late_minutes=self.fares.cancellation.late_minutes),
        )
        for step in phones_step(authorized.phones, saved.status, at=at):
            work.timelines.add(ref, step)
        try:
            self.payments.save_result(work, authorized.payment, result)
        except Conflict:
            raise BeingAccepted(
                ride.status, allowed(ride)
            ) from None  # the reconciler has abandoned it in the meantime
        work.offers.replace(offer, offer.closed(OFFERS.after(offer.status, OfferAction.ACCEPT), at=at))
        self._close_offers(work, saved, at=at)
        self._add_events(work, saved, "accepted")
        self.failpoint("rides.accept.after_assign")
        if Scenario.DRIVER_CANCELS in saved.scenarios and is_first:
            # The partner may have canceled first, so a conflict is not an error.
            self._defer_quietly(lambda: self._drop_out_in_sandbox(ref))
        return saved

    def _phone_pair(
        self, work: RidesWork, ride: Ride, offer: Offer, caller: PartnerCaller
    ) -> PhonePair | None:
        """Return the phone numbers to mask, or None if numbers are not masked or one of the two is missing."""
        if self.masking is None:
            return None
        customer = work.customers.find(ride.customer_ref, caller)
        card = self.candidates.card(work, offer.provider_ref, ride.environment)
        if customer is None:
            return None
        return phone_pair(ride, offer, customer=customer.phone, provider=card.phone, at=self.clock())

    def _card(self, work: RidesWork, ride: Ride, authorized: AuthorizedOffer) -> ProviderCard:
        card = self.candidates.card(work, authorized.offer.provider_ref, ride.environment)
        return evolve(card, phones=authorized.phones)

    def _require_still_acceptable(
        self, work: RidesWork, ride: Ride, offer: Offer, payment: Payment, *, at: datetime
    ) -> None:
        """Raise a Conflict if the offer or the payment method has changed since the payment was authorized."""
        if offer.status is not OfferStatus.OFFERED:
            raise _offer_gone(ride, self._acceptable_offers(work, ride, at=at))
        if ride.payment_method != payment.payment_method:
            raise PaymentMethodChanged(ride.status, allowed(ride))

    def _decline_in_sandbox(self, ref: str, provider_ref: str, caller: PartnerCaller) -> None:
        """In the scenario ``driver_declines``, withdraw the first offer to be accepted, so that accepting it fails."""
        with self.read() as work:
            ride = self._get(work, ref, caller)
            if Scenario.DRIVER_DECLINES not in ride.scenarios:
                return
            if any(step.action == _TAKEN_BACK for step in work.timelines.list_for(ref)):
                return
        with suppress(Conflict):  # the acceptance reports a missing offer or a changed ride
            self.take_back_offer(ref, provider_ref, caller, actor="sandbox")

    def _drop_out_in_sandbox(self, ref: str) -> None:
        self.drop_out(ref, actor="sandbox")

    def _reopen(self, ride: Ride, actor: Actor, reason: str | None) -> Ride | None:
        """Return a ride to pending and store new offers for it; return None if it changed since it was read."""
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
                detail={
                    "provider_ref": ride.provider_ref,
                    **({} if reason is None else {"reason": reason}),
                },
                offer_id=None,
                price=None,
                provider_ref=None,
                provider_name=None,
                provider_card=None,
                eta_at=None,
                en_route_at=None,
                position=None,
                dispatch=dispatch_status(offers),
                wave=0,
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
        """Return the offer that an earlier attempt of the same request accepted, or None."""
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
            # An earlier attempt of the same request authorized it but got no response; it is being released.
            raise BeingAccepted(ride.status, allowed(ride))
        return payment

    def _new_payment(self, work: RidesWork, ride: Ride, offer: Offer, claim: str | None) -> NewPayment:
        earlier = work.payments.list_for(ride.ref, environment=ride.environment)
        scripted = ride.scenarios & _OF_EVERY_PAYMENT
        if not earlier:
            scripted |= ride.scenarios & _OF_FIRST_PAYMENT
        if not earlier or earlier[0].payment_method == ride.payment_method:
            scripted |= ride.scenarios & {Scenario.PAYMENT_DECLINED}
        return NewPayment(
            partner_id=ride.partner_id,
            environment=ride.environment,
            subject=ride.ref,
            offer_ref=offer.provider_ref,
            amount=offer.price,
            claim=claim,
            payment_method=ride.payment_method,
            sandbox=BEHAVIORS.join(sorted(scripted)) or None,
        )

    def _record_declined(self, payment: Payment, result: Payment) -> None:
        # A Conflict means that another attempt of the same request has recorded it.
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
