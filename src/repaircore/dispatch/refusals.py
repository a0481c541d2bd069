"""Refusals by the lifecycle of a ride, in the words of its provider."""

from repaircore.dispatch.errors import CannotOffer
from repaircore.dispatch.jobs import ProviderJob
from repaircore.kernel.errors import Conflict
from repaircore.rides.model import RideOutcome


def cannot_act(refused: Conflict, job: ProviderJob) -> Conflict:
    """Return a refusal that lists only the actions that the provider may take."""
    if "allowed" not in (refused.details or {}):
        return refused
    allowed = job.allowed_actions
    text = f"{_reason(refused)} Allowed: {', '.join(allowed) or 'nothing'}."
    return CannotOffer(text, str(job.request.status), allowed)


def cannot_complete(refused: Conflict, job: ProviderJob, *, outcome: RideOutcome) -> Conflict:
    """Return a refusal of an outcome, with those that the job may end with now and what has to come first."""
    if not job.outcomes or outcome in job.outcomes:
        return cannot_act(refused, job)
    outcomes = [str(each) for each in job.outcomes]
    first = " Report start first." if outcome is RideOutcome.COMPLETED else ""
    text = f"Cannot complete this job as {outcome} now.{first} Outcomes allowed now: {', '.join(outcomes)}."
    return CannotOffer(text, str(job.request.status), job.allowed_actions, outcomes=outcomes)


def _reason(refused: Conflict) -> str:
    return refused.message.partition(" Allowed: ")[0]
