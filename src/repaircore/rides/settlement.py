"""What the end of a ride costs: cancelled, gone on arrival, unsuccessful, or done."""

from datetime import datetime, timedelta

from attrs import frozen

from repaircore.kernel.money import Cents, Percent, percent_of
from repaircore.rides.fares import Cancellation, FareTable
from repaircore.rides.model import CancelReason, Ride, RideOutcome, Status


@frozen(kw_only=True)
class Settlement:
    """What of the authorized fare is kept, what is let go, and why: ``fee + refund`` is the fare."""

    fee: Cents
    refund: Cents
    why: str


def of_canceling(
    ride: Ride, policy: Cancellation, *, at: datetime, reason: CancelReason | None
) -> Settlement:
    """Give what canceling costs at a moment; before anybody is accepted it costs nothing."""
    accepted = ride.accepted_at
    if ride.status is Status.PENDING or accepted is None:
        return _settled(ride, 0, "Nobody is on the way yet.")
    if reason in policy.free_reasons:
        return _settled(ride, 0, f"The reason {reason} costs nothing.")
    if ride.arrived_at is not None:
        return _settled(ride, policy.arrived_percent, "The provider is there.")
    if ride.eta_at is not None and at > ride.eta_at + timedelta(minutes=policy.late_minutes):
        return _settled(ride, 0, f"The provider is more than {policy.late_minutes:g} minutes late.")
    if at <= accepted + timedelta(minutes=policy.free_minutes):
        return _settled(ride, 0, f"Accepted at most {policy.free_minutes:g} minutes ago.")
    return _settled(ride, policy.accepted_percent, "The provider is on the way.")


def of_calling_off(ride: Ride) -> Settlement:
    """Give what it costs that the operator ends a ride without anybody's service being counted: nothing."""
    return _settled(ride, 0, "The operator called it off.")


def of_outcome(ride: Ride, table: FareTable, outcome: RideOutcome) -> Settlement:
    """Give what a ride costs by how it came out."""
    if outcome is RideOutcome.COMPLETED:
        return _settled(ride, 100, "The ride is done.")
    return _settled(ride, table.outcomes[outcome], f"The provider came; the outcome is {outcome}.")


def _settled(ride: Ride, percent: Percent, why: str) -> Settlement:
    fee = percent_of(ride.fare.total, percent)
    return Settlement(fee=fee, refund=ride.fare.total - fee, why=why)
