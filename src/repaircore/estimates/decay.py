"""How much of a remembered prediction is left."""

from datetime import datetime, timedelta

__all__ = ["KEPT", "remaining"]

KEPT = timedelta(days=3)
"""For so long the same question has the same answer."""


def remaining(computed_at: datetime, now: datetime) -> float:
    """Give what is left in percent, two decimals: 100 at first, falling evenly to 0 after three days.

    At 0 the prediction is expired. A clock that was set back leaves 100.
    """
    age = (now - computed_at) / KEPT
    return round(100 * min(1.0, max(0.0, 1 - age)), 2)
