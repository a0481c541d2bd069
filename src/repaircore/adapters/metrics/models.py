"""Metrics for price models."""

from time import perf_counter
from typing import Final

from typing_extensions import override

from repaircore.kernel.metrics import Meter, Metric
from repaircore.predictions.ports import PriceModel
from repaircore.pricing.model import PriceQuestion

MODEL_SECONDS: Final = Metric(
    "model_seconds", "How long a price model took to answer or to fail.", ("model", "source")
)
MODEL_FAILURES: Final = Metric(
    "model_failures_total", "Questions that a price model failed to answer.", ("model", "source")
)


class MeasuredModel(PriceModel):
    """A price model whose calls are timed and whose failures are counted; ``letter`` is a or b."""

    def __init__(self, model: PriceModel, letter: str, meter: Meter) -> None:
        self._model = model
        self._letter = letter
        self._meter = meter

    @property
    @override
    def source(self) -> str:
        return self._model.source

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> int:
        began = perf_counter()
        try:
            return self._model.price(question, seconds=seconds)
        except Exception:
            self._meter.count(MODEL_FAILURES, self._letter, self.source)
            raise
        finally:
            self._meter.time(MODEL_SECONDS, perf_counter() - began, self._letter, self.source)
