"""A scripted sink for connected-car signals."""

from collections.abc import Sequence

from typing_extensions import override

from repaircore.connected_cars.model import CarReading, Health, HealthPart
from repaircore.connected_cars.ports import SignalSink
from repaircore.kernel.callers import Caller
from repaircore.kernel.errors import Failure


class ScriptedSink(SignalSink):
    """Collects the readings it is given; a test may change ``score`` and set ``failure``."""

    def __init__(self, score: float = 83.5) -> None:
        self.score = score
        self.failure: Failure | None = None
        self._recorded: list[tuple[CarReading, Caller]] = []

    @property
    def recorded(self) -> Sequence[tuple[CarReading, Caller]]:
        """Return the readings so far, in order, each with its caller."""
        return tuple(self._recorded)

    @override
    def record(self, reading: CarReading, caller: Caller) -> Health:
        if self.failure is not None:
            raise self.failure
        self._recorded.append((reading, caller))
        part = HealthPart(name="battery", value=self.score / 100, weight=0.05, effect=-0.8)
        return Health(
            score=self.score,
            grade="B",
            coverage=0.05,
            components=(part,),
            basis="A test.",
            as_of=reading.measured_at,
        )
