"""Predictions, counted."""

from typing import Final

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.metrics import Meter, Metric
from repaircore.predictions.model import MemorySource, Prediction

PREDICTIONS: Final = Metric(
    "predictions_total",
    "Answers, computed just now (fresh) or remembered (cached).",
    ("source", "environment"),
)
RED_FLAGS: Final = Metric(
    "red_flags_total", "Answers that were computed just now and have a red flag.", ("environment",)
)


@frozen
class PredictionCounts:
    """Tells a meter of each prediction."""

    meter: Meter

    def __call__(self, told: Prediction, environment: Environment) -> None:
        """Count one."""
        self.meter.count(PREDICTIONS, told.source, environment)
        if told.source is MemorySource.FRESH and told.figures.red_flag:
            self.meter.count(RED_FLAGS, environment)
