"""An offer is accepted, declined, or taken back.

Accepting is a saga: money is held first, outside of any unit of work; then, in one, the payment is kept with what it is
for: the driver assigned, the other offers closed, the event written. Whoever dies between leaves an authorization
that the reconciler undoes.
"""

from datetime import timedelta

from attrs import frozen

from repaircore.kernel.errors import Conflict
from repaircore.kernel.partners import PartnerCaller
from repaircore.payments.errors import Contradiction, GatewayUnavailable, PaymentExists
from repaircore.payments.model import NewPayment, Payment, PaymentState
from repaircore.roadside.desk import Desk
from repaircore.roadside.errors import BeingAccepted, OfferGone
from repaircore.roadside.lifecycles import JOBS, OFFERS, Action, OfferAction
from repaircore.roadside.model import Job, Offer, Scenario, Status
from repaircore.roadside.offering import close_others, current, open_ones
from repaircore.roadside.ports import RoadsideWork

__all__ = ["Acceptance", "Authorized"]

_STEERED = frozenset({Scenario.PAYMENT_DECLINED, Scenario.PAYMENT_TIMEOUT})


@frozen(kw_only=True)
class Authorized:
    """Money that is held for an offer, not yet kept with what it is for. ``outcome`` None: it was kept before."""

    offer: Offer
    payment: Payment
    outcome: Payment | None


class Acceptance(Desk):
    """The use cases of offers."""

    def accept_offer(
        self, ref: str, provider_ref: str, caller: PartnerCaller, *, claim: str | None = None
    ) -> Job:
        """Have an offer's provider come: the money is held, they are assigned, the other offers are closed.

        ``claim`` names the request: the same one again finds what it did. Of several at once, one wins.

        Raises:
            NoJob: the caller has none of this reference.
            OfferGone: nobody of this reference offers (any more).
            Conflict: the state does not allow it, the payment was declined, or another acceptance was quicker.
            GatewayUnavailable: whether the money is held is not known; it is found out, and undone, without the caller.
        """
        return self.assign(ref, self.authorize(ref, provider_ref, caller, claim=claim), caller)

    def authorize(
        self, ref: str, provider_ref: str, caller: PartnerCaller, *, claim: str | None = None
    ) -> Authorized:
        """Hold the money for an offer: the first half of ``accept_offer``, which asks outside."""
        with self.begin() as work:
            job = self.found(work, ref, caller)
            done = self._done_before(work, job, provider_ref, claim)
            if done is not None:
                return done
            JOBS[self.kind].after(job.status, Action.ACCEPT_OFFER)
            offer = self._chosen(work, job, provider_ref)
            try:
                payment = self.payments.start(work, _order(job, offer, claim))
            except PaymentExists:
                raise BeingAccepted(job.status) from None
        outcome = self.payments.perform(payment)
        if outcome.state is PaymentState.DECLINED:
            with self.begin() as work:
                self.payments.keep(work, payment, outcome)
            raise Conflict(
                f"The payment was declined: {outcome.reason}.",
                details={
                    "status": str(job.status),
                    "allowed": [str(action) for action in JOBS[self.kind].allowed(job.status)],
                    "reason": "payment_declined",
                },
            )
        return Authorized(offer=offer, payment=payment, outcome=outcome)

    def assign(self, ref: str, authorized: Authorized, caller: PartnerCaller) -> Job:
        """Keep the payment and assign the provider: the second half of ``accept_offer``, one unit of work."""
        if authorized.outcome is None:
            with self.look() as work:
                return self.found(work, ref, caller)
        try:
            with self.begin() as work:
                return self._assigned(work, ref, authorized, authorized.outcome, caller)
        except Conflict:
            self._call_off(authorized.payment, authorized.outcome)
            raise

    def decline_offer(self, ref: str, provider_ref: str | None, caller: PartnerCaller) -> Job:
        """Decline the offer of a provider, else the one that would be there first.

        Raises:
            NoJob: the caller has none of this reference.
            OfferGone: there is no such open offer.
            Conflict: the state does not allow it.
        """
        with self.begin() as work:
            job = self.found(work, ref, caller)
            JOBS[self.kind].after(job.status, Action.DECLINE_OFFER)
            offer = self._chosen(work, job, provider_ref)
            kept = self.moved(work, job, Action.DECLINE_OFFER, detail={"provider_ref": offer.provider_ref})
            declined = offer.closed(OFFERS.after(offer.status, OfferAction.DECLINE), at=kept.updated_at)
            work.offers.replace(offer, declined)
            return kept

    def drop_out(self, ref: str, caller: PartnerCaller | None = None, *, actor: str = "operator") -> Job:
        """Have the provider drop out who was on the way: the money is released, and others are asked.

        Raises:
            NoJob: there is none of this reference.
            Conflict: nobody is on the way.
        """
        with self.look() as work:
            job = self.found(work, ref, caller)
            asked = work.offers.of(ref)
        JOBS[self.kind].after(job.status, Action.DROP_OUT)
        at = self.clock()
        offers = self.invited(job, asked, at=at)
        with self.begin() as work:
            kept = self.moved(
                work,
                job,
                Action.DROP_OUT,
                actor=actor,
                detail={"provider_ref": job.provider_ref},
                offer_id=None,
                provider_ref=None,
                provider_name=None,
                eta_at=None,
                accepted_at=None,
                arrived_at=None,
                expires_at=max(job.expires_at, at + _TO_CHOOSE_AGAIN),
            )
            for offer in asked:
                if offer.id == job.offer_id:
                    work.offers.replace(offer, offer.withdrawn(at=at))
            self.let_go(work, job, "provider_dropped_out")
            self.tell(work, kept, "reopened")
            self.offer(work, kept, offers)
            return kept

    def _assigned(
        self, work: RoadsideWork, ref: str, authorized: Authorized, outcome: Payment, caller: PartnerCaller
    ) -> Job:
        job, offer, at = self.found(work, ref, caller), authorized.offer, self.clock()
        self.failpoint("roadside.accept.before_assign")
        kept = self.moved(
            work,
            job,
            Action.ACCEPT_OFFER,
            detail={"provider_ref": offer.provider_ref},
            offer_id=offer.id,
            provider_ref=offer.provider_ref,
            provider_name=offer.provider_name,
            accepted_at=at,
            eta_at=at + timedelta(minutes=offer.eta_minutes),
        )
        self.payments.keep(work, authorized.payment, outcome)
        offers = work.offers.of(ref)
        standing = next(one for one in offers if one.id == offer.id)
        work.offers.replace(
            standing, standing.closed(OFFERS.after(standing.status, OfferAction.ACCEPT), at=at)
        )
        closed = {one.id: one for one in close_others(offers, offer, at=at)}
        for one in offers:
            if one.id in closed:
                work.offers.replace(one, closed[one.id])
        self.tell(work, kept, "accepted")
        self.failpoint("roadside.accept.after_assign")
        if kept.scenario is Scenario.DRIVER_CANCELS and len(offers) == len(closed) + 1:
            self.afterwards(lambda: self._drops_out(ref))
        return kept

    def _drops_out(self, ref: str) -> None:
        """Have the sandbox's driver drop out, once; a partner that was quicker is right."""
        try:
            self.drop_out(ref, actor="sandbox")
        except Conflict:
            return

    def _done_before(
        self, work: RoadsideWork, job: Job, provider_ref: str, claim: str | None
    ) -> Authorized | None:
        """Find what the same request did before it got no answer."""
        payment = self.held(work, job)
        if claim is None or payment is None or payment.claim != claim or job.status is Status.PENDING:
            return None
        offer = next((one for one in work.offers.of(job.ref) if one.id == job.offer_id), None)
        if offer is None or offer.provider_ref != provider_ref:
            return None
        return Authorized(offer=offer, payment=payment, outcome=None)

    def _chosen(self, work: RoadsideWork, job: Job, provider_ref: str | None) -> Offer:
        at, offers = self.clock(), work.offers.of(job.ref)
        standing = [] if at >= job.expires_at else open_ones(offers, at=at)
        found = (
            current(standing, at=at)
            if provider_ref is None
            else next((one for one in standing if one.provider_ref == provider_ref), None)
        )
        if found is None:
            raise OfferGone(job.status, [one.provider_ref for one in standing])
        return found

    def _call_off(self, payment: Payment, outcome: Payment) -> None:
        def act() -> None:
            try:
                self.payments.call_off(payment, outcome)
            except (GatewayUnavailable, Contradiction, Conflict):
                return  # the reconciler finds it

        self.afterwards(act)


_TO_CHOOSE_AGAIN = timedelta(minutes=10)
"""How long a job waits at least once its provider has dropped out."""


def _order(job: Job, offer: Offer, claim: str | None) -> NewPayment:
    return NewPayment(
        partner_id=job.partner_id,
        environment=job.environment,
        subject=job.ref,
        offer_ref=offer.provider_ref,
        amount=offer.price,
        claim=claim,
        payment_method=job.payment_method,
        sandbox=str(job.scenario) if job.scenario in _STEERED else None,
    )
