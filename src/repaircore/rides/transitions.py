"""What all use cases of roadside rides share: where things are kept, and how a change is written."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from attrs import evolve, field, frozen

from repaircore.kernel.callers import LOCAL, PartnerCaller
from repaircore.kernel.errors import Failure
from repaircore.kernel.money import Cents, dollars_or_none
from repaircore.kernel.timeline import OPERATOR, Actor, Step
from repaircore.kernel.types import Clock, NewId
from repaircore.payments.errors import Contradiction
from repaircore.payments.model import Payment
from repaircore.payments.ports import Failpoint, pass_by
from repaircore.payments.service import Payments
from repaircore.rides.errors import NoRide
from repaircore.rides.fares import FareTable
from repaircore.rides.lifecycles import LIFECYCLES, Action, OfferAction, allowed
from repaircore.rides.model import Offer, Ride, RideKind, Status
from repaircore.rides.offering import closed, not_asked, offers_for, open_ones
from repaircore.rides.ports import (
    Afterwards,
    CandidateSource,
    Invoices,
    OpenWork,
    QuoteSeal,
    RidesWork,
    Sessions,
    ZoneAt,
)
from repaircore.rides.views import offer_view, ride_event


@frozen(kw_only=True)
class OfferHistory:
    """Who was asked for a ride so far: the offers that came of it, and what became of the ride."""

    offers: Sequence[Offer] = ()
    steps: Sequence[Step] = ()


_log = logging.getLogger(__name__)


@frozen(kw_only=True)
class RideTransitions:
    """The ports, and the steps that every change of a ride is made of: the ride, its timeline, its event."""

    kind: RideKind
    transaction: OpenWork
    read: OpenWork
    afterwards: Afterwards
    payments: Payments
    roster: CandidateSource
    invoices: Invoices
    table: FareTable
    seal: QuoteSeal
    zone_at: ZoneAt
    was_predicted: Sessions
    new_id: NewId
    clock: Clock
    failpoint: Failpoint = field(default=pass_by, repr=False)

    def _found(self, work: RidesWork, ref: str, caller: PartnerCaller | None) -> Ride:
        """Give a ride of the caller's.

        Raises:
            NoRide: the caller has none of this reference.
        """
        ride = work.rides.by_ref(ref, self.kind, caller)
        if ride is None:
            raise NoRide
        return ride

    def _locked(self, work: RidesWork, ref: str, caller: PartnerCaller | None) -> Ride:
        """Give a ride of the caller's to be changed: who else is changing it now is waited for, who comes later waits.

        Raises:
            NoRide: the caller has none of this reference.
        """
        ride = work.rides.lock(ref, self.kind, caller)
        if ride is None:
            raise NoRide
        return ride

    def _is_unchanged(self, work: RidesWork, ride: Ride) -> bool:
        """Tell whether a ride stands as it was seen before the unit of work; it stays so until that ends."""
        now = work.rides.lock(ride.ref, self.kind, None)
        return now is not None and now.version == ride.version

    def _after(self, ride: Ride, action: Action) -> Status:
        """Give the status that an action leads to.

        Raises:
            Conflict: the state does not allow it; what the partner may do instead is told.
        """
        return LIFECYCLES[ride.kind].after(ride.status, action, allowed=allowed(ride))

    def _moved(
        self,
        work: RidesWork,
        ride: Ride,
        action: Action,
        *,
        actor: Actor = "partner",
        at: datetime | None = None,
        detail: dict[str, Any] | None = None,
        **changes: Any,
    ) -> Ride:
        """Write what an action makes of a ride at a moment, which is now, and the step into its timeline.

        What an operator does stands in the audit log too.

        Raises:
            Conflict: the state does not allow it, or somebody else was quicker.
        """
        at = at or self.clock()
        status = self._after(ride, action)
        kept = work.rides.replace(ride, evolve(ride, status=status, updated_at=at, **changes))
        step = Step(at=at, action=action, before=ride.status, after=status, actor=actor, detail=detail)
        work.timelines.add(ride.ref, step)
        if actor == OPERATOR:
            told = {"status": str(status), "fee": dollars_or_none(kept.fee)}
            before = {"status": str(ride.status), "fee": dollars_or_none(ride.fee)}
            work.audit.add(
                LOCAL, f"{ride.kind}.{action}", f"rides/{ride.ref}", before=before, after=told, at=at
            )
        return kept

    def _tell(self, work: RidesWork, ride: Ride, *happened: str | Offer, actor: str | None = None) -> None:
        """Write the events of what happened, in order: a word of it, or an offer that came in; the ride was written before.

        ``actor`` is whose doing the word was, where that may be somebody else's than usual.
        """
        payments = work.payments.of(ride.ref, environment=ride.environment)
        for one in happened:
            what, more = (
                ("offer_received", {"offer": offer_view(one, ride.kind)})
                if isinstance(one, Offer)
                else (one, {} if actor is None else {"actor": actor})
            )
            work.outbox.add(ride_event(ride, what, payments, self.new_id, **more))

    def _asked(self, ref: str) -> OfferHistory:
        """Read who was asked for a ride so far, and what became of it; the ride is to be read before, not after."""
        with self.read() as work:
            return OfferHistory(offers=work.offers.of(ref), steps=work.timelines.list_for(ref))

    def _invited(
        self, ride: Ride, asked: OfferHistory, *, at: datetime, are_first: bool = False
    ) -> list[Offer]:
        """Make the offers of those who are asked now; called outside of a unit of work."""
        barred = not_asked(asked.offers, asked.steps, at=at)
        able = self.roster.candidates(ride, at=at, limit=len(barred) + _SPARE)
        free = [one for one in able if one.ref not in barred]
        return offers_for(ride, free, self.table, at=at, are_first=are_first)

    def _standing(self, work: RidesWork, ride: Ride, *, at: datetime) -> list[Offer]:
        """Give the offers of a ride that can be accepted at a moment, the soonest arrival first.

        Whoever is on another ride by now, or gets no more requests, is left out.
        """
        if ride.seen(at).status is not Status.PENDING:
            return []
        offers = open_ones(work.offers.of(ride.ref), at=at)
        free = self.roster.free(work, [one.provider_ref for one in offers])
        return [one for one in offers if one.provider_ref in free]

    def _close_offers(
        self, work: RidesWork, ride: Ride, action: OfferAction = OfferAction.WITHDRAW, *, at: datetime
    ) -> None:
        """Close all offers of a ride that nobody decided on."""
        for old, new in closed(work.offers.of(ride.ref), action, at=at):
            work.offers.replace(old, new)

    def _held(self, work: RidesWork, ride: Ride) -> Payment | None:
        """Give the payment that stands for a ride, None when there is none."""
        return work.payments.living(ride.ref, environment=ride.environment)

    def _settle(self, payment: Payment) -> None:
        """Do, as soon as nothing is being written, what is under way with a payment; what fails is left to the reconciler.

        Nothing is done when it turns out that the unit of work, and the payment with it, was not kept.
        """

        def act() -> None:
            if self._kept(payment) == payment:
                self.payments.finish(payment)

        self._quietly_afterwards(act)

    def _quietly_afterwards(self, act: Callable[[], None]) -> None:
        """Do something that is answered for already: whether it fails is the reconciler's business, nobody else's.

        But what the reconciler cannot put right either is said in the log.
        """

        def tried() -> None:
            try:
                act()
            except Contradiction as failure:
                _log.warning("Somebody has to look: %s", failure.message)
            except Failure:
                return

        self.afterwards(tried)

    def _kept(self, payment: Payment) -> Payment | None:
        with self.read() as work:
            return work.payments.by_id(payment.id)

    def _release(self, work: RidesWork, ride: Ride, reason: str, *, fee: Cents = 0) -> None:
        """Write that what is held for a ride is released but for a fee that is taken, and have it done afterwards."""
        payment = self._held(work, ride)
        ending = None if payment is None else self.payments.start_ending(work, payment, fee, reason)
        if ending is not None:
            self._settle(ending)


_SPARE = 8
"""Candidates asked for beyond those who are not asked again."""
