"""Who takes the signals of connected cars, as they are told to."""

from collections.abc import Sequence

from typing_extensions import override

from repaircore.connected_cars.model import CarReading, Health, HealthPart
from repaircore.connected_cars.ports import SignalSink
from repaircore.kernel.callers import Caller
from repaircore.kernel.errors import Failure


class ScriptedSink(SignalSink):
    """Remember what was taken, for whom; ``score`` may be changed, and ``failure`` be set, as a test goes on."""

    def __init__(self, score: float = 83.5) -> None:
        self.score = score
        self.failure: Failure | None = None
        self._taken: list[tuple[CarReading, Caller]] = []

    @property
    def taken(self) -> Sequence[tuple[CarReading, Caller]]:
        """Give the readings so far, each with whose it is."""
        return tuple(self._taken)

    @override
    def take(self, reading: CarReading, caller: Caller) -> Health:
        if self.failure is not None:
            raise self.failure
        self._taken.append((reading, caller))
        part = HealthPart(name="battery", value=self.score / 100, weight=0.05, effect=-0.8)
        return Health(
            score=self.score,
            grade="B",
            coverage=0.05,
            components=(part,),
            basis="A test.",
            as_of=reading.measured_at,
        )
