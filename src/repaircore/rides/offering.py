"""Who is asked to do a ride, and what they offer."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from attrs import frozen

from repaircore.kernel.timeline import Step
from repaircore.rides.fares import FareTable
from repaircore.rides.lifecycles import OFFERS, Action, OfferAction
from repaircore.rides.model import Offer, OfferStatus, Ride, Scenario

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


def offers_for(
    ride: Ride,
    candidates: Sequence[Candidate],
    table: FareTable,
    *,
    at: datetime,
    are_first: bool = False,
) -> list[Offer]:
    """Make the offers of those who are soonest there; of equally distant ones the better rated comes first.

    Everybody offers the fare that was quoted: it is honored whoever comes. With ``offers_expire`` a ride's first offers,
    those that are created with it, end after a moment; later ones stand, so that a partner sees both and is not flooded
    with offers and their events.
    """
    if ride.scenario is Scenario.NO_DRIVER:
        return []
    is_short = are_first and ride.scenario is Scenario.OFFERS_EXPIRE
    ends = at + (_MOMENT if is_short else OPEN_FOR)
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


def not_asked(offers: Sequence[Offer], steps: Sequence[Step], *, at: datetime) -> frozenset[str]:
    """Name who is not asked (again) for a ride: who was declined, who dropped out, and whose offer stands.

    So whoever merely let an offer lapse, or was passed over when another was accepted, is asked again when somebody is needed.
    """
    declined = (one for one in offers if one.status is OfferStatus.DECLINED)
    standing = (one for one in offers if one.status is OfferStatus.ACCEPTED or one.is_open(at))
    dropped = ((step.detail or {}).get("provider_ref") for step in steps if step.action == Action.DROP_OUT)
    return frozenset([*(one.provider_ref for one in (*declined, *standing)), *map(str, dropped)])


def open_ones(offers: Sequence[Offer], *, at: datetime) -> list[Offer]:
    """Give the offers that stand at a moment, the soonest arrival first."""
    return sorted((one for one in offers if one.is_open(at)), key=lambda one: (one.eta_minutes, one.id))


def closed(offers: Sequence[Offer], action: OfferAction, *, at: datetime) -> list[tuple[Offer, Offer]]:
    """Close what nobody decided on, each as it was and as it is then; whose time was over has expired, whatever comes."""
    return [
        (one, one.closed(OFFERS.after(one.status, action if one.is_open(at) else OfferAction.EXPIRE), at=at))
        for one in offers
        if one.status is OfferStatus.OFFERED
    ]
