"""The deadline of a call: both attempts and the pause between them."""

from collections.abc import Callable
from time import monotonic
from typing import TypeAlias

from attrs import Factory, field, frozen

from repaircore.adapters.outbound.failures import DeadlineExceeded

Seconds: TypeAlias = Callable[[], float]
"""Return the time of a monotonic clock, in seconds."""


@frozen
class Deadline:
    """The time ``seconds`` after its creation."""

    seconds: float
    clock: Seconds = monotonic
    _end: float = field(
        init=False, default=Factory(lambda self: self.clock() + self.seconds, takes_self=True)
    )

    @property
    def left(self) -> float:
        """How many seconds are left; zero or less if the time is up."""
        return self._end - self.clock()

    def require_left(self) -> float:
        """Return how many seconds are left, as the timeout of the next step.

        Raises:
            DeadlineExceeded: none are left.
        """
        left = self.left
        if left <= 0:
            raise self.exceeded()
        return left

    def exceeded(self) -> DeadlineExceeded:
        """Return the failure to raise; it states the total time, whichever step exceeded it."""
        return DeadlineExceeded(self.seconds)
