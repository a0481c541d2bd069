"""A ride takes its course: somebody comes, does it, and is rated; or it is cancelled.

The decision and what it means for the money are one unit of work; the gateway is asked afterwards. What is answered is
therefore what was decided, and a crash leaves money that the reconciler moves without the partner.
"""

from datetime import datetime
from typing import Any

from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.timeline import OPERATOR, Actor
from repaircore.rides.lifecycles import COMPLETING, Action, allowed
from repaircore.rides.model import CancelReason, Ride, RideOutcome, Status
from repaircore.rides.ports import RidesWork
from repaircore.rides.settlement import Settlement, of_calling_off, of_canceling, of_outcome
from repaircore.rides.transitions import RideTransitions
from repaircore.transactions.job_invoice import JobBill, JobInvoice


class RideProgress(RideTransitions):
    """The use cases from acceptance to rating."""

    def arrive(self, ref: str, caller: PartnerCaller) -> Ride:
        """Mark that the provider is there.

        Raises:
            NoRide: the caller has none of this reference.
            Conflict: the state does not allow it.
        """
        return self._advance(ref, Action.ARRIVE, "driver_arrived", caller, "arrived_at")

    def start(self, ref: str, caller: PartnerCaller) -> Ride:
        """Mark that the work, or the drive, has begun.

        Raises:
            NoRide: the caller has none of this reference.
            Conflict: the state does not allow it.
        """
        return self._advance(ref, Action.START, "started", caller, "started_at")

    def complete(
        self,
        ref: str,
        caller: PartnerCaller | None,
        *,
        outcome: RideOutcome = RideOutcome.COMPLETED,
        invoice: JobInvoice | None = None,
    ) -> tuple[Ride, Settlement]:
        """End a ride that somebody came for, and take what it costs by its outcome; ``caller`` None is the operator.

        ``invoice`` is what the work on the vehicle came to: it becomes a past repair, and answers the prediction that
        led here.

        Raises:
            NoRide: the caller has none of this reference.
            Invalid: on ``invoice``, every bad field named, or of what was not completed.
            Conflict: the state does not allow it.
        """
        if invoice is not None and outcome is not RideOutcome.COMPLETED:
            raise Invalid({"invoice": ["The invoice field counts with the outcome completed alone."]})
        with self.transaction() as work:
            ride = self._locked(work, ref, caller)
            settlement = of_outcome(ride, self.table, outcome)
            self._after(ride, COMPLETING[outcome])
            bill = None if invoice is None else self._billed(work, ride, invoice)
            kept = self._ended(
                work,
                ride,
                COMPLETING[outcome],
                "completed",
                settlement,
                at=self.clock(),
                actor=OPERATOR if caller is None else "partner",
                outcome=outcome,
                bill=bill,
            )
            return kept, settlement

    def call_off(self, ref: str, *, note: str | None = None) -> Ride:
        """Cancel a ride for its operator, wherever it stands: nobody pays, and whoever was on it is free.

        Raises:
            NoRide: there is none of this reference.
            Invalid: on ``note`` of over 1,000 characters.
            Conflict: it has ended.
        """
        if note is not None and len(note) > _LONGEST_NOTE:
            raise Invalid({"note": [f"The note must not be greater than {_LONGEST_NOTE} characters."]})
        with self.transaction() as work:
            ride, at = self._locked(work, ref, None), self.clock()
            kept = self._ended(
                work,
                ride,
                Action.CALL_OFF,
                "cancelled",
                of_calling_off(ride),
                at=at,
                actor=OPERATOR,
                cancel_note=note,
            )
            self._close_offers(work, kept, at=at)
            return kept

    def cancel(
        self, ref: str, caller: PartnerCaller, *, reason: CancelReason | None = None, note: str | None = None
    ) -> Ride:
        """Cancel a ride that nobody is on the way for; it costs nothing.

        Raises:
            NoRide: the caller has none of this reference.
            Conflict: the state does not allow it.
        """
        with self.transaction() as work:
            ride = self._locked(work, ref, caller)
            at = self.clock()
            kept = self._moved(
                work,
                ride,
                Action.CANCEL,
                at=at,
                detail=None if reason is None else {"reason": str(reason)},
                cancel_reason=reason,
                cancel_note=note,
                fee=0,
                ended_at=at,
            )
            self._close_offers(work, kept, at=at)
            self._tell(work, kept, "cancelled", actor="partner")
            return kept

    def cancel_accepted(
        self, ref: str, caller: PartnerCaller, *, reason: CancelReason | None = None, note: str | None = None
    ) -> tuple[Ride, Settlement]:
        """Cancel a ride that somebody is on the way for; what that costs is taken, the rest of the fare let go.

        Raises:
            NoRide: the caller has none of this reference.
            Conflict: the state does not allow it.
        """
        with self.transaction() as work:
            ride, at = self._locked(work, ref, caller), self.clock()
            settlement = of_canceling(ride, self.table.cancellation, at=at, reason=reason)
            kept = self._ended(
                work,
                ride,
                Action.CANCEL_ACCEPTED,
                "cancelled",
                settlement,
                at=at,
                actor="partner",
                cancel_reason=reason,
                cancel_note=note,
            )
            return kept, settlement

    def cancel_preview(
        self, ref: str, caller: PartnerCaller, *, reason: CancelReason | None = None
    ) -> tuple[Action, Settlement]:
        """Tell what canceling would cost now, and which of the two ways to cancel it is.

        Raises:
            NoRide: the caller has none of this reference.
            Conflict: it cannot be cancelled (any more).
        """
        with self.read() as work:
            ride = self._found(work, ref, caller)
        action = Action.CANCEL if ride.status is Status.PENDING else Action.CANCEL_ACCEPTED
        self._after(ride, action)
        return action, of_canceling(ride, self.table.cancellation, at=self.clock(), reason=reason)

    def rate(self, ref: str, rating: int, comment: str | None, caller: PartnerCaller) -> Ride:
        """Rate who did a completed ride, from 1 to 5, once.

        Raises:
            NoRide: the caller has none of this reference.
            Invalid: on ``rating``.
            Conflict: the state does not allow it, or it was rated before.
        """
        if not 1 <= rating <= _BEST:
            raise Invalid({"rating": [f"The rating field must be between 1 and {_BEST}."]})
        with self.transaction() as work:
            ride, at = self._locked(work, ref, caller), self.clock()
            if ride.rating is not None:
                details = {"status": str(ride.status), "allowed": allowed(ride)}
                raise Conflict("The driver of this ride was rated already.", details=details)
            kept = self._moved(
                work,
                ride,
                Action.RATE,
                at=at,
                detail={"rating": rating},
                rating=rating,
                comment=comment,
                rated_at=at,
            )
            self.roster.rated(work, kept, rating)
            self._tell(work, kept, "rated")
            return kept

    def _billed(self, work: RidesWork, ride: Ride, invoice: JobInvoice) -> JobBill:
        session_id = None if ride.session_id is None else parse_uuid(ride.session_id)
        return self.invoices.record(
            work, invoice, job=ride.ref, session_id=session_id, environment=ride.environment
        )

    def _advance(self, ref: str, action: Action, what: str, caller: PartnerCaller, moment: str) -> Ride:
        with self.transaction() as work:
            ride, at = self._locked(work, ref, caller), self.clock()
            changes: dict[str, Any] = {moment: at}
            kept = self._moved(work, ride, action, at=at, **changes)
            self._tell(work, kept, what)
            return kept

    def _ended(
        self,
        work: RidesWork,
        ride: Ride,
        action: Action,
        what: str,
        settlement: Settlement,
        *,
        at: datetime,
        actor: Actor,
        **changes: Any,
    ) -> Ride:
        kept = self._moved(
            work,
            ride,
            action,
            actor=actor,
            at=at,
            detail={"fee_cents": settlement.fee, "why": settlement.why},
            fee=settlement.fee,
            ended_at=at,
            **changes,
        )
        self.failpoint(f"rides.{action}.before_money")
        self._release(work, ride, str(action), fee=settlement.fee)
        self._tell(work, kept, what, actor=actor)
        self.failpoint(f"rides.{action}.after_money")
        return kept


_BEST = 5
_LONGEST_NOTE = 1000
