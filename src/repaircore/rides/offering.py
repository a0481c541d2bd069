"""Rules for asking providers for a ride, and for the offers that they make."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from attrs import frozen

from repaircore.kernel.masked_phones import MASKED_FOR, PhonePair
from repaircore.kernel.money import Cents
from repaircore.kernel.rules import FieldErrors
from repaircore.kernel.timeline import Step
from repaircore.providers.model import Provider
from repaircore.rides.fares import FareTable
from repaircore.rides.lifecycles import OFFERS, Action, OfferAction
from repaircore.rides.model import Offer, OfferStatus, Ride, Scenario

LOWEST_SHARE: Final = 50
"""The lowest price that a business may offer, in percent of the quoted fare; less is probably a typo."""

MOST: Final = 5
"""The maximum number of offers created for a ride at a time."""

PENDING_FOR: Final = timedelta(minutes=30)
"""How long a ride waits for an offer to be accepted."""

ASKED_BEFORE: Final = timedelta(minutes=45)
"""How long before the scheduled time of a ride to start asking providers."""

LATEST: Final = timedelta(days=30)
"""How far ahead a ride can be scheduled."""

OPEN_FOR: Final = timedelta(minutes=10)
"""How long an offer stays open."""

_MOMENT: Final = timedelta(seconds=1)


def ask_time(scheduled_for: datetime | None) -> datetime | None:
    """Return when to ask providers for a ride; None means immediately."""
    return None if scheduled_for is None else scheduled_for - ASKED_BEFORE


def expiry(scheduled_for: datetime | None, *, at: datetime) -> datetime:
    """Return when a new ride expires if no offer is accepted, which is never before its scheduled time."""
    since = max(at, ask_time(scheduled_for) or at)
    return max(since + PENDING_FOR, scheduled_for or at)


def validate_schedule(scheduled_for: datetime | None, *, at: datetime) -> FieldErrors:
    """Return the errors in the scheduled time of a ride."""
    if scheduled_for is None or at < scheduled_for <= at + LATEST:
        return {}
    when = "in the future" if scheduled_for <= at else f"at most {LATEST.days} days ahead"
    return {"scheduled_for": [f"The scheduled for field must be {when}."]}


@frozen(kw_only=True)
class Candidate:
    """A provider who could do a ride: qualified, open and free."""

    ref: str
    id: int
    name: str
    rating: float | None
    distance_miles: float


@frozen(kw_only=True)
class AskedProvider:
    """A provider who must be asked for an offer, with their contact details from the directory."""

    provider: Provider
    candidate: Candidate


@frozen(kw_only=True)
class OfferHistory:
    """The offers and the timeline of a ride, which show who has been asked so far."""

    offers: Sequence[Offer] = ()
    steps: Sequence[Step] = ()

    def excluded(self, at: datetime) -> frozenset[str]:
        """Return the references of providers not to ask again.

        These are the providers who were declined, who dropped out, or whose offer is open or accepted. Other
        providers, such as those whose offer expired or was withdrawn, may be asked again.
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
    """Create offers from the nearest candidates, at most ``MOST``, preferring better ratings at equal distance.

    Every offer is at the quoted fare. In the scenario ``no_driver``, there are none. In the scenario ``offers_expire``,
    only the offers created with the ride expire after a second, so that a partner sees both kinds without a flood of
    offers and events.
    """
    if Scenario.NO_DRIVER in ride.scenarios:
        return []
    is_short = are_first and Scenario.OFFERS_EXPIRE in ride.scenarios
    expires_at = at + (_MOMENT if is_short else OPEN_FOR)
    nearest = sorted(candidates, key=lambda each: (each.distance_miles, -(each.rating or 0), each.ref))
    return [
        create_offer(
            ride,
            candidate,
            eta_minutes=table.arrival_minutes(candidate.distance_miles),
            at=at,
            expires_at=expires_at,
        )
        for candidate in nearest[:MOST]
    ]


def create_offer(
    ride: Ride,
    candidate: Candidate,
    *,
    eta_minutes: int,
    at: datetime,
    price: Cents | None = None,
    expires_at: datetime | None = None,
) -> Offer:
    """Create the offer of a candidate, by default at the quoted fare.

    It is open until ``expires_at``, by default for ``OPEN_FOR``, unless the ride expires earlier.
    """
    return Offer(
        ride_ref=ride.ref,
        provider_ref=candidate.ref,
        provider_id=candidate.id,
        provider_name=candidate.name,
        rating=candidate.rating,
        price=ride.fare.total if price is None else price,
        distance_miles=round(candidate.distance_miles, 2),
        eta_minutes=eta_minutes,
        status=OfferStatus.OFFERED,
        offered_at=at,
        expires_at=min(expires_at or at + OPEN_FOR, ride.expires_at),
    )


def phone_pair(
    ride: Ride, offer: Offer, *, customer: str | None, provider: str | None, at: datetime
) -> PhonePair | None:
    """Return the phone numbers to mask when an offer is accepted, or None if either one is missing."""
    if customer is None or provider is None:
        return None
    return PhonePair(
        key=f"{ride.ref}/{offer.id}",
        environment=ride.environment,
        customer=customer,
        provider=provider,
        until=max(at, ride.scheduled_for or at) + MASKED_FOR,
    )


def open_offers(offers: Sequence[Offer], *, at: datetime) -> list[Offer]:
    """Return the offers that are open at a time, soonest arrival first."""
    return sorted(
        (offer for offer in offers if offer.is_open(at)), key=lambda offer: (offer.eta_minutes, offer.id)
    )


def close_undecided(
    offers: Sequence[Offer], action: OfferAction, *, at: datetime
) -> list[tuple[Offer, Offer]]:
    """Return each undecided offer before and after it is closed; overdue offers expire, whatever the action."""
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


def promised_arrival(ride: Ride, offer: Offer, *, at: datetime, late_minutes: float) -> datetime:
    """Return the arrival promised by an offer that was accepted at ``at``, but never before the scheduled time.

    In the scenario ``provider_late``, it is already more than ``late_minutes`` in the past.
    """
    if Scenario.PROVIDER_LATE in ride.scenarios:
        return at - timedelta(minutes=1 + late_minutes)
    return max(at + timedelta(minutes=offer.eta_minutes), ride.scheduled_for or at)
