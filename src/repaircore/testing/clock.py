"""A clock that stands still until a test advances it."""

from datetime import UTC, datetime, timedelta
from typing import Final

EPOCH: Final = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
"""The initial time of a frozen clock; it has microseconds, so that rounding is noticed."""


class FrozenClock:
    """A ``Clock`` that always returns ``now``."""

    def __init__(self, at: datetime = EPOCH) -> None:
        self.now = at

    def __call__(self) -> datetime:
        """Return the current time of the clock."""
        return self.now

    def advance(self, by: timedelta) -> None:
        """Advance the clock."""
        self.now += by
