"""Why a provider cannot take a step on a job: for programs, and in plain words for the job page."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from repaircore.dispatch.errors import JobConflict
from repaircore.dispatch.jobs import ProviderJob
from repaircore.kernel.errors import Conflict
from repaircore.kernel.lifecycle import NotAllowed, allowed_sentence
from repaircore.rides.model import UNDER_WAY, RideOutcome, Status

_ARRIVED: Final = frozenset({Status.DRIVER_ARRIVED, Status.PROVIDER_ARRIVED})


class JobStep(StrEnum):
    """A step that a provider takes on a job page."""

    OFFER = "offer"
    DECLINE = "decline"
    EN_ROUTE = "en_route"
    ARRIVE = "arrive"
    START = "start"
    COMPLETE = "complete"
    DROP_OUT = "drop_out"
    PROVE = "prove"
    STOP = "stop"


def cannot_act(refused: Conflict, job: ProviderJob) -> Conflict:
    """Return a refusal that lists only the provider's actions instead of all that the ride's lifecycle allows."""
    if "allowed" not in (refused.details or {}):
        return refused
    allowed = job.allowed_actions
    reason = refused.reason if isinstance(refused, NotAllowed) else refused.message
    return JobConflict(f"{reason} {allowed_sentence(allowed)}", str(job.request.status), allowed)


def cannot_complete(refused: Conflict, job: ProviderJob, *, outcome: RideOutcome) -> Conflict:
    """Return a refusal of an outcome, with the outcomes that are allowed now and the step that must come first."""
    if not job.outcomes or outcome in job.outcomes:
        return cannot_act(refused, job)
    outcomes = [str(each) for each in job.outcomes]
    first = " Report start first." if outcome is RideOutcome.COMPLETED else ""
    text = f"Cannot complete this job as {outcome} now.{first} Outcomes allowed now: {', '.join(outcomes)}."
    return JobConflict(text, str(job.request.status), job.allowed_actions, outcomes=outcomes)


def is_done(job: ProviderJob, step: JobStep) -> bool:
    """Return whether the provider has the job and has already taken a step, so that repeating it changes nothing."""
    if not job.is_chosen:
        return False
    match step:
        case JobStep.OFFER:
            return True
        case JobStep.EN_ROUTE:
            return job.ride.en_route_at is not None
        case JobStep.ARRIVE:
            return job.ride.status in UNDER_WAY - {Status.ACCEPTED}
        case JobStep.START:
            return job.ride.status is Status.IN_PROGRESS
        case _:
            return False


def refusal(job: ProviderJob, step: JobStep) -> str | None:
    """Return why a job's status does not allow a step now, worded for the job page, or None if it does."""
    status = Status.PROVIDER_ARRIVED if job.ride.status in _ARRIVED else job.ride.status
    if not job.is_chosen:
        return None if step in {JobStep.OFFER, JobStep.DECLINE} else "This job is not yours yet."
    return _REFUSALS.get((step, status))


_ALREADY_YOURS: Final = 'You already have this job. If you cannot do it, choose "I cannot do this job".'
_ARRIVE_FIRST: Final = "Mark yourself as arrived first."
_STARTED: Final = "The job has already started. Close it with its outcome instead."
_REFUSALS: Final[Mapping[tuple[JobStep, Status], str]] = {
    (JobStep.DECLINE, Status.ACCEPTED): _ALREADY_YOURS,
    (JobStep.DECLINE, Status.PROVIDER_ARRIVED): _ALREADY_YOURS,
    (JobStep.DECLINE, Status.IN_PROGRESS): _STARTED,
    (JobStep.EN_ROUTE, Status.PROVIDER_ARRIVED): "You are already marked as arrived.",
    (JobStep.EN_ROUTE, Status.IN_PROGRESS): "The job has already started.",
    (JobStep.START, Status.ACCEPTED): _ARRIVE_FIRST,
    (JobStep.COMPLETE, Status.ACCEPTED): _ARRIVE_FIRST,
    (JobStep.COMPLETE, Status.PROVIDER_ARRIVED): "Start the job before you close it as done.",
    (JobStep.COMPLETE, Status.IN_PROGRESS): "The job has already started. Choose another outcome.",
    (JobStep.DROP_OUT, Status.IN_PROGRESS): _STARTED,
}
"""Why the status of the provider's own job does not allow a step; all kinds of arrival are ``provider_arrived``."""
