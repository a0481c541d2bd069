"""How long one call may take in all: both tries, the pause between them, and everything within."""

from collections.abc import Callable
from time import monotonic
from typing import TypeAlias

from attrs import Factory, field, frozen

from repaircore.adapters.outbound.failures import DeadlineExceeded

Seconds: TypeAlias = Callable[[], float]
"""Tell the seconds of a clock that never goes back."""


@frozen
class Deadline:
    """The moment that lies ``seconds`` after the making."""

    seconds: float
    clock: Seconds = monotonic
    _end: float = field(
        init=False, default=Factory(lambda self: self.clock() + self.seconds, takes_self=True)
    )

    @property
    def left(self) -> float:
        """Tell how many seconds are left; zero or less when the time is up."""
        return self._end - self.clock()

    def some(self) -> float:
        """Return the seconds that are left, for the next step to take at the most.

        Raises:
            Late: none are left.
        """
        left = self.left
        if left <= 0:
            raise self.late()
        return left

    def late(self) -> DeadlineExceeded:
        """Make the failure that tells the whole time, whichever step ran out of it."""
        return DeadlineExceeded(self.seconds)
