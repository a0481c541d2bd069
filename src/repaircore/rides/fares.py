"""Fares: a base fare, a price per road mile, a minimum, and surcharges by day and time."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.geo import Point, miles
from repaircore.kernel.money import Cents, Percent, cents, percent_of, round_half_up
from repaircore.rides.model import CancelReason, Fare, RideKind, RideOutcome

MOST_MILES: Final = 500.0
"""The maximum great-circle distance in miles from pickup to dropoff."""

_WORDS: Final = {"scheduled_for": "time"}

HONORED_FOR: Final = timedelta(minutes=15)
"""How long a quoted price is honored."""


@frozen(kw_only=True)
class Quote:
    """The price of one trip, quoted to one partner."""

    partner_id: int
    environment: Environment
    kind: RideKind
    service: str
    pickup: Point
    dropoff: Point
    fare: Fare
    scheduled_for: datetime | None = None
    expires_at: datetime


def require_honored(quote: Quote | None, current: Quote, *, at: datetime) -> Fare:
    """Return the fare of an earlier quote if it is still honored for the trip of ``current``.

    A ``quote`` of None means that the estimate is unknown.

    Raises:
        Invalid: ``estimate_id`` is unknown, expired, or for another trip; the message says what differs.
    """
    if quote is None or _owner(quote) != _owner(current):
        raise Invalid({"estimate_id": ["The estimate was not found. Request a new one from estimate-price."]})
    if at >= quote.expires_at:
        raise Invalid({"estimate_id": ["The estimate has expired. Request a new one from estimate-price."]})
    changed = [
        f"the {_WORDS.get(name, name)}"
        for name in ("service", "pickup", "dropoff", "scheduled_for")
        if getattr(quote, name) != getattr(current, name)
    ]
    if changed:
        verb = "differ" if len(changed) > 1 else "differs"
        text = f"The estimate is for a different trip: {' and '.join(changed)} {verb}. Request a new one from estimate-price."
        raise Invalid({"estimate_id": [text]})
    return quote.fare


def _owner(quote: Quote) -> tuple[int, Environment, RideKind]:
    return quote.partner_id, quote.environment, quote.kind


def require_distance(pickup: Point, dropoff: Point) -> float:
    """Return the great-circle distance of a trip in miles.

    Raises:
        Invalid: the dropoff is too far from the pickup (``dropoff_latitude``).
    """
    distance = miles(pickup, dropoff)
    if distance > MOST_MILES:
        text = f"The dropoff must be at most {MOST_MILES:g} miles from the pickup."
        raise Invalid({"dropoff_latitude": [text]})
    return distance


@frozen(kw_only=True)
class ServiceFare:
    """The prices of one service, in cents; the base covers the first ``included_miles``."""

    base: Cents
    per_mile: Cents
    included_miles: float
    minimum: Cents


@frozen(kw_only=True)
class TimeRule:
    """A surcharge in percent, on some days of the week (Monday is 0) between two local times.

    If ``until`` is not after ``since``, the surcharge ends on the next day, and ``days`` are the days on which it
    starts. If it has no times, it applies all day.
    """

    name: str
    percent: Percent
    days: frozenset[int] = frozenset(range(7))
    since: time | None = None
    until: time | None = None

    def applies(self, local: datetime) -> bool:
        """Return whether the surcharge applies at a local time."""
        day, at = local.weekday(), local.time()
        if self.since is None or self.until is None:
            return day in self.days
        if self.since < self.until:
            return day in self.days and self.since <= at < self.until
        return (day in self.days and at >= self.since) or ((day - 1) % 7 in self.days and at < self.until)


@frozen(kw_only=True)
class Cancellation:
    """The cancellation fees once a provider is accepted, and what waives them."""

    free_minutes: float
    accepted_percent: Percent
    arrived_percent: Percent
    late_minutes: float
    free_reasons: frozenset[CancelReason]


@frozen(kw_only=True)
class FareTable:
    """The fares of an installation; ``outcomes`` has the percentage of the price due if the service fails."""

    road_factor: float
    miles_per_hour: float
    minutes_to_leave: float
    services: Mapping[str, ServiceFare]
    times: tuple[TimeRule, ...]
    cancellation: Cancellation
    outcomes: Mapping[RideOutcome, Percent]

    def arrival_minutes(self, miles: float) -> int:
        """Return the minutes, rounded and at least 1, until a provider arrives, given the great-circle distance."""
        return max(
            1, round_half_up(self.minutes_to_leave + miles * self.road_factor / self.miles_per_hour * 60)
        )


def fare(table: FareTable, service: str, *, great_circle_miles: float, local: datetime) -> Fare:
    """Return the fare of a service for a distance and a pickup at a local time.

    The surcharge is a percentage of the base and distance fares. The total is at least the service's minimum.

    Raises:
        KeyError: the table has no such service.
    """
    prices = table.services[service]
    miles = round(great_circle_miles * table.road_factor, 2)
    charged = max(0.0, miles - prices.included_miles)
    distance = cents(charged * prices.per_mile / 100)
    rule = max(
        (rule for rule in table.times if rule.applies(local)), key=lambda rule: rule.percent, default=None
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
