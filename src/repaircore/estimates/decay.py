"""How much of a remembered prediction is left."""

from datetime import datetime, timedelta

__all__ = ["KEPT", "KEPT_PARTIAL", "remaining"]

KEPT = timedelta(days=3)
"""For so long the same question has the same answer."""

KEPT_PARTIAL = timedelta(minutes=5)
"""For so long an answer is kept that a model had no part in: soon it is worth asking again."""


def remaining(computed_at: datetime, expires_at: datetime, now: datetime) -> float:
    """Give what is left in percent, two decimals: 100 at first, falling evenly to 0 at expiry.

    A clock that was set back leaves 100.
    """
    age = (now - computed_at) / (expires_at - computed_at)
    return round(100 * min(1.0, max(0.0, 1 - age)), 2)
