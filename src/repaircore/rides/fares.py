"""What a ride costs: a base, so much a mile of road, a minimum, and the time of day."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents, Percent, cents, percent_of, round_half_up
from repaircore.rides.model import CancelReason, Fare, RideKind, RideOutcome

# A price that was told, and is honored for a while.


HONORED_FOR: Final = timedelta(minutes=15)
"""How long a quoted price holds."""


@frozen(kw_only=True)
class Quote:
    """The price of one trip, told to one partner."""

    partner_id: int
    environment: Environment
    kind: RideKind
    service: str
    pickup: Point
    dropoff: Point
    fare: Fare
    expires_at: datetime


def require_honored(quote: Quote | None, asked: Quote, *, at: datetime) -> Fare:
    """Give the fare that a quote promises for what is asked now; None is a token that nobody made.

    Raises:
        Invalid: on ``estimate_id``: unknown, expired, or of another trip; what differs is named.
    """
    if quote is None or (quote.partner_id, quote.environment, quote.kind) != (
        asked.partner_id,
        asked.environment,
        asked.kind,
    ):
        raise Invalid({"estimate_id": ["This is no estimate of yours; ask estimate-price for one."]})
    if at >= quote.expires_at:
        raise Invalid({"estimate_id": ["The estimate has expired; ask estimate-price for a new one."]})
    changed = [
        word
        for word, was, now in (
            ("the service", quote.service, asked.service),
            ("the pickup", quote.pickup, asked.pickup),
            ("the dropoff", quote.dropoff, asked.dropoff),
        )
        if was != now
    ]
    if changed:
        named = " and ".join(changed)
        verb = "differ" if len(changed) > 1 else "differs"
        raise Invalid({"estimate_id": [f"The estimate is of another trip: {named} {verb}."]})
    return quote.fare


@frozen(kw_only=True)
class ServiceFare:
    """The prices of one service: the base holds for the first ``included_miles``; money is cents, also of a mile."""

    base: Cents
    per_mile: Cents
    included_miles: float
    minimum: Cents


@frozen(kw_only=True)
class TimeRule:
    """A surcharge in percent, on some days of the week (Monday is 0) from one local time to another.

    Where ``until`` is not after ``since`` it ends the next morning, and a day is the one that it began on.
    Without times it holds the whole day.
    """

    name: str
    percent: Percent
    days: frozenset[int] = frozenset(range(7))
    since: time | None = None
    until: time | None = None

    def holds(self, local: datetime) -> bool:
        """Tell whether it holds at a local time."""
        day, at = local.weekday(), local.time()
        if self.since is None or self.until is None:
            return day in self.days
        if self.since < self.until:
            return day in self.days and self.since <= at < self.until
        return (day in self.days and at >= self.since) or ((day - 1) % 7 in self.days and at < self.until)


@frozen(kw_only=True)
class Cancellation:
    """What it costs to cancel once somebody is on the way, and reasons for which it costs nothing."""

    free_minutes: float
    accepted_percent: Percent
    arrived_percent: Percent
    late_minutes: float
    free_reasons: frozenset[CancelReason]


@frozen(kw_only=True)
class FareTable:
    """All that an installation asks for rides. ``outcomes`` has the percentage of the fare for what ended without service."""

    road_factor: float
    miles_per_hour: float
    minutes_to_leave: float
    services: Mapping[str, ServiceFare]
    times: tuple[TimeRule, ...]
    cancellation: Cancellation
    outcomes: Mapping[RideOutcome, Percent]

    def minutes_of(self, miles: float) -> int:
        """Give the whole minutes until a provider who is so many great-circle miles away is there, at least 1."""
        return max(
            1, round_half_up(self.minutes_to_leave + miles * self.road_factor / self.miles_per_hour * 60)
        )


def fare(table: FareTable, service: str, *, great_circle_miles: float, local: datetime) -> Fare:
    """Give what a service costs over a distance, for a pickup at a local time.

    The surcharge is on base and distance. ``total`` is what they come to, and at least the service's minimum.

    Raises:
        KeyError: the table has no such service.
    """
    prices = table.services[service]
    miles = round(great_circle_miles * table.road_factor, 2)
    charged = max(0.0, miles - prices.included_miles)
    distance = cents(charged * prices.per_mile / 100)
    rule = max(
        (rule for rule in table.times if rule.holds(local)), key=lambda rule: rule.percent, default=None
    )
    surcharge = 0 if rule is None else percent_of(prices.base + distance, rule.percent)
    return Fare(
        distance_miles=miles,
        base_fare=prices.base,
        distance_fare=distance,
        surcharge=surcharge,
        surcharge_reason=rule.name if rule is not None and surcharge else None,
        minimum=prices.minimum,
        total=max(prices.minimum, prices.base + distance + surcharge),
    )
