"""One more try inside the budget, and rest after repeated failures."""

from collections.abc import Callable
from threading import Lock
from time import monotonic

import stamina
from typing_extensions import override

from repaircore.adapters.ai.circuit import Circuit
from repaircore.adapters.ai.failures import Late, ModelFailed
from repaircore.estimates.model import PriceQuestion
from repaircore.estimates.ports import PriceModel
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.money import Cents

__all__ = ["RESTING", "RestingModel", "RetryingModel", "resilient"]

RESTING = "resting after repeated failures"

ATTEMPTS = 2

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

    def __init__(self, model: PriceModel, *, clock: Callable[[], float] = monotonic) -> None:
        self._model = model
        self._clock = clock

    @property
    @override
    def source(self) -> str:
        return self._model.source

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> Cents:
        deadline = self._clock() + seconds
        try:
            return self._tried(question, deadline, worth=seconds * WORTH_TRYING)
        except Late:
            # The last try had less than the whole; what is told is how long the caller waited.
            raise Late(seconds) from None

    def _tried(self, question: PriceQuestion, deadline: float, *, worth: float) -> Cents:
        def pause(failure: Exception) -> float | bool:
            wait = failure.again_after if isinstance(failure, ModelFailed) else None
            return wait if wait is not None and deadline - self._clock() - wait >= worth else False

        for attempt in stamina.retry_context(on=pause, attempts=ATTEMPTS, timeout=None):
            with attempt:
                return self._model.price(question, seconds=deadline - self._clock())
        raise AssertionError  # stamina raises what the last attempt raised


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
