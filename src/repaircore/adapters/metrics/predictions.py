"""Metrics for predictions."""

from typing import Final

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.metrics import Meter, Metric
from repaircore.predictions.model import MemorySource, Prediction

PREDICTIONS: Final = Metric(
    "predictions_total", "Predictions, computed (fresh) or cached.", ("source", "environment")
)
RED_FLAGS: Final = Metric("red_flags_total", "Computed predictions with a red flag.", ("environment",))


@frozen
class PredictionCounts:
    """Counts predictions, and the newly computed ones that have a red flag."""

    meter: Meter

    def __call__(self, prediction: Prediction, environment: Environment) -> None:
        """Count a prediction and, if it was newly computed, its red flag."""
        self.meter.count(PREDICTIONS, prediction.source, environment)
        if prediction.source is MemorySource.FRESH and prediction.figures.red_flag:
            self.meter.count(RED_FLAGS, environment)
