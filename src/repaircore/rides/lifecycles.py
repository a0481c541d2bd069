"""The lifecycles of rides and offers, as tables from which the documentation generates its diagrams."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Final

from repaircore.kernel.lifecycle import Lifecycle
from repaircore.rides.model import OfferStatus, Ride, RideKind, RideOutcome, Status


class Action(StrEnum):
    """An action on a ride; the API's paths for partners have similar names, such as ``accept-offer``."""

    UPDATE = "update"
    ACCEPT_OFFER = "accept_offer"
    DECLINE_OFFER = "decline_offer"
    CANCEL = "cancel"
    EXPIRE = "expire"
    CANCEL_ACCEPTED = "cancel_accepted"
    CALL_OFF = "call_off"
    DROP_OUT = "drop_out"
    EN_ROUTE = "en_route"
    ARRIVE = "driver_arrived"
    START = "start"
    COMPLETE = "complete"
    GONE_ON_ARRIVAL = "gone_on_arrival"
    UNSUCCESSFUL = "unsuccessful"
    CONVERT = "convert_to_tow"
    CHANGE_DESTINATION = "change_destination"
    RATE = "rate_driver"
    RATE_BUSINESS = "rate_business"
    LINK = "link_tow"


class OfferAction(StrEnum):
    """An action on an offer."""

    ACCEPT = "accept"
    DECLINE = "decline"
    WITHDRAW = "withdraw"
    EXPIRE = "expire"


COMPLETING: Final[Mapping[RideOutcome, Action]] = {
    RideOutcome.COMPLETED: Action.COMPLETE,
    RideOutcome.GONE_ON_ARRIVAL: Action.GONE_ON_ARRIVAL,
    RideOutcome.UNSUCCESSFUL: Action.UNSUCCESSFUL,
    RideOutcome.CONVERTED_TO_TOW: Action.CONVERT,
}
"""The action that completes a ride, by its outcome."""

_PHRASES: Final[Mapping[Action, str]] = {
    Action.ACCEPT_OFFER: "accept an offer for {}",
    Action.DECLINE_OFFER: "decline an offer for {}",
    Action.CANCEL_ACCEPTED: "cancel {} as accepted",
    Action.DROP_OUT: "remove the provider from {}",
    Action.EN_ROUTE: "mark the provider of {} as on the way",
    Action.ARRIVE: "mark the provider of {} as arrived",
    Action.GONE_ON_ARRIVAL: "complete {} as gone_on_arrival",
    Action.UNSUCCESSFUL: "complete {} as unsuccessful",
    Action.CONVERT: "convert {} to a tow",
    Action.CHANGE_DESTINATION: "change the destination of {}",
    Action.RATE: "rate the driver of {}",
    Action.RATE_BUSINESS: "rate the business of {}",
    Action.LINK: "link a tow to {}",
}


def _mobile_ride() -> Lifecycle[Status, Action]:
    without_service = {Action.UNSUCCESSFUL: Status.COMPLETED, Action.CONVERT: Status.COMPLETED}
    return _lifecycle(
        arrived=Status.DRIVER_ARRIVED,
        declining={Action.DECLINE_OFFER: Status.PENDING},
        without_service=without_service,
        completed={Action.RATE: Status.COMPLETED, Action.LINK: Status.COMPLETED},
        noun="ride",
    )


def _tow_ride() -> Lifecycle[Status, Action]:
    return _lifecycle(
        arrived=Status.PROVIDER_ARRIVED,
        declining={},
        without_service={Action.UNSUCCESSFUL: Status.COMPLETED},
        completed={Action.RATE_BUSINESS: Status.COMPLETED},
        noun="tow ride",
    )


def _lifecycle(
    *,
    arrived: Status,
    declining: Mapping[Action, Status],
    without_service: Mapping[Action, Status],
    completed: Mapping[Action, Status],
    noun: str,
) -> Lifecycle[Status, Action]:
    return Lifecycle(
        {
            Status.PENDING: {
                Action.UPDATE: Status.PENDING,
                Action.ACCEPT_OFFER: Status.ACCEPTED,
                **declining,
                Action.CANCEL: Status.CANCELLED,
                Action.CALL_OFF: Status.CANCELLED,
                Action.EXPIRE: Status.EXPIRED,
            },
            Status.ACCEPTED: {
                Action.UPDATE: Status.ACCEPTED,
                Action.CANCEL_ACCEPTED: Status.CANCELLED,
                Action.CALL_OFF: Status.CANCELLED,
                Action.DROP_OUT: Status.PENDING,
                Action.EN_ROUTE: Status.ACCEPTED,
                Action.CHANGE_DESTINATION: Status.ACCEPTED,
                Action.ARRIVE: arrived,
            },
            arrived: {
                Action.UPDATE: arrived,
                Action.CANCEL_ACCEPTED: Status.CANCELLED,
                Action.CALL_OFF: Status.CANCELLED,
                Action.DROP_OUT: Status.PENDING,
                Action.CHANGE_DESTINATION: arrived,
                Action.START: Status.IN_PROGRESS,
                Action.GONE_ON_ARRIVAL: Status.COMPLETED,
                **without_service,
            },
            Status.IN_PROGRESS: {
                Action.UPDATE: Status.IN_PROGRESS,
                Action.CHANGE_DESTINATION: Status.IN_PROGRESS,
                Action.CALL_OFF: Status.CANCELLED,
                Action.COMPLETE: Status.COMPLETED,
                **without_service,
            },
            Status.COMPLETED: completed,
            Status.CANCELLED: {},
            Status.EXPIRED: {},
        },
        noun=noun,
        phrases=_PHRASES,
    )


LIFECYCLES: Final[Mapping[RideKind, Lifecycle[Status, Action]]] = {
    RideKind.MOBILE: _mobile_ride(),
    RideKind.TOW: _tow_ride(),
}
"""The lifecycle of a ride, by its kind."""

RATING: Final[Mapping[RideKind, Action]] = {
    RideKind.MOBILE: Action.RATE,
    RideKind.TOW: Action.RATE_BUSINESS,
}
"""The action that rates the provider, by the kind of ride."""

_NOT_BY_PARTNERS: Final = frozenset({
    Action.EXPIRE,
    Action.DROP_OUT,
    Action.CALL_OFF,
    Action.EN_ROUTE,
    Action.LINK,
})  # fmt: skip
"""Actions that are not listed as allowed: those of the system, the operator and the provider, and linking a tow."""


def allowed(ride: Ride) -> list[str]:
    """List the actions that the partner may take on a ride, as the API names them; a ride is rated only once."""
    return [*_allowed(ride.kind, ride.status, is_rated=ride.rating is not None)]


@cache
def _allowed(kind: RideKind, status: Status, *, is_rated: bool) -> tuple[str, ...]:
    hidden = _NOT_BY_PARTNERS | {*RATING.values()} if is_rated else _NOT_BY_PARTNERS
    return tuple(str(action) for action in LIFECYCLES[kind].allowed(status) if action not in hidden)


OFFERS: Final[Lifecycle[OfferStatus, OfferAction]] = Lifecycle(
    {
        OfferStatus.OFFERED: {
            OfferAction.ACCEPT: OfferStatus.ACCEPTED,
            OfferAction.DECLINE: OfferStatus.DECLINED,
            OfferAction.WITHDRAW: OfferStatus.WITHDRAWN,
            OfferAction.EXPIRE: OfferStatus.EXPIRED,
        },
        OfferStatus.ACCEPTED: {OfferAction.WITHDRAW: OfferStatus.WITHDRAWN},
        OfferStatus.DECLINED: {},
        OfferStatus.WITHDRAWN: {},
        OfferStatus.EXPIRED: {},
    },
    noun="offer",
)
"""The lifecycle of an offer; an accepted offer is withdrawn when its provider drops out."""
