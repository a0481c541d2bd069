"""Settlements: what a ride costs when it is canceled or completed."""

from datetime import datetime, timedelta
from typing import Any, Literal, Self

from attrs import frozen

from repaircore.kernel.money import Cents, Percent, dollars, percent_of
from repaircore.kernel.timeline import Step
from repaircore.kernel.views import Dollars, view
from repaircore.rides.fares import Cancellation, FareTable
from repaircore.rides.lifecycles import Action
from repaircore.rides.model import CancelReason, Ride, RideOutcome


@frozen(kw_only=True)
class Settlement:
    """How the authorized fare is split into a fee and a refund, and why.

    ``fee + refund`` is the authorized amount: the agreed price once a provider is accepted, and nothing before that.
    """

    fee: Cents
    refund: Cents
    reason: str

    def detail(self) -> dict[str, Any]:
        """Return the details to store with the step that ends the ride, so that ``fee_reason`` can read them."""
        return {"fee": dollars(self.fee), "why": self.reason}


def fee_reason(step: Step) -> str | None:
    """Return the reason for the fee if the step ended a ride, or else None."""
    detail = step.detail or {}
    return detail["why"] if "fee" in detail else None


@view
class SettlementView:
    """The fee at the end of a ride, the remainder that is released, and the reason."""

    currency: Literal["USD"] = "USD"
    fee: Dollars
    refund: Dollars
    reason: str

    @classmethod
    def of(cls, settlement: Settlement) -> Self:
        """Return the view of a settlement."""
        return cls(fee=dollars(settlement.fee), refund=dollars(settlement.refund), reason=settlement.reason)


@view
class CancelPreviewView(SettlementView):
    """The cost of canceling now, and the action to cancel with."""

    ref: str
    action: Literal["cancel", "cancel_accepted"]


def settle_cancellation(
    ride: Ride,
    policy: Cancellation,
    *,
    at: datetime,
    reason: CancelReason | None,
    promised: datetime | None = None,
) -> Settlement:
    """Return the settlement for canceling a ride at a time; canceling is free until a provider is accepted.

    ``promised`` is the arrival time in the accepted offer; reporting a later one does not make a provider less late.
    """
    accepted = ride.accepted_at
    if accepted is None:
        return _settlement(ride, 0, "No provider is on the way yet.")
    if reason in policy.free_reasons:
        return _settlement(ride, 0, f"Cancellation is free for the reason {reason}.")
    if ride.arrived_at is not None:
        return _settlement(ride, policy.arrived_percent, "The provider has arrived.")
    late = _lateness(ride, promised, policy, at=at)
    if late is not None:
        return _settlement(ride, 0, late)
    if at <= accepted + timedelta(minutes=policy.free_minutes):
        return _settlement(ride, 0, f"The offer was accepted at most {policy.free_minutes:g} minutes ago.")
    return _settlement(ride, policy.accepted_percent, "The provider is on the way.")


def _lateness(ride: Ride, promised: datetime | None, policy: Cancellation, *, at: datetime) -> str | None:
    """Return the reason why canceling is free if the provider is, or will be, too late; otherwise return None."""
    late = timedelta(minutes=policy.late_minutes)
    if any(at > arrival + late for arrival in (ride.eta_at, promised) if arrival is not None):
        return f"The provider is more than {policy.late_minutes:g} minutes late."
    if promised is not None and ride.eta_at is not None and ride.eta_at > promised + late:
        return f"The provider will be more than {policy.late_minutes:g} minutes late."
    return None


def settle_calling_off(ride: Ride) -> Settlement:
    """Return the settlement of a ride that the operator calls off: no fee is charged."""
    return _settlement(ride, 0, "The operator called off the ride.")


def settle_outcome(ride: Ride, table: FareTable, outcome: RideOutcome) -> Settlement:
    """Return the settlement of a completed ride by its outcome.

    Once the work has started, conversion to a tow costs at least as much as an unsuccessful ride.
    """
    if outcome is RideOutcome.COMPLETED:
        return _settlement(ride, 100, "The ride was completed.")
    if outcome is RideOutcome.CONVERTED_TO_TOW and ride.started_at is not None:
        percent = max(table.outcomes[outcome], table.outcomes[RideOutcome.UNSUCCESSFUL])
        return _settlement(ride, percent, "The provider had started the work; the vehicle needs a tow.")
    return _settlement(ride, table.outcomes[outcome], f"The provider arrived; the outcome is {outcome}.")


def _settlement(ride: Ride, percent: Percent, reason: str) -> Settlement:
    authorized = 0 if ride.accepted_at is None else ride.agreed_price
    fee = percent_of(authorized, percent)
    return Settlement(fee=fee, refund=authorized - fee, reason=reason)


def cancel_preview_view(ref: str, action: Action, settlement: Settlement) -> CancelPreviewView:
    """Return the view of what canceling would cost."""
    return CancelPreviewView(
        ref=ref,
        action="cancel" if action is Action.CANCEL else "cancel_accepted",
        fee=dollars(settlement.fee),
        refund=dollars(settlement.refund),
        reason=settlement.reason,
    )
