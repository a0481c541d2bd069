"""Readings that nobody keeps: what stands in where no one takes compliance signals."""

from attrs import frozen
from typing_extensions import override

from repaircore.connected_cars.model import Health, Reading
from repaircore.connected_cars.ports import SignalSink
from repaircore.kernel.callers import Caller

__all__ = ["Unjudged"]


@frozen
class Unjudged(SignalSink):
    """Keep nothing, and know no health."""

    @override
    def take(self, reading: Reading, caller: Caller) -> Health:
        return Health(score=None, grade=None, components=(), as_of=reading.measured_at)
