"""Requests to providers to do a ride, and their answers."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final

from attrs import astuple, evolve, frozen

from repaircore.kernel.callers import Environment
from repaircore.rides.model import Ride, RideKind


class RequestStatus(StrEnum):
    """The status of a request to a provider."""

    SENT = "sent"
    OFFERED = "offered"
    DECLINED = "declined"
    EXPIRED = "expired"
    """No answer came in time; a late offer still counts while the ride is pending."""
    CLOSED = "closed"
    """The ride went to another provider, changed or ended before an answer came."""
    CHOSEN = "chosen"
    NOT_CHOSEN = "not_chosen"
    DROPPED_OUT = "dropped_out"
    ENDED = "ended"
    """The ride that the provider was chosen for has ended."""


ACTIVE: Final = frozenset({
    RequestStatus.SENT,
    RequestStatus.OFFERED,
    RequestStatus.EXPIRED,
    RequestStatus.CHOSEN,
})  # fmt: skip
"""The statuses in which a request may still change. In the others, its link only shows how the job ended."""


class Delivery(StrEnum):
    """Whether the message about a request was sent to its provider."""

    SENT = "sent"
    WAITING = "waiting"
    FAILED = "failed"
    """The message was rejected or given up on, or there never was one."""


@frozen(kw_only=True)
class DispatchRequest:
    """A request to one provider to do one ride.

    ``terms`` is a hash of the trip and the price that were offered. Only a hash of the token in the provider's link is
    stored. The next wave waits for an answer until ``expires_at``. ``offer_id`` is the offer that the provider made,
    and ``reason`` is why they declined.
    """

    id: int = 0
    ref: str
    environment: Environment
    kind: RideKind
    ride_ref: str
    provider_ref: str
    provider_id: int
    distance_miles: float
    wave: int
    terms: str
    token_hash: bytes
    status: RequestStatus = RequestStatus.SENT
    offer_id: int | None = None
    reason: str | None = None
    sent_at: datetime
    expires_at: datetime
    answered_at: datetime | None = None
    closed_at: datetime | None = None

    @property
    def is_active(self) -> bool:
        """Return whether the request may still change."""
        return self.status in ACTIVE

    def after(self, status: RequestStatus, *, at: datetime) -> "DispatchRequest":
        """Return the request in a new status; if that is final, the request is closed ``at`` this time."""
        return evolve(self, status=status, closed_at=self.closed_at if status in ACTIVE else at)


@frozen(kw_only=True)
class Notice:
    """A message to a provider: ``text`` fits in an SMS, ``body`` is for an e-mail, and ``payload`` for a webhook.

    ``about`` is the reference of the request. A notice is not sent after ``expires_at``.
    """

    about: str
    subject: str
    text: str
    body: str
    payload: Mapping[str, Any]
    expires_at: datetime


@frozen(kw_only=True)
class ProviderKey:
    """A stored key of a provider. Only its hash and its last four characters are stored."""

    id: int
    provider_ref: str
    environment: Environment
    last4: str
    created_at: datetime
    revoked_at: datetime | None = None


def terms_of(ride: Ride) -> str:
    """Return a hash of the terms of a ride, which differs if the service, the trip or the price does."""
    parts = (ride.service, astuple(ride.pickup), astuple(ride.dropoff), ride.fare.total)
    return sha256(repr(parts).encode()).hexdigest()[:16]
