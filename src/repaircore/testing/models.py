"""A price model that returns scripted answers, and a panel that records questions."""

from collections.abc import Sequence
from itertools import chain, repeat
from threading import Lock

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.ai.answer import plausible_price
from repaircore.adapters.ai.offline import ComponentTableModel, HoursRegressionModel
from repaircore.adapters.ai.panel import ParallelPanel
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.money import Cents
from repaircore.predictions.ports import ModelPanel, PriceModel
from repaircore.pricing.model import Opinion, PriceQuestion


class ScriptedModel(PriceModel):
    """Returns the scripted answers in order, then repeats the last one.

    An answer is a price in cents, which is validated like any model's, or an exception to raise. Threads may share it.
    """

    def __init__(self, *answers: Cents | Unavailable, source: str = "scripted") -> None:
        if not answers:
            raise ValueError("A script needs at least one answer.")
        self._answers = chain(answers, repeat(answers[-1]))
        self._source = source
        self._lock = Lock()
        self._questions: list[PriceQuestion] = []

    @property
    @override
    def source(self) -> str:
        return self._source

    @property
    def questions(self) -> Sequence[PriceQuestion]:
        """Return the questions so far, in order."""
        return tuple(self._questions)

    @property
    def calls(self) -> int:
        """Count the questions so far."""
        return len(self._questions)

    @override
    def price(self, question: PriceQuestion, *, seconds: float) -> Cents:
        with self._lock:
            self._questions.append(question)
            answer = next(self._answers)
        if isinstance(answer, Unavailable):
            # Otherwise, each raise would add to the traceback of the previous one.
            raise answer.with_traceback(None)
        return plausible_price(answer, question.problem)


@frozen(kw_only=True)
class PanelCall:
    """A question to a panel, and the ``offline`` argument of the call."""

    question: PriceQuestion
    offline: bool


class CountingPanel(ModelPanel):
    """Records each question and passes it on to ``inner``, by default a panel of the offline models."""

    def __init__(self, inner: ModelPanel | None = None) -> None:
        self._inner = inner or ParallelPanel(ComponentTableModel(), HoursRegressionModel())
        self._calls: list[PanelCall] = []

    @property
    def questions(self) -> Sequence[PanelCall]:
        """Return the questions so far, in order."""
        return tuple(self._calls)

    @property
    def calls(self) -> int:
        """Count the questions so far."""
        return len(self._calls)

    @override
    def ask(self, question: PriceQuestion, *, offline: bool, seconds: float) -> Sequence[Opinion]:
        self._calls.append(PanelCall(question=question, offline=offline))
        return self._inner.ask(question, offline=offline, seconds=seconds)
