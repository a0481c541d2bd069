"""A worker that is about to end says so before it does: balancers send nothing more, and nobody finds a closed door."""

from threading import Event
from typing import Final

from attrs import define, field

__all__ = ["DRAIN", "Drain"]


@define
class Drain:
    """For how many seconds a worker goes on after it was told to end, and whether it was told."""

    seconds: float = 0.0
    begun: Event = field(init=False, factory=Event)


DRAIN: Final = Drain()
"""That of this process."""
