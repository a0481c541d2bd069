"""Rules for destination changes: the new price, and whether a quote is valid."""

from datetime import datetime

from repaircore.destinations.errors import PriceChanged
from repaircore.destinations.model import DestinationQuote
from repaircore.kernel.errors import Invalid
from repaircore.kernel.geo import Point
from repaircore.kernel.money import round_half_up
from repaircore.rides.fares import HONORED_FOR, FareTable, fare, require_distance
from repaircore.rides.lifecycles import allowed
from repaircore.rides.model import Ride


def quote(ride: Ride, dropoff: Point, table: FareTable, *, local: datetime, at: datetime) -> DestinationQuote:
    """Return the price of a ride to another destination.

    ``local`` is the local time when the ride was ordered: a night that begins on the way adds no surcharge.

    Raises:
        Invalid: on ``dropoff_latitude``: the dropoff is too far away, or is the ride's current one.
    """
    distance = require_distance(ride.pickup, dropoff)
    if dropoff == ride.dropoff:
        raise Invalid({"dropoff_latitude": ["The ride already goes to this dropoff."]})
    new = fare(table, ride.service, great_circle_miles=distance, local=local)
    return DestinationQuote(
        ride_ref=ride.ref,
        instead_of=ride.dropoff,
        current=ride.agreed_price,
        dropoff=dropoff,
        fare=new,
        price=round_half_up(new.total * ride.agreed_price / ride.fare.total),
        expires_at=at + HONORED_FOR,
    )


def require_own(quoted: DestinationQuote | None, ref: str, *, at: datetime) -> DestinationQuote:
    """Return the quote if it was made for the ride and has not expired; None means that the quote is unknown.

    Raises:
        Invalid: on ``estimate_id``: the quote is unknown, has expired, or is for another ride.
    """
    if quoted is None or quoted.ride_ref != ref:
        text = "The estimate is not for this ride. Request a new one from destination-preview."
        raise Invalid({"estimate_id": [text]})
    if at >= quoted.expires_at:
        text = "The estimate has expired. Request a new one from destination-preview."
        raise Invalid({"estimate_id": [text]})
    return quoted


def require_unchanged(quoted: DestinationQuote, ride: Ride) -> None:
    """Raise PriceChanged if the ride's destination or price has changed since the quote was made."""
    if (quoted.instead_of, quoted.current) != (ride.dropoff, ride.agreed_price):
        raise PriceChanged(ride.status, allowed(ride))
