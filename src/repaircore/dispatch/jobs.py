"""A provider's job: a request with its ride, as the provider sees them, the allowed actions, and how it ended."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from attrs import frozen

from repaircore.customers.model import Customer
from repaircore.dispatch.lifecycle import REQUESTS, RequestAction, has_other_trip
from repaircore.dispatch.model import DispatchRequest, RequestStatus
from repaircore.kernel.money import Cents
from repaircore.providers.model import Provider
from repaircore.rides.lifecycles import COMPLETING, LIFECYCLES, Action
from repaircore.rides.model import Offer, ProviderCard, Ride, RideOutcome, Status

_ANSWERS: Final = (RequestAction.OFFER, RequestAction.DECLINE)
_STEPS: Final = {
    Action.EN_ROUTE: "en_route",
    Action.ARRIVE: "arrived",
    Action.START: "start",
    Action.DROP_OUT: "drop_out",
}
"""The steps of a ride that its provider takes, in the words of the provider's API."""


@frozen(kw_only=True)
class JobEnd:
    """How a job ended for its provider, in words without personal data. ``at`` is None if the time is unknown."""

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
