"""The lifecycle of a request to a provider, and the rules by which it follows its ride and its offer."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

from attrs import evolve

from repaircore.dispatch.model import DispatchRequest, RequestStatus, terms_of
from repaircore.kernel.lifecycle import Lifecycle
from repaircore.kernel.timeline import Step
from repaircore.rides.lifecycles import Action
from repaircore.rides.model import UNDER_WAY, Offer, OfferStatus, Ride, Status


class RequestAction(StrEnum):
    """What happens to a request."""

    OFFER = "offer"
    DECLINE = "decline"
    EXPIRE = "expire"
    CLOSE = "close"
    CHOOSE = "choose"
    PASS_OVER = "pass_over"  # noqa: S105 - not a password
    CHANGE = "change"
    DROP_OUT = "drop_out"
    END = "end"


REQUESTS: Final[Lifecycle[RequestStatus, RequestAction]] = Lifecycle(
    {
        RequestStatus.SENT: {
            RequestAction.OFFER: RequestStatus.OFFERED,
            RequestAction.DECLINE: RequestStatus.DECLINED,
            RequestAction.EXPIRE: RequestStatus.EXPIRED,
            RequestAction.CLOSE: RequestStatus.CLOSED,
        },
        RequestStatus.OFFERED: {
            RequestAction.OFFER: RequestStatus.OFFERED,
            RequestAction.DECLINE: RequestStatus.DECLINED,
            RequestAction.CHOOSE: RequestStatus.CHOSEN,
            RequestAction.PASS_OVER: RequestStatus.NOT_CHOSEN,
        },
        RequestStatus.EXPIRED: {
            RequestAction.OFFER: RequestStatus.OFFERED,
            RequestAction.DECLINE: RequestStatus.DECLINED,
            RequestAction.CLOSE: RequestStatus.CLOSED,
        },
        RequestStatus.CHOSEN: {
            RequestAction.CHANGE: RequestStatus.CHOSEN,
            RequestAction.DROP_OUT: RequestStatus.DROPPED_OUT,
            RequestAction.END: RequestStatus.ENDED,
        },
        RequestStatus.DECLINED: {},
        RequestStatus.CLOSED: {},
        RequestStatus.NOT_CHOSEN: {},
        RequestStatus.DROPPED_OUT: {},
        RequestStatus.ENDED: {},
    },
    noun="request",
    phrases={
        RequestAction.OFFER: "make an offer for {}",
        RequestAction.PASS_OVER: "pass over {}",
        RequestAction.DROP_OUT: "drop out of {}",
    },
)
"""The lifecycle of a request. Providers may decline even after their offer, until it is accepted."""


def pending_action(
    request: DispatchRequest, ride: Ride, offer: Offer | None, *, at: datetime
) -> RequestAction | None:
    """Return the action that a request needs because of its ride, its offer or the time, or None if it needs none."""
    ride = ride.as_of(at)
    match request.status:
        case RequestStatus.SENT | RequestStatus.EXPIRED:
            return _without_answer(request, ride, at)
        case RequestStatus.OFFERED:
            return _with_offer(ride, offer, at)
        case RequestStatus.CHOSEN if ride.offer_id != request.offer_id:
            return RequestAction.DROP_OUT
        case RequestStatus.CHOSEN if ride.status not in UNDER_WAY:
            return RequestAction.END
        case RequestStatus.CHOSEN if terms_of(ride) != request.terms:
            return RequestAction.CHANGE
        case _:
            return None


def was_taken_off(request: DispatchRequest, steps: Sequence[Step]) -> bool:
    """Return whether the provider of a request was chosen and has since dropped out."""
    since = request.answered_at
    return since is not None and any(
        step.action == Action.DROP_OUT
        and step.at >= since
        and (step.detail or {}).get("provider_ref") == request.provider_ref
        for step in steps
    )


def has_other_trip(request: DispatchRequest, ride: Ride) -> bool:
    """Return whether a ride is still pending, but the customer has changed its trip since the request."""
    return ride.status is Status.PENDING and terms_of(ride) != request.terms


def _without_answer(request: DispatchRequest, ride: Ride, at: datetime) -> RequestAction | None:
    if ride.status is not Status.PENDING or terms_of(ride) != request.terms:
        return RequestAction.CLOSE
    is_late = request.status is RequestStatus.SENT and at >= request.expires_at
    return RequestAction.EXPIRE if is_late else None


def _with_offer(ride: Ride, offer: Offer | None, at: datetime) -> RequestAction | None:
    if offer is not None and offer.status is OfferStatus.ACCEPTED:
        return RequestAction.CHOOSE
    is_open = offer is not None and offer.is_open(at) and ride.status is Status.PENDING
    return None if is_open else RequestAction.PASS_OVER


def moved(request: DispatchRequest, ride: Ride, action: RequestAction, *, at: datetime) -> DispatchRequest:
    """Return a request after an action; after ``CHANGE``, it has the ride's new terms."""
    request = request.after(REQUESTS.after(request.status, action), at=at)
    return evolve(request, terms=terms_of(ride)) if action is RequestAction.CHANGE else request


def as_of(request: DispatchRequest, ride: Ride, offer: Offer | None, *, at: datetime) -> DispatchRequest:
    """Return a request in its current state, even if that is not stored yet."""
    while (action := pending_action(request, ride, offer, at=at)) is not None:
        request = moved(request, ride, action, at=at)
    return request
