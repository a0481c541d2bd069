"""What may be done with a ride and with an offer, and what comes of it: tables, from which the docs draw diagrams."""

from enum import StrEnum
from typing import Final

from repaircore.kernel.lifecycle import Lifecycle
from repaircore.rides.model import OfferStatus, Ride, RideKind, RideOutcome, Status


class Action(StrEnum):
    """What is done with a ride, in the words of its addresses."""

    UPDATE = "update"
    ACCEPT_OFFER = "accept_offer"
    DECLINE_OFFER = "decline_offer"
    CANCEL = "cancel"
    EXPIRE = "expire"
    CANCEL_ACCEPTED = "cancel_accepted"
    CALL_OFF = "call_off"
    DROP_OUT = "drop_out"
    ARRIVE = "driver_arrived"
    START = "start"
    COMPLETE = "complete"
    GONE_ON_ARRIVAL = "gone_on_arrival"
    UNSUCCESSFUL = "unsuccessful"
    CONVERT = "convert_to_tow"
    RATE = "rate_driver"
    LINK = "link_tow"


class OfferAction(StrEnum):
    """What is done with an offer."""

    ACCEPT = "accept"
    DECLINE = "decline"
    WITHDRAW = "withdraw"
    EXPIRE = "expire"


ENDING: Final = {
    RideOutcome.COMPLETED: Action.COMPLETE,
    RideOutcome.GONE_ON_ARRIVAL: Action.GONE_ON_ARRIVAL,
    RideOutcome.UNSUCCESSFUL: Action.UNSUCCESSFUL,
    RideOutcome.CONVERTED_TO_TOW: Action.CONVERT,
}
"""The action that completing a ride with an outcome is."""

_ARRIVED: Final = {RideKind.MOBILE: Status.DRIVER_ARRIVED, RideKind.TOW: Status.PROVIDER_ARRIVED}


def _life(kind: RideKind) -> Lifecycle[Status, Action]:
    there = _ARRIVED[kind]
    declining, without_service, completed = (
        dict[Action, Status](),
        {Action.UNSUCCESSFUL: Status.COMPLETED},
        {},
    )
    if kind is RideKind.MOBILE:
        declining = {Action.DECLINE_OFFER: Status.PENDING}
        without_service[Action.CONVERT] = Status.COMPLETED
        completed = {Action.RATE: Status.COMPLETED, Action.LINK: Status.COMPLETED}
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
                Action.ARRIVE: there,
            },
            there: {
                Action.UPDATE: there,
                Action.CANCEL_ACCEPTED: Status.CANCELLED,
                Action.CALL_OFF: Status.CANCELLED,
                Action.DROP_OUT: Status.PENDING,
                Action.START: Status.IN_PROGRESS,
                Action.GONE_ON_ARRIVAL: Status.COMPLETED,
                **without_service,
            },
            Status.IN_PROGRESS: {
                Action.UPDATE: Status.IN_PROGRESS,
                Action.CALL_OFF: Status.CANCELLED,
                Action.COMPLETE: Status.COMPLETED,
                **without_service,
            },
            Status.COMPLETED: completed,
            Status.CANCELLED: {},
            Status.EXPIRED: {},
        }
    )


LIVES: Final = {kind: _life(kind) for kind in RideKind}
"""The life of a ride, by its kind."""

_OURS: Final = frozenset({Action.EXPIRE, Action.DROP_OUT, Action.CALL_OFF, Action.LINK})
"""What happens to a ride without the partner, or by an order of theirs for a tow: it is not told as allowed."""


def allowed(ride: Ride) -> list[str]:
    """List what the partner may do with a ride, in wire words; who has rated it has nothing left to rate."""
    not_theirs = _OURS if ride.rating is None else _OURS | {Action.RATE}
    return [str(action) for action in LIVES[ride.kind].allowed(ride.status) if action not in not_theirs]


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
    }
)
"""The life of an offer; an accepted one is withdrawn by a provider that drops out."""
