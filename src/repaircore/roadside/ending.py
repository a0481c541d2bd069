"""What the end of a job costs: cancelled, gone on arrival, unsuccessful, or done."""

from datetime import datetime, timedelta

from attrs import frozen

from repaircore.kernel.money import Cents, half_up
from repaircore.roadside.fares import Cancellation, FareTable
from repaircore.roadside.model import Fault, Job, Outcome, Status

__all__ = ["Settlement", "of_cancelling", "of_outcome"]


@frozen(kw_only=True)
class Settlement:
    """What of the authorized fare is kept, what is let go, and why: ``fee + refund`` is the fare."""

    fee: Cents
    refund: Cents
    why: str


def of_cancelling(job: Job, policy: Cancellation, *, at: datetime, reason: Fault | None) -> Settlement:
    """Give what cancelling costs at a moment; before anybody is accepted it costs nothing."""
    accepted = job.accepted_at
    if job.status is Status.PENDING or accepted is None:
        return _settled(job, 0, "Nobody is on the way yet.")
    if reason in policy.free_reasons:
        return _settled(job, 0, f"The reason {reason} costs nothing.")
    if job.arrived_at is not None:
        return _settled(job, policy.arrived_percent, "The provider is there.")
    if job.eta_at is not None and at > job.eta_at + timedelta(minutes=policy.late_minutes):
        return _settled(job, 0, f"The provider is more than {policy.late_minutes:g} minutes late.")
    if at <= accepted + timedelta(minutes=policy.free_minutes):
        return _settled(job, 0, f"Accepted at most {policy.free_minutes:g} minutes ago.")
    return _settled(job, policy.accepted_percent, "The provider is on the way.")


def of_outcome(job: Job, table: FareTable, outcome: Outcome) -> Settlement:
    """Give what a job costs by how it came out."""
    if outcome is Outcome.COMPLETED:
        return _settled(job, 100, "The job is done.")
    return _settled(job, table.outcomes[outcome], f"The provider came; the outcome is {outcome}.")


def _settled(job: Job, percent: float, why: str) -> Settlement:
    fee = min(job.fare.total, half_up(job.fare.total * percent / 100))
    return Settlement(fee=fee, refund=job.fare.total - fee, why=why)
