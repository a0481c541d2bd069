"""One more try inside the budget, and rest after repeated failures.

The retry is ours and not stamina's: there is one at most, so that there is no curve of delays to draw;
when to make it depends on the server's own word and on the deadline; and stamina announces each retry
through structlog, which writes to standard output unless the application says otherwise, where the
command line's own answers belong.
"""

from collections.abc import Callable
from threading import Lock
from time import monotonic, sleep

from typing_extensions import override

from repaircore.adapters.ai.circuit import Circuit
from repaircore.adapters.ai.failures import Late, ModelFailed
from repaircore.estimates.model import PriceQuestion
from repaircore.estimates.ports import PriceModel
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.money import Cents

__all__ = ["RESTING", "RestingModel", "RetryingModel", "resilient"]

RESTING = "resting after repeated failures"

WORTH_TRYING = 0.25
"""The share of the budget that must be left for another try: it would cost money and hardly be in time."""


def resilient(model: PriceModel) -> PriceModel:
    """Give a model one more try for each question, and rest when even that keeps failing."""
    return RestingModel(RetryingModel(model))


class RetryingModel(PriceModel):
    """Ask once more after a failure that says when (``ModelFailed.again_after``), if time allows.

    An answer that arrived and does not count is not asked for again: it was paid for, and the same
    question mostly gets the same answer.
    """

    def __init__(
        self,
        model: PriceModel,
        *,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], None] = sleep,
    ) -> None:
        self._model = model
        self._clock = clock
        self._pause = pause

    @property
    @override
    def source(self) -> str:
        return self._model.source

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> Cents:
        deadline = self._clock() + seconds
        try:
            return self._model.price(question, seconds=seconds)
        except ModelFailed as failure:
            wait = failure.again_after
            if wait is None or deadline - self._clock() - wait < seconds * WORTH_TRYING:
                raise
        self._pause(wait)
        try:
            return self._model.price(question, seconds=deadline - self._clock())
        except Late:
            # The second try had less than the whole; what is told is how long the caller waited.
            raise Late(seconds) from None


class RestingModel(PriceModel):
    """Leave a model alone after failures in a row; see ``Circuit``. Threads may share it.

    Each process counts for itself: workers that share nothing cannot block one another.
    """

    def __init__(self, model: PriceModel, *, clock: Callable[[], float] = monotonic) -> None:
        self._model = model
        self._clock = clock
        self._circuit = Circuit()
        self._lock = Lock()

    @property
    @override
    def source(self) -> str:
        return self._model.source

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> Cents:
        self._pass_or_refuse()
        try:
            average = self._model.price(question, seconds=seconds)
        except Unavailable:
            with self._lock:
                self._circuit = self._circuit.failed(self._clock())
            raise
        with self._lock:
            self._circuit = self._circuit.succeeded()
        return average

    def _pass_or_refuse(self) -> None:
        with self._lock:
            now = self._clock()
            if not self._circuit.lets_pass(now):
                raise ModelFailed(RESTING)
            self._circuit = self._circuit.asked(now)
