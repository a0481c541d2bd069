"""Use cases from acceptance to the end of a ride: arrival, start, completion, cancellation, rating and refunds.

The decision and its effect on the payment are stored in one unit of work; the gateway is called afterward. So the
response depends only on the decision, and after a crash the reconciler moves the money without involving the partner.
"""

from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Any, Final

from attrs import frozen

from repaircore.json_text import plain
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.expected_fees import ExpectedFee, require_expected_fee
from repaircore.kernel.geo import Point
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.money import Cents
from repaircore.kernel.rules import Length, Range, require_valid
from repaircore.kernel.timeline import OPERATOR, Actor
from repaircore.payments.refunds import start_total_refunds
from repaircore.rides.lifecycles import COMPLETING, RATING, Action, allowed
from repaircore.rides.model import CancelReason, Position, Ride, RideKind, RideOutcome, Status
from repaircore.rides.offering import promised_arrival
from repaircore.rides.ports import RideCaller, RidesWork
from repaircore.rides.settlement import (
    Settlement,
    cancel_preview_view,
    settle_calling_off,
    settle_cancellation,
    settle_outcome,
)
from repaircore.rides.transitions import RideTransitions, actor_of
from repaircore.transactions.job_invoice import JobBill, JobInvoice


@frozen(kw_only=True)
class CancelRide:
    """Why a ride is canceled (the reason affects the fee), and the fee that the client expects from the preview."""

    reason: CancelReason | None = None
    note: Annotated[str | None, Length(0, 1000)] = None
    expected_fee: ExpectedFee = None


@frozen(kw_only=True)
class RateRide:
    """A rating of the driver or the towing business; 5 is best."""

    rating: Annotated[int, Range(1, 5)]
    comment: Annotated[str | None, Length(0, 1000)] = None


@frozen(kw_only=True)
class RefundRide:
    """How much to refund for a ride in total, including earlier refunds; by default, all that was captured."""

    amount: Cents | None = None
    reason: Annotated[str | None, Length(0, 255)] = None


REFUNDABLE_FOR: Final = timedelta(days=60)
"""How long after the end of a ride its partner may refund it (docs/decisions/partner-refunds.md)."""

_NO_REASON: Final = CancelRide()


class RideProgress(RideTransitions):
    """Use cases from acceptance to rating and refund."""

    def en_route(
        self,
        ref: str,
        caller: RideCaller,
        *,
        position: Point | None = None,
        eta_minutes: int | None = None,
        actor: Actor | None = None,
    ) -> Ride:
        """Record that the provider is on the way, and their position and arrival if given; this may be repeated.

        Values that are not given stay the same; a negative ``eta_minutes`` means that the provider is late. ``actor``
        is who reports it, by default the caller. Each report adds a timeline step and an event, but does not change the
        status.

        Raises:
            NoRide: the caller has no ride with this reference.
            Conflict: the status does not allow it.
        """
        with self.transaction() as work:
            ride, at = self._lock(work, ref, caller), self.clock()
            here = (
                None
                if position is None
                else Position(latitude=position.latitude, longitude=position.longitude, at=at)
            )
            detail = _arrival(eta_minutes)
            if here is not None:
                detail |= {"latitude": here.latitude, "longitude": here.longitude}
            saved = self._apply(
                work,
                ride,
                Action.EN_ROUTE,
                actor=actor or actor_of(caller),
                at=at,
                detail=detail or None,
                en_route_at=ride.en_route_at or at,
                position=here or ride.position,
                eta_at=ride.eta_at if eta_minutes is None else at + timedelta(minutes=eta_minutes),
            )
            self._add_events(work, saved, "en_route")
            return saved

    def arrive(self, ref: str, caller: RideCaller) -> Ride:
        """Mark the provider as arrived. A ``caller`` of None means the operator, on behalf of a partner.

        Raises:
            NoRide: the caller has no ride with this reference.
            Conflict: the status does not allow it.
        """
        return self._advance(ref, Action.ARRIVE, "driver_arrived", caller, "arrived_at")

    def start(self, ref: str, caller: RideCaller) -> Ride:
        """Mark the work, or the drive, as started. A ``caller`` of None means the operator.

        Raises:
            NoRide: the caller has no ride with this reference.
            Conflict: the status does not allow it.
        """
        return self._advance(ref, Action.START, "started", caller, "started_at")

    def complete(
        self,
        ref: str,
        caller: RideCaller,
        *,
        outcome: RideOutcome = RideOutcome.COMPLETED,
        invoice: JobInvoice | None = None,
    ) -> tuple[Ride, Settlement]:
        """Complete a ride for which a provider came, and capture the part of its price that the outcome costs.

        Return the ride and its settlement. ``invoice`` is for work on the vehicle: it is stored as a transaction, and
        compared with the prediction that led to the ride. A ``caller`` of None means the operator.

        Raises:
            NoRide: the caller has no ride with this reference.
            Invalid: ``invoice`` has invalid fields, or is given with an outcome other than ``completed``.
            Conflict: the status does not allow it.
        """
        if invoice is not None and outcome is not RideOutcome.COMPLETED:
            raise Invalid({"invoice": ["The invoice field is only allowed with the outcome completed."]})
        action = COMPLETING[outcome]
        with self.transaction() as work:
            ride = self._lock(work, ref, caller)
            settlement = settle_outcome(ride, self.fares, outcome)
            self._next_status(ride, action)
            bill = None if invoice is None else self._record_invoice(work, ride, invoice)
            saved = self._end(
                work,
                ride,
                action,
                "completed",
                settlement,
                at=self.clock(),
                actor=actor_of(caller),
                outcome=outcome,
                bill=bill,
            )
            return saved, settlement

    def call_off(self, ref: str, *, note: str | None = None) -> Ride:
        """Cancel a ride on the operator's behalf, if it has not ended: nothing is captured, and the provider is freed.

        Raises:
            NoRide: there is no ride with this reference.
            Invalid: ``note`` is longer than 1,000 characters.
            Conflict: the ride has ended.
        """
        data = CancelRide(note=note)
        require_valid(data)
        with self.transaction() as work:
            ride, at = self._lock(work, ref, None), self.clock()
            saved = self._end(
                work,
                ride,
                Action.CALL_OFF,
                "cancelled",
                settle_calling_off(ride),
                at=at,
                actor=OPERATOR,
                cancel_note=note,
            )
            self._close_offers(work, saved, at=at)
            return saved

    def cancel(self, ref: str, caller: PartnerCaller, data: CancelRide = _NO_REASON) -> Ride:
        """Cancel a pending ride, free of charge.

        Raises:
            NoRide: the caller has no ride with this reference.
            Invalid: ``note`` is too long, or ``expected_fee`` is invalid.
            Conflict: the status does not allow it.
            FeeChanged: ``expected_fee`` is not zero.
        """
        require_valid(data)
        with self.transaction() as work:
            ride, at = self._lock(work, ref, caller), self.clock()
            settlement = self._settle_cancellation(work, ride, at=at, reason=data.reason)
            self._require_expected(ride, Action.CANCEL, settlement, data)
            saved = self._apply(
                work,
                ride,
                Action.CANCEL,
                at=at,
                detail=None if data.reason is None else {"reason": str(data.reason)},
                cancel_reason=data.reason,
                cancel_note=data.note,
                fee=0,
                ended_at=at,
            )
            self._close_offers(work, saved, at=at)
            self._add_events(work, saved, "cancelled", actor="partner")
            return saved

    def cancel_accepted(
        self, ref: str, caller: PartnerCaller, data: CancelRide = _NO_REASON
    ) -> tuple[Ride, Settlement]:
        """Cancel a ride that has a provider: capture the fee and release the rest of the fare.

        Return the ride and its settlement.

        Raises:
            NoRide: the caller has no ride with this reference.
            Invalid: ``note`` is too long, or ``expected_fee`` is invalid.
            Conflict: the status does not allow it.
            FeeChanged: the fee is not ``expected_fee``, for example because the provider has arrived since the preview.
        """
        require_valid(data)
        with self.transaction() as work:
            ride, at = self._lock(work, ref, caller), self.clock()
            settlement = self._settle_cancellation(work, ride, at=at, reason=data.reason)
            self._require_expected(ride, Action.CANCEL_ACCEPTED, settlement, data)
            saved = self._end(
                work,
                ride,
                Action.CANCEL_ACCEPTED,
                "cancelled",
                settlement,
                at=at,
                actor="partner",
                cancel_reason=data.reason,
                cancel_note=data.note,
            )
            return saved, settlement

    def preview_cancellation(
        self, ref: str, caller: PartnerCaller, *, reason: CancelReason | None = None
    ) -> tuple[Action, Settlement]:
        """Return the action that would cancel a ride now (``cancel`` or ``cancel_accepted``) and what it would cost.

        Raises:
            NoRide: the caller has no ride with this reference.
            Conflict: the ride cannot be canceled.
        """
        with self.read() as work:
            ride = self._get(work, ref, caller)
            action = Action.CANCEL if ride.status is Status.PENDING else Action.CANCEL_ACCEPTED
            self._next_status(ride, action)
            return action, self._settle_cancellation(work, ride, at=self.clock(), reason=reason)

    def rate(self, ref: str, data: RateRide, caller: PartnerCaller) -> Ride:
        """Rate the provider of a completed ride, once.

        Raises:
            NoRide: the caller has no ride with this reference.
            Invalid: ``rating`` or ``comment`` is invalid.
            Conflict: the status does not allow it, or the ride has already been rated.
        """
        require_valid(data)
        with self.transaction() as work:
            ride, at = self._lock(work, ref, caller), self.clock()
            if ride.rating is not None:
                details = {"status": str(ride.status), "allowed": allowed(ride)}
                provider = "driver" if ride.kind is RideKind.MOBILE else "business"
                raise Conflict(f"The {provider} of this ride has already been rated.", details=details)
            saved = self._apply(
                work,
                ride,
                RATING[ride.kind],
                at=at,
                detail={"rating": data.rating},
                rating=data.rating,
                comment=data.comment,
                rated_at=at,
            )
            self.candidates.add_rating(work, saved, data.rating)
            self._add_events(work, saved, "rated")
            return saved

    def refund(self, ref: str, data: RefundRide, caller: PartnerCaller) -> Ride:
        """Refund part or all of what was captured for a ride, within 60 days of its end.

        Raises:
            NoRide: the caller has no ride with this reference.
            Invalid: ``reason`` is too long, or ``amount`` is more than was captured or not more than was already
                refunded.
            Conflict: nothing was captured, all of it is refunded, another refund is pending, or the ride ended too long
                ago.
        """
        require_valid(data)
        with self.transaction() as work:
            ride = self._lock(work, ref, caller)
            payments = work.payments.list_for(ref, environment=ride.environment)
            captured = [payment for payment in payments if payment.captured]
            if not captured or ride.ended_at is None:
                details = {"status": str(ride.status), "allowed": allowed(ride)}
                raise Conflict("No payment was captured for this ride.", details=details)
            if self.clock() > ride.ended_at + REFUNDABLE_FOR:
                raise Conflict(
                    f"The ride ended more than {REFUNDABLE_FOR.days} days ago. Ask the operator for a refund.",
                    details={"status": str(ride.status), "allowed": allowed(ride)},
                )
            for refunding in start_total_refunds(
                self.payments, work, captured, data.amount, reason=data.reason, actor="partner"
            ):
                self._defer_quietly(partial(self._finish_if_committed, refunding))
            return ride

    def _require_expected(self, ride: Ride, action: Action, settlement: Settlement, data: CancelRide) -> None:
        """Require that the status allows a cancellation, and that it costs what the client expects.

        Raises:
            Conflict: the status does not allow it.
            FeeChanged: it costs more or less.
        """
        self._next_status(ride, action)
        require_expected_fee(
            data.expected_fee,
            settlement.fee,
            status=ride.status,
            allowed=allowed(ride),
            preview=plain(cancel_preview_view(ride.ref, action, settlement)),
        )

    def _settle_cancellation(
        self, work: RidesWork, ride: Ride, *, at: datetime, reason: CancelReason | None
    ) -> Settlement:
        policy = self.fares.cancellation
        return settle_cancellation(ride, policy, at=at, reason=reason, promised=self._promised(work, ride))

    def _promised(self, work: RidesWork, ride: Ride) -> datetime | None:
        """Return the arrival that the accepted offer promised, or None if there is no accepted offer."""
        if ride.offer_id is None or ride.accepted_at is None:
            return None
        offer = work.offers.find_all([ride.offer_id]).get(ride.offer_id)
        if offer is None:
            return None
        late_minutes = self.fares.cancellation.late_minutes
        return promised_arrival(ride, offer, at=ride.accepted_at, late_minutes=late_minutes)

    def _record_invoice(self, work: RidesWork, ride: Ride, invoice: JobInvoice) -> JobBill:
        session_id = None if ride.session_id is None else parse_uuid(ride.session_id)
        return self.invoices.record(
            work, invoice, job=ride.ref, session_id=session_id, environment=ride.environment
        )

    def _advance(self, ref: str, action: Action, event: str, caller: RideCaller, time_field: str) -> Ride:
        """Apply an action, set its time field to now, and store its event."""
        with self.transaction() as work:
            ride, at = self._lock(work, ref, caller), self.clock()
            changes: dict[str, Any] = {time_field: at}
            saved = self._apply(work, ride, action, actor=actor_of(caller), at=at, **changes)
            self._add_events(work, saved, event, actor=OPERATOR if caller is None else None)
            return saved

    def _end(
        self,
        work: RidesWork,
        ride: Ride,
        action: Action,
        event: str,
        settlement: Settlement,
        *,
        at: datetime,
        actor: Actor,
        **changes: Any,
    ) -> Ride:
        """Apply an action that ends a ride, record what the settlement captures and releases, and store its event."""
        saved = self._apply(
            work,
            ride,
            action,
            actor=actor,
            at=at,
            detail=settlement.detail(),
            fee=settlement.fee,
            ended_at=at,
            **changes,
        )
        self.failpoint(f"rides.{action}.before_money")
        self._release(work, ride, str(action), fee=settlement.fee)
        self._add_events(work, saved, event, actor=actor)
        self.failpoint(f"rides.{action}.after_money")
        return saved


def _arrival(eta_minutes: int | None) -> dict[str, Any]:
    """Return the details of a timeline step: in how many minutes a provider arrives, or by how many they are late."""
    if eta_minutes is None:
        return {}
    return {"eta_minutes": eta_minutes} if eta_minutes >= 0 else {"late_minutes": -eta_minutes}
