"""A clock that stands still until it is told to go on."""

from datetime import UTC, datetime, timedelta
from typing import Final

EPOCH: Final = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
"""Where a frozen clock stands at first: a moment with microseconds, so that a rounded time is noticed."""


class FrozenClock:
    """A ``Clock`` for tests."""

    def __init__(self, at: datetime = EPOCH) -> None:
        self.now = at

    def __call__(self) -> datetime:
        """Tell the time."""
        return self.now

    def advance(self, by: timedelta) -> None:
        """Let the time pass."""
        self.now += by
