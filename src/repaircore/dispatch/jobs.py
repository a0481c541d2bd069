"""A provider's job: a request with its ride, as the provider sees them, the allowed actions, and in words why others are not."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.customers.model import Customer
from repaircore.dispatch.lifecycle import REQUESTS, RequestAction, has_other_trip
from repaircore.dispatch.model import DispatchRequest, RequestStatus
from repaircore.kernel.money import Cents
from repaircore.providers.model import Provider
from repaircore.rides.lifecycles import COMPLETING, LIFECYCLES, Action
from repaircore.rides.model import UNDER_WAY, Offer, ProviderCard, Ride, RideOutcome, Status

_ANSWERS: Final = (RequestAction.OFFER, RequestAction.DECLINE)
_STEPS: Final = {
    Action.EN_ROUTE: "en_route",
    Action.ARRIVE: "arrived",
    Action.START: "start",
    Action.DROP_OUT: "drop_out",
}
"""The steps of a ride that its provider takes, in the words of the provider's API."""
_ARRIVED: Final = frozenset({Status.DRIVER_ARRIVED, Status.PROVIDER_ARRIVED})


class JobStep(StrEnum):
    """A step that a provider takes on the page of a job."""

    OFFER = "offer"
    DECLINE = "decline"
    EN_ROUTE = "en_route"
    ARRIVE = "arrive"
    START = "start"
    COMPLETE = "complete"
    DROP_OUT = "drop_out"
    PROVE = "prove"
    STOP = "stop"


@frozen(kw_only=True)
class JobEnd:
    """How a job ended for its provider, in words without personal data. ``at`` is None if nobody knows when."""

    title: str
    text: str
    at: datetime | None


@frozen(kw_only=True)
class ProviderJob:
    """A current request with its ride and offer. ``customer`` is set from when the provider is chosen until the end.

    ``area`` and ``destination`` are those of the pickup and the dropoff, None without a name.
    """

    request: DispatchRequest
    ride: Ride
    offer: Offer | None
    provider: Provider | None
    customer: Customer | None
    area: str | None
    destination: str | None

    @property
    def is_chosen(self) -> bool:
        """Return whether the ride is this provider's now."""
        return self.request.status is RequestStatus.CHOSEN

    @property
    def pays(self) -> Cents:
        """Return what the job pays: the quoted fare, the agreed price once this provider is chosen, the fee once it has ended."""
        if self.request.status is RequestStatus.ENDED and self.ride.fee is not None:
            return self.ride.fee
        return self.ride.agreed_price if self.is_chosen else self.ride.fare.total

    @property
    def customer_phone(self) -> str | None:
        """Return the number by which the provider calls the customer, masked if possible."""
        card = self.ride.provider_card or ProviderCard()
        return None if self.customer is None else card.phones.shown(self.customer.phone)

    @property
    def allowed_actions(self) -> list[str]:
        """List the actions that the provider may take now, in wire words."""
        if not self.is_chosen:
            return [str(action) for action in REQUESTS.allowed(self.request.status) if action in _ANSWERS]
        allowed = LIFECYCLES[self.ride.kind].allowed(self.ride.status)
        steps = [word for action, word in _STEPS.items() if action in allowed]
        return [*steps, *(["complete"] if self.outcomes else [])]

    @property
    def outcomes(self) -> Sequence[RideOutcome]:
        """List the outcomes that the ride may be completed with now."""
        if not self.is_chosen:
            return ()
        allowed = LIFECYCLES[self.ride.kind].allowed(self.ride.status)
        return [outcome for outcome, action in COMPLETING.items() if action in allowed]


def is_done(job: ProviderJob, step: JobStep) -> bool:
    """Return whether a step of a job that has not ended was taken before, so that repeating it changes nothing."""
    status = job.ride.status
    match step:
        case JobStep.OFFER:
            return job.is_chosen
        case JobStep.EN_ROUTE:
            return job.is_chosen and job.ride.en_route_at is not None
        case JobStep.ARRIVE:
            return job.is_chosen and status in UNDER_WAY - {Status.ACCEPTED}
        case JobStep.START:
            return job.is_chosen and status is Status.IN_PROGRESS
        case _:
            return False


def refusal(job: ProviderJob, step: JobStep) -> str | None:
    """Return why a job does not allow a step now, in the words of a provider; None if its status is not the reason."""
    status = Status.PROVIDER_ARRIVED if job.ride.status in _ARRIVED else job.ride.status
    if not job.is_chosen:
        return None if step in {JobStep.OFFER, JobStep.DECLINE} else "This job is not yours yet."
    return _REFUSALS.get((step, status))


def job_end(job: ProviderJob) -> JobEnd:
    """Return how a job ended for its provider."""
    title, text = _end_words(job)
    own_end = job.ride.ended_at if job.request.status is RequestStatus.ENDED else None
    return JobEnd(title=title, text=text, at=own_end or job.request.closed_at)


def _end_words(job: ProviderJob) -> tuple[str, str]:
    status, ride = job.request.status, job.ride
    if status in _OWN_ENDS:
        return _OWN_ENDS[status]
    if ride.status is Status.CANCELLED:
        return "This job was cancelled", "Please do not go there."
    if has_other_trip(job.request, ride):
        return (
            "The customer changed this job",
            "If you are needed for the new trip, you will get a new request.",
        )
    if status is RequestStatus.NOT_CHOSEN:
        return "Your offer was not accepted", "There is nothing else to do. Thank you for offering."
    if status is RequestStatus.ENDED:
        return "The job is closed", "Thank you."
    return "The time to answer is over", "This job went to another provider or is no longer available."


_OWN_ENDS: Final[Mapping[RequestStatus, tuple[str, str]]] = {
    RequestStatus.DECLINED: (
        "You declined this job",
        "There is nothing else to do. We are asking other providers.",
    ),
    RequestStatus.DROPPED_OUT: (
        "You are off this job",
        "Please do not go there. We are asking other providers.",
    ),
}
"""The ends of a job that its provider chose, whatever became of the ride."""
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
"""Why the status of a job that is the provider's does not allow a step; all kinds of arrival are ``provider_arrived`` here."""
