"""What may be done with a job and with an offer, and what comes of it: tables, from which the docs draw diagrams."""

from enum import StrEnum
from typing import Final

from repaircore.kernel.lifecycle import Lifecycle
from repaircore.roadside.model import JobKind, OfferStatus, Outcome, Status

__all__ = ["ENDING", "JOBS", "OFFERS", "Action", "OfferAction", "arrived", "is_active"]


class Action(StrEnum):
    """What is done with a job, in the words of its addresses."""

    UPDATE = "update"
    ACCEPT_OFFER = "accept_offer"
    DECLINE_OFFER = "decline_offer"
    CANCEL = "cancel"
    EXPIRE = "expire"
    CANCEL_ACCEPTED = "cancel_accepted"
    DROP_OUT = "drop_out"
    ARRIVE = "driver_arrived"
    START = "start"
    COMPLETE = "complete"
    GONE_ON_ARRIVAL = "gone_on_arrival"
    UNSUCCESSFUL = "unsuccessful"
    CONVERT = "convert_to_tow"
    RATE = "rate_driver"


class OfferAction(StrEnum):
    """What is done with an offer."""

    ACCEPT = "accept"
    DECLINE = "decline"
    WITHDRAW = "withdraw"
    EXPIRE = "expire"


ENDING: Final = {
    Outcome.COMPLETED: Action.COMPLETE,
    Outcome.GONE_ON_ARRIVAL: Action.GONE_ON_ARRIVAL,
    Outcome.UNSUCCESSFUL: Action.UNSUCCESSFUL,
    Outcome.CONVERTED_TO_TOW: Action.CONVERT,
}
"""The action that completing a job with an outcome is."""

_ARRIVED: Final = {JobKind.RIDE: Status.DRIVER_ARRIVED, JobKind.TOW: Status.PROVIDER_ARRIVED}
_ACTIVE: Final = frozenset(
    {Status.ACCEPTED, Status.DRIVER_ARRIVED, Status.PROVIDER_ARRIVED, Status.IN_PROGRESS}
)


def arrived(kind: JobKind) -> Status:
    """Give the state in which the provider is there."""
    return _ARRIVED[kind]


def is_active(status: Status) -> bool:
    """Tell whether a provider is on the job."""
    return status in _ACTIVE


def _job(kind: JobKind) -> Lifecycle[Status, Action]:
    there = _ARRIVED[kind]
    without_service = {Action.UNSUCCESSFUL: Status.COMPLETED}
    if kind is JobKind.RIDE:
        without_service[Action.CONVERT] = Status.COMPLETED
    return Lifecycle(
        {
            Status.PENDING: {
                Action.UPDATE: Status.PENDING,
                Action.ACCEPT_OFFER: Status.ACCEPTED,
                Action.DECLINE_OFFER: Status.PENDING,
                Action.CANCEL: Status.CANCELLED,
                Action.EXPIRE: Status.EXPIRED,
            },
            Status.ACCEPTED: {
                Action.UPDATE: Status.ACCEPTED,
                Action.CANCEL_ACCEPTED: Status.CANCELLED,
                Action.DROP_OUT: Status.PENDING,
                Action.ARRIVE: there,
            },
            there: {
                Action.UPDATE: there,
                Action.CANCEL_ACCEPTED: Status.CANCELLED,
                Action.DROP_OUT: Status.PENDING,
                Action.START: Status.IN_PROGRESS,
                Action.GONE_ON_ARRIVAL: Status.COMPLETED,
                **without_service,
            },
            Status.IN_PROGRESS: {
                Action.UPDATE: Status.IN_PROGRESS,
                Action.COMPLETE: Status.COMPLETED,
                **without_service,
            },
            Status.COMPLETED: {Action.RATE: Status.COMPLETED} if kind is JobKind.RIDE else {},
            Status.CANCELLED: {},
            Status.EXPIRED: {},
        }
    )


JOBS: Final = {kind: _job(kind) for kind in JobKind}
"""The life of a job, by its kind."""

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
