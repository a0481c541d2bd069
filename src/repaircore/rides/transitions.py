"""What the use cases for rides share: their ports, and the transitions of a ride."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

from attrs import evolve, field, frozen

from repaircore.json_text import plain
from repaircore.kernel.callers import LOCAL, ProviderCaller
from repaircore.kernel.errors import Failure
from repaircore.kernel.events import Event
from repaircore.kernel.masked_phones import NumberMasking
from repaircore.kernel.money import Cents, dollars_or_none
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.timeline import OPERATOR, PROVIDER, Actor, Step
from repaircore.kernel.types import Clock, NewId
from repaircore.payments.errors import Contradiction
from repaircore.payments.model import Payment, PaymentState
from repaircore.payments.ports import Failpoint, ignore_failpoint
from repaircore.payments.service import Payments
from repaircore.rides.fares import FareTable
from repaircore.rides.lifecycles import LIFECYCLES, Action, OfferAction, allowed
from repaircore.rides.model import DispatchStatus, Offer, Ride, RideKind, Status
from repaircore.rides.offering import OfferHistory, close_undecided, create_offers, open_offers
from repaircore.rides.ports import (
    CandidateSource,
    Defer,
    HasPrediction,
    Invoices,
    OpenWork,
    QuoteSeal,
    RideCaller,
    RideDetails,
    RidesWork,
    ZoneAt,
    find_ride,
    lock_ride,
)
from repaircore.rides.views import offer_view, ride_view

_SPARE: Final = 8
"""How many candidates to find in addition to those who must not be asked again."""

_log = logging.getLogger(__name__)


@frozen(kw_only=True)
class RideTransitions:
    """The ports of the use cases, and the shared parts of every change: the ride, its timeline and its events."""

    kind: RideKind
    transaction: OpenWork
    read: OpenWork
    details: RideDetails
    defer: Defer
    payments: Payments
    candidates: CandidateSource
    invoices: Invoices
    fares: FareTable
    seal: QuoteSeal
    zone_at: ZoneAt
    has_prediction: HasPrediction
    masking: NumberMasking | None
    new_id: NewId
    clock: Clock
    failpoint: Failpoint = field(default=ignore_failpoint, repr=False)

    def _get(self, work: RidesWork, ref: str, caller: RideCaller) -> Ride:
        """Return the caller's ride with this reference.

        Raises:
            NoRide: the caller has no ride with this reference.
        """
        return find_ride(work, self.kind, ref, caller)

    def _lock(self, work: RidesWork, ref: str, caller: RideCaller) -> Ride:
        """Return the caller's ride with this reference, locked until the unit of work ends.

        Raises:
            NoRide: the caller has no ride with this reference.
        """
        return lock_ride(work, self.kind, ref, caller)

    def _lock_unchanged(self, work: RidesWork, ride: Ride) -> bool:
        """Lock a ride that was read before the unit of work, and return whether it is still unchanged."""
        current = work.rides.lock(ride.ref, self.kind, None)
        return current is not None and current.version == ride.version

    def _next_status(self, ride: Ride, action: Action) -> Status:
        """Return the status that an action leads to.

        Raises:
            Conflict: the status does not allow the action; the details list what the partner may do instead.
        """
        return LIFECYCLES[ride.kind].after(ride.status, action, allowed=allowed(ride))

    def _apply(
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
        """Apply an action: save the ride with its next status and append a timeline step; ``at`` defaults to now.

        Actions of an operator are also written to the audit log.

        Raises:
            Conflict: the status does not allow the action, or the ride was changed concurrently.
        """
        at = at or self.clock()
        status = self._next_status(ride, action)
        saved = work.rides.replace(
            ride, evolve(ride.with_phones_as_of(at), status=status, updated_at=at, **changes)
        )
        step = Step(at=at, action=action, before=ride.status, after=status, actor=actor, detail=detail)
        work.timelines.add(ride.ref, step)
        if actor == OPERATOR:
            before, after = _audited(ride), _audited(saved)
            work.audit.add(
                LOCAL, f"{ride.kind}.{action}", f"rides/{ride.ref}", before=before, after=after, at=at
            )
        return saved

    def _add_events(
        self, work: RidesWork, ride: Ride, *changes: str | Offer, actor: str | None = None
    ) -> None:
        """Store the events for the given changes, in order; a change is the name of an event, or a new offer.

        Save the ride earlier in the same unit of work. ``actor`` is who made the change, if that is not obvious.
        """
        payments = work.payments.list_for(ride.ref, environment=ride.environment)
        by = {} if actor is None else {"actor": actor}
        for change in changes:
            word, extra = (
                ("offer_received", {"offer": offer_view(change, ride.kind)})
                if isinstance(change, Offer)
                else (change, by)
            )
            work.outbox.add(ride_event(ride, word, payments, self.new_id, **extra))

    def _offer_history(self, ref: str) -> OfferHistory:
        """Return a ride's offers and timeline; read the ride first, so that saving it detects a concurrent change."""
        with self.read() as work:
            return OfferHistory(offers=work.offers.list_for(ref), steps=work.timelines.list_for(ref))

    def _new_offers(
        self, ride: Ride, history: OfferHistory, *, at: datetime, are_first: bool = False
    ) -> list[Offer]:
        """Return new offers, not yet stored, from providers who may be asked now; call it outside a unit of work."""
        excluded = history.excluded(at)
        found = self.candidates.find_candidates(ride, at=at, limit=len(excluded) + _SPARE)
        invited = [candidate for candidate in found if candidate.ref not in excluded]
        return create_offers(ride, invited, self.fares, at=at, are_first=are_first)

    def _acceptable_offers(self, work: RidesWork, ride: Ride, *, at: datetime) -> list[Offer]:
        """Return the offers that can be accepted at a time, soonest arrival first.

        Offers of providers who are now inactive or on another ride are omitted.
        """
        if ride.as_of(at).status is not Status.PENDING:
            return []
        offers = open_offers(work.offers.list_for(ride.ref), at=at)
        available = self.candidates.available(work, [offer.provider_ref for offer in offers])
        return [offer for offer in offers if offer.provider_ref in available]

    def _close_offers(
        self, work: RidesWork, ride: Ride, action: OfferAction = OfferAction.WITHDRAW, *, at: datetime
    ) -> None:
        """Close all undecided offers for a ride."""
        for old, new in close_undecided(work.offers.list_for(ride.ref), action, at=at):
            work.offers.replace(old, new)

    def _active_payment(self, work: RidesWork, ride: Ride) -> Payment | None:
        return work.payments.find_active(ride.ref, environment=ride.environment)

    def _release(self, work: RidesWork, ride: Ride, reason: str, *, fee: Cents = 0) -> None:
        """Record that a ride's payments are released, except for a fee that is captured; the gateway is called later.

        The fee is captured from the first payment, and any remainder from the payments for changed destinations.
        """
        for payment in self._authorized_payments(work, ride):
            share = min(fee, payment.amount)
            fee -= share
            ending = self.payments.start_ending(work, payment, share, reason)
            if ending is not None:
                self._defer_quietly(partial(self._finish_if_committed, ending))

    def _authorized_payments(self, work: RidesWork, ride: Ride) -> list[Payment]:
        """Return the authorized payments of a ride, the original one before those for changed destinations."""
        payments = work.payments.list_for(ride.ref, environment=ride.environment)
        authorized = (payment for payment in payments if payment.state is PaymentState.AUTHORIZED)
        return sorted(authorized, key=lambda payment: payment.part)

    def _finish_if_committed(self, payment: Payment) -> None:
        """Finish a payment's pending step at the gateway, unless the unit of work that recorded it was rolled back."""
        with self.read() as work:
            stored = work.payments.find(payment.id)
        if stored == payment:
            self.payments.finish(payment)

    def _defer_quietly(self, act: Callable[[], None]) -> None:
        """Defer a step that the caller does not wait for; if it fails, the reconciler retries it.

        Failures that the reconciler cannot repair are logged.
        """

        def act_or_log() -> None:
            try:
                act()
            except Contradiction as error:
                _log.warning("A payment needs attention: %s", error.message)
            except Failure:
                return

        self.defer(act_or_log)


def actor_of(caller: RideCaller) -> Actor:
    """Return the actor for a caller; None means the operator."""
    if caller is None:
        return OPERATOR
    return PROVIDER if isinstance(caller, ProviderCaller) else "partner"


def dispatch_status(offers: Sequence[Offer]) -> DispatchStatus:
    """Return the status of a search for a provider that starts with these offers."""
    return DispatchStatus.OFFERS if offers else DispatchStatus.ASKING


def _audited(ride: Ride) -> dict[str, Any]:
    return {"status": str(ride.status), "fee": dollars_or_none(ride.fee)}


def ride_event(ride: Ride, change: str, payments: Sequence[Payment], new_id: NewId, **extra: Any) -> Event:
    """Return the event for a change to a ride; ``extra`` are the event's own fields."""
    return Event(
        id=reference(Kind.EVENT, new_id()),
        type=f"{ride.kind}.{change}",
        partner_id=ride.partner_id,
        environment=ride.environment,
        subject=ride.ref,
        data={**plain(ride_view(ride.with_phones_as_of(ride.updated_at), payments)), **plain(extra)},
        created_at=ride.updated_at,
    )
