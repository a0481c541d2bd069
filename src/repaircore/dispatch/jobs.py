"""A provider's job: a request with its ride, as the provider sees them, what the customer changed, and how it ended."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from attrs import evolve, frozen

from repaircore.customers.model import Customer
from repaircore.dispatch.lifecycle import REQUESTS, RequestAction, has_other_trip
from repaircore.dispatch.model import DispatchRequest, RequestStatus
from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents
from repaircore.kernel.timeline import Step
from repaircore.providers.model import Provider
from repaircore.rides.lifecycles import COMPLETING, LIFECYCLES, Action
from repaircore.rides.model import Offer, PreviousTrip, ProviderCard, Ride, RideOutcome, Status

_ANSWERS: Final = (RequestAction.OFFER, RequestAction.DECLINE)
_STEPS: Final = {
    Action.EN_ROUTE: "en_route",
    Action.ARRIVE: "arrived",
    Action.START: "start",
    Action.DROP_OUT: "drop_out",
}
"""The steps of a ride that its provider takes, in the words of the provider's API."""


@frozen(kw_only=True)
class PreviousTerms:
    """The destination and the pay that a provider knew, until the customer changed them at a time.

    ``pay`` is None if it is the price of another provider, which this one does not know.
    """

    dropoff: Point
    pay: Cents | None
    changed_at: datetime

    def other_pay(self, pay: Cents) -> Cents | None:
        """Return the previous pay if it is known and differs from the present ``pay``."""
        return None if self.pay == pay else self.pay


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
        """Return the number that the provider calls to reach the customer, masked if possible."""
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


def previous_terms(
    request: DispatchRequest, requests: Iterable[DispatchRequest], steps: Iterable[Step]
) -> PreviousTerms | None:
    """Return the terms that the provider of a request knew before; None if the customer has changed nothing since.

    ``requests`` are all of the ride and ``steps`` its timeline, both oldest first. A provider who was chosen knows the trip before
    the last change of the destination; one with another request knows the trip of their last one.
    """
    changes = list(_changes(steps))
    if request.status is RequestStatus.CHOSEN:
        since = request.answered_at or request.sent_at
        own = [
            terms
            for action, terms in changes
            if terms.changed_at >= since and action == Action.CHANGE_DESTINATION
        ]
        return own[-1] if own else None
    last = _last_before(request, requests)
    if last is None or last.terms == request.terms:
        return None
    for action, terms in changes:
        if terms.changed_at >= last.sent_at:
            # The price before a change of the destination was agreed with another provider.
            return terms if action == Action.UPDATE else evolve(terms, pay=None)
    return None


def _last_before(request: DispatchRequest, requests: Iterable[DispatchRequest]) -> DispatchRequest | None:
    own = [each for each in requests if each.provider_ref == request.provider_ref and each.id < request.id]
    return own[-1] if own else None


def _changes(steps: Iterable[Step]) -> Iterator[tuple[str, PreviousTerms]]:
    """Yield the terms before each step that changed them, with the action; steps of earlier versions may lack the destination."""
    for step in steps:
        before = PreviousTrip.before(step)
        if before is not None and before.dropoff is not None:
            yield step.action, PreviousTerms(dropoff=before.dropoff, pay=before.total, changed_at=step.at)


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
        return "This job was canceled", "Please do not go there."
    if has_other_trip(job.request, ride):
        return (
            "The customer changed this job",
            "If you are needed for the new trip, you will get a new request.",
        )
    if status is RequestStatus.NOT_CHOSEN:
        return "Your offer was not accepted", "There is nothing else to do. Thank you for offering."
    if status is RequestStatus.ENDED:
        return "The job is closed", "Thank you."
    return "The time to answer has passed", "This job went to another provider or is no longer available."


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
