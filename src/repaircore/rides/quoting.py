"""A price that was told, and is honored for a while."""

from datetime import datetime, timedelta
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.geo import Point
from repaircore.rides.model import Fare, RideKind

__all__ = ["HONORED_FOR", "Quote", "demand_honored"]

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


def demand_honored(quote: Quote | None, asked: Quote, *, at: datetime) -> Fare:
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
