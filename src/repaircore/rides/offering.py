"""Who is asked to do a ride, and what they offer."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from attrs import evolve, frozen

from repaircore.rides.fares import FareTable
from repaircore.rides.lifecycles import OFFERS, OfferAction
from repaircore.rides.model import Offer, OfferStatus, Ride, Scenario

__all__ = [
    "MOST",
    "OPEN_FOR",
    "PENDING_FOR",
    "Candidate",
    "close_others",
    "current",
    "offers_for",
    "open_ones",
]

MOST: Final = 5
"""How many offers a ride gets at a time."""

PENDING_FOR: Final = timedelta(minutes=30)
"""How long a ride waits for an offer to be accepted."""

OPEN_FOR: Final = timedelta(minutes=10)
"""How long an offer stands."""

_MOMENT: Final = timedelta(seconds=1)


@frozen(kw_only=True)
class Candidate:
    """A provider who could come: able to, open and free."""

    ref: str
    id: int
    name: str
    rating: float | None
    distance_miles: float


def offers_for(ride: Ride, candidates: Sequence[Candidate], table: FareTable, *, at: datetime) -> list[Offer]:
    """Make the offers of those who are soonest there; of equally distant ones the better rated comes first.

    Everybody offers the fare that was quoted: it is honored whoever comes.
    """
    if ride.scenario is Scenario.NO_DRIVER:
        return []
    ends = at + (_MOMENT if ride.scenario is Scenario.OFFERS_EXPIRE else OPEN_FOR)
    ordered = sorted(candidates, key=lambda one: (one.distance_miles, -(one.rating or 0), one.ref))
    return [
        Offer(
            ride_ref=ride.ref,
            provider_ref=one.ref,
            provider_id=one.id,
            provider_name=one.name,
            rating=one.rating,
            price=ride.fare.total,
            distance_miles=round(one.distance_miles, 2),
            eta_minutes=table.minutes_of(one.distance_miles),
            status=OfferStatus.OFFERED,
            offered_at=at,
            expires_at=min(ends, ride.expires_at),
        )
        for one in ordered[:MOST]
    ]


def open_ones(offers: Sequence[Offer], *, at: datetime) -> list[Offer]:
    """Give the offers that can be accepted at a moment, the soonest arrival first."""
    standing = [one for one in offers if one.status is OfferStatus.OFFERED and at < one.expires_at]
    return sorted(standing, key=lambda one: (one.eta_minutes, one.id))


def current(offers: Sequence[Offer], *, at: datetime) -> Offer | None:
    """Give the offer that is declined where none is named: the one that would be there first."""
    return next(iter(open_ones(offers, at=at)), None)


def close_others(offers: Sequence[Offer], accepted: Offer, *, at: datetime) -> list[Offer]:
    """Close what is still open when one offer is accepted."""
    return [
        evolve(one, status=OFFERS.after(one.status, OfferAction.WITHDRAW), closed_at=at)
        for one in offers
        if one.status is OfferStatus.OFFERED and one.id != accepted.id
    ]
