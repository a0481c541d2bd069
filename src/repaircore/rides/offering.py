"""Requests to providers for a ride, and the offers that they make."""

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
"""How long an offer stays open."""

_MOMENT: Final = timedelta(seconds=1)


@frozen(kw_only=True)
class Candidate:
    """A provider who could do a ride: able to, open and free."""

    ref: str
    id: int
    name: str
    rating: float | None
    distance_miles: float


@frozen(kw_only=True)
class OfferHistory:
    """The offers and the timeline of a ride: which providers were asked so far."""

    offers: Sequence[Offer] = ()
    steps: Sequence[Step] = ()

    def excluded(self, at: datetime) -> frozenset[str]:
        """Return the references of providers who are not asked again: declined, dropped out, or with an open offer.

        Providers whose offer expired, or who were passed over when another was accepted, are asked again.
        """
        declined = (offer for offer in self.offers if offer.status is OfferStatus.DECLINED)
        current = (
            offer for offer in self.offers if offer.status is OfferStatus.ACCEPTED or offer.is_open(at)
        )
        dropped_out = (
            (step.detail or {}).get("provider_ref") for step in self.steps if step.action == Action.DROP_OUT
        )
        return frozenset([*(offer.provider_ref for offer in (*declined, *current)), *map(str, dropped_out)])


def create_offers(
    ride: Ride, candidates: Sequence[Candidate], table: FareTable, *, at: datetime, are_first: bool = False
) -> list[Offer]:
    """Create the offers of the nearest candidates; of equally distant ones the better rated comes first.

    Every offer is at the quoted fare, whichever provider makes it. In the scenario ``offers_expire``, the offers created with
    the ride expire after a moment and later ones stay open: so a partner sees both, without a flood of offers and events.
    """
    if ride.scenario is Scenario.NO_DRIVER:
        return []
    is_short = are_first and ride.scenario is Scenario.OFFERS_EXPIRE
    expires_at = at + (_MOMENT if is_short else OPEN_FOR)
    nearest = sorted(candidates, key=lambda each: (each.distance_miles, -(each.rating or 0), each.ref))
    return [
        Offer(
            ride_ref=ride.ref,
            provider_ref=candidate.ref,
            provider_id=candidate.id,
            provider_name=candidate.name,
            rating=candidate.rating,
            price=ride.fare.total,
            distance_miles=round(candidate.distance_miles, 2),
            eta_minutes=table.arrival_minutes(candidate.distance_miles),
            status=OfferStatus.OFFERED,
            offered_at=at,
            expires_at=min(expires_at, ride.expires_at),
        )
        for candidate in nearest[:MOST]
    ]


def open_offers(offers: Sequence[Offer], *, at: datetime) -> list[Offer]:
    """Return the offers that are open at a time, the soonest arrival first."""
    return sorted(
        (offer for offer in offers if offer.is_open(at)), key=lambda offer: (offer.eta_minutes, offer.id)
    )


def close_undecided(
    offers: Sequence[Offer], action: OfferAction, *, at: datetime
) -> list[tuple[Offer, Offer]]:
    """Return each undecided offer as it is and as it is once closed; offers past their time expire, whatever the action."""
    return [
        (
            offer,
            offer.closed(
                OFFERS.after(offer.status, action if offer.is_open(at) else OfferAction.EXPIRE), at=at
            ),
        )
        for offer in offers
        if offer.status is OfferStatus.OFFERED
    ]
