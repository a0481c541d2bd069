"""A provider's job: a request with its ride as the provider sees it, what the customer changed, and how it ended."""

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
"""The steps of a ride that its provider takes, under their names in the provider API."""


@frozen(kw_only=True)
class PreviousTerms:
    """The destination and the pay that a provider knew until the customer changed them at ``changed_at``.

    ``pay`` is None if it was agreed with another provider, since this one does not know it.
    """

    dropoff: Point
    pay: Cents | None
    changed_at: datetime

    def other_pay(self, pay: Cents) -> Cents | None:
        """Return the previous pay, or None if it is unknown or equals the current ``pay``."""
        return None if self.pay == pay else self.pay


@frozen(kw_only=True)
class JobEnd:
    """How a job ended for its provider, in words without personal data. ``at`` is None if the time is unknown."""

    title: str
    text: str
    at: datetime | None


@frozen(kw_only=True)
class ProviderJob:
    """A request in its current state, with its ride and offer. ``customer`` is set only while the provider has the job.

    ``area`` and ``destination`` are the areas of the pickup and the dropoff, or None if they have no name.
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
        """Return whether this provider has the job now."""
        return self.request.status is RequestStatus.CHOSEN

    @property
    def pays(self) -> Cents:
        """Return the pay: the quoted fare, the agreed price once chosen, or any fee once the job has ended."""
        if self.request.status is RequestStatus.ENDED and self.ride.fee is not None:
            return self.ride.fee
        return self.ride.agreed_price if self.is_chosen else self.ride.fare.total

    @property
    def customer_phone(self) -> str | None:
        """Return the number to reach the customer, masked if possible, or None while ``customer`` is not set."""
        card = self.ride.provider_card or ProviderCard()
        return None if self.customer is None else card.phones.shown(self.customer.phone)

    @property
    def allowed_actions(self) -> list[str]:
        """List the actions that the provider may take now, under their names in the API."""
        if not self.is_chosen:
            return [str(action) for action in REQUESTS.allowed(self.request.status) if action in _ANSWERS]
        allowed = LIFECYCLES[self.ride.kind].allowed(self.ride.status)
        steps = [word for action, word in _STEPS.items() if action in allowed]
        return [*steps, *(["complete"] if self.outcomes else [])]

    @property
    def outcomes(self) -> Sequence[RideOutcome]:
        """List the outcomes with which the provider may complete the ride now."""
        if not self.is_chosen:
            return ()
        allowed = LIFECYCLES[self.ride.kind].allowed(self.ride.status)
        return [outcome for outcome, action in COMPLETING.items() if action in allowed]


def previous_terms(
    request: DispatchRequest, requests: Iterable[DispatchRequest], steps: Iterable[Step]
) -> PreviousTerms | None:
    """Return the terms that the provider of a request knew before, or None if the customer has not changed them since.

    ``requests`` are all requests for the ride, and ``steps`` is its timeline, both oldest first. A provider who was
    chosen knew the trip before the last change of the destination; any other knew the trip of their previous request,
    if there was one.
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
            # The price before a change of destination was agreed with another provider.
            return terms if action == Action.UPDATE else evolve(terms, pay=None)
    return None


def _last_before(request: DispatchRequest, requests: Iterable[DispatchRequest]) -> DispatchRequest | None:
    own = [each for each in requests if each.provider_ref == request.provider_ref and each.id < request.id]
    return own[-1] if own else None


def _changes(steps: Iterable[Step]) -> Iterator[tuple[str, PreviousTerms]]:
    """Yield the action of each step that changed the terms, with the terms before it.

    Steps without the destination, which earlier versions wrote, are skipped.
    """
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
"""How a job ended if its provider ended it, whatever became of the ride."""
