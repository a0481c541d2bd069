"""Two models, called at the same time and within a time budget."""

from collections.abc import Callable, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic

from typing_extensions import override

from repaircore.adapters.ai.offline import OFFLINE, ComponentTableModel, HoursRegressionModel
from repaircore.adapters.outbound.failures import DeadlineExceeded
from repaircore.adapters.outbound.threads import DaemonThreads
from repaircore.kernel.errors import Unavailable
from repaircore.predictions.ports import ModelPanel, PriceModel
from repaircore.pricing.model import Opinion, PriceQuestion

MOST_AT_ONCE = 64
"""The limit on calls in flight in one process: two for each of 32 request threads. Further calls fail immediately."""


class ParallelPanel(ModelPanel):
    """Two models, called at the same time.

    Remote models are called in threads of their own; offline ones run in the caller's thread.
    """

    def __init__(self, model_a: PriceModel, model_b: PriceModel, *, most_at_once: int = MOST_AT_ONCE) -> None:
        self._models = (model_a, model_b)
        self._offline: tuple[PriceModel, PriceModel] = (ComponentTableModel(), HoursRegressionModel())
        self._threads = DaemonThreads(most_at_once)

    @override
    def ask(self, question: PriceQuestion, *, offline: bool, seconds: float) -> Sequence[Opinion]:
        deadline = monotonic() + seconds
        models = self._offline if offline else self._models
        # Start both before waiting for the first.
        pending = [self._start(model, question, seconds, deadline) for model in models]
        return tuple(opinion() for opinion in pending)

    def _start(
        self, model: PriceModel, question: PriceQuestion, seconds: float, deadline: float
    ) -> Callable[[], Opinion]:
        answer = partial(_opinion, model, question, seconds)
        if model.source == OFFLINE:
            return answer
        box = self._threads.start(answer)
        if box is None:
            return partial(_without_figure, model, "too many requests at once")
        return partial(_collect, model, box, seconds, deadline)


def _collect(model: PriceModel, box: "SimpleQueue[Opinion]", seconds: float, deadline: float) -> Opinion:
    try:
        return box.get(timeout=max(deadline - monotonic(), 0))
    except Empty:
        return _without_figure(model, DeadlineExceeded(seconds).message)


def _opinion(model: PriceModel, question: PriceQuestion, seconds: float) -> Opinion:
    try:
        average = model.price(question, seconds=seconds)
    except Unavailable as failure:
        return _without_figure(model, failure.message)
    except Exception:
        # Imported here: offline models never need it, and it would slow down startup.
        import logging  # noqa: PLC0415

        logging.getLogger(__name__).exception("The %s model failed unexpectedly.", model.source)
        return _without_figure(model, "failed unexpectedly")
    return Opinion(average=average, source=model.source)


def _without_figure(model: PriceModel, reason: str) -> Opinion:
    return Opinion(average=None, source=model.source, unavailable_reason=reason)
