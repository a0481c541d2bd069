"""Links for following rides."""

from datetime import datetime, tzinfo

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.rides.model import Ride, RideKind


@frozen(kw_only=True)
class TrackingLink:
    """The link for a ride; ``number`` grows when a revoked link is replaced, and only a hash of its token is stored."""

    ride_ref: str
    kind: RideKind
    environment: Environment
    number: int
    token_hash: bytes
    created_at: datetime
    revoked_at: datetime | None = None


@frozen(kw_only=True)
class SharedLink:
    """A link and its URL."""

    link: TrackingLink
    address: str


@frozen(kw_only=True)
class TrackedRide:
    """A ride as anyone with the link sees it.

    ``area`` is the provider's last position in words, and ``miles_left`` the distance from there to the pickup; both
    are None unless the provider is on the way and has reported a position. ``zone`` is the time zone of the pickup.
    """

    ride: Ride
    area: str | None
    miles_left: float | None
    zone: tzinfo
