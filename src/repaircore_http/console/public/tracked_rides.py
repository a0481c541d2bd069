"""The page that tracks a job on a phone through its link, without an account or third parties."""

from math import cos, radians
from typing import Final

from attrs import frozen
from flask.typing import ResponseReturnValue

from repaircore.dispatch.texts import job_words
from repaircore.kernel.geo import Point
from repaircore.kernel.wording import time_of_day
from repaircore.rides.model import ProviderCard, RideKind, Status
from repaircore.tracking.links import PATH
from repaircore.tracking.model import TrackedRide
from repaircore_http.console.pages import show
from repaircore_http.console.public.access import counted_opening, phone_pages, unlisted
from repaircore_http.core import core

tracked_rides = phone_pages("tracked_rides")

_WIDTH: Final = 320.0
_HEIGHT: Final = 120.0
_MARGIN: Final = 30.0
_HERE: Final = 0.05
"""The distance in miles within which a provider counts as having reached the pickup."""


@frozen(kw_only=True)
class _Drawing:
    """The positions of the provider and the pickup in a drawing without a scale or map."""

    provider: tuple[float, float]
    pickup: tuple[float, float]


@tracked_rides.get(f"{PATH}<token>")
def index(token: str) -> ResponseReturnValue:
    """Show the status of the job that a link tracks."""
    with counted_opening(token):
        tracked = core().tracking.open(token)
    ride, zone = tracked.ride, tracked.zone
    page = show(
        "public/tracked_ride.html",
        what=job_words(ride.kind, ride.service),
        ride=ride,
        card=ride.provider_card or ProviderCard(),
        status=_status_words(tracked),
        eta=None
        if ride.eta_at is None or ride.status is not Status.ACCEPTED
        else time_of_day(ride.eta_at.astimezone(zone)),
        tracked=tracked,
        seen_at=None if ride.position is None else time_of_day(ride.position.at.astimezone(zone)),
        drawing=_drawing(tracked),
        here=_HERE,
    )
    return unlisted(page)


def _status_words(tracked: TrackedRide) -> str:
    """Return the status of the job, in words."""
    ride = tracked.ride
    match ride.status:
        case Status.PENDING:
            return "We are looking for a provider."
        case Status.ACCEPTED:
            return "On the way." if ride.en_route_at else "A provider accepted the job."
        case Status.IN_PROGRESS:
            return "The vehicle is being towed." if ride.kind is RideKind.TOW else "The work has started."
        case _:
            return "Arrived."


def _drawing(tracked: TrackedRide) -> _Drawing | None:
    """Return the provider and the pickup, north up, as far apart as the drawing allows.

    Return None if the provider's position is unknown, or is that of the pickup.
    """
    position = tracked.ride.position
    if position is None:
        return None
    pickup = tracked.ride.pickup
    east, north = _offset(Point(position.latitude, position.longitude), pickup)
    if max(abs(east), abs(north)) == 0:
        return None
    scale = min(
        (_WIDTH - 2 * _MARGIN) / max(abs(east), 1e-9), (_HEIGHT - 2 * _MARGIN) / max(abs(north), 1e-9)
    )
    across, down = east * scale / 2, -north * scale / 2
    middle = (_WIDTH / 2, _HEIGHT / 2)
    return _Drawing(
        provider=(round(middle[0] - across, 1), round(middle[1] - down, 1)),
        pickup=(round(middle[0] + across, 1), round(middle[1] + down, 1)),
    )


def _offset(start: Point, end: Point) -> tuple[float, float]:
    """Return how far a point lies to the east and to the north of another, in degrees of latitude."""
    around = (end.longitude - start.longitude + 180) % 360 - 180
    return around * cos(radians(start.latitude)), end.latitude - start.latitude
