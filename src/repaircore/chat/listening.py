"""Reading what people write, and wording what they are asked: with a language model where there is one."""

import logging

from attrs import evolve, frozen

from repaircore.diagnosis import reading
from repaircore.diagnosis.interpretation import with_interpretation
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import OpenQuestion
from repaircore.diagnosis.ports import Interpreter
from repaircore.diagnosis.reading import ReadComplaint
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.types import Lazy

_log = logging.getLogger("repaircore.diagnostics")
_FAILED = "The diagnostician is unavailable: %s"


@frozen(kw_only=True)
class Listener:
    """Reads and words. ``interpreter`` may give None; ``seconds`` is what a whole turn may wait for a model.

    A model is asked in the live environment only, and what it fails to do is done without it.
    """

    interpreter: Lazy[Interpreter | None]
    seconds: float

    def read(self, text: str, knowledge: Knowledge, environment: Environment) -> ReadComplaint:
        """Read a text without a model, and add what a model reads besides."""
        read, model = reading.read(text, knowledge), self._model(environment)
        if model is None:
            return read
        try:
            claimed = model.read(text, symptoms=knowledge.symptoms, seconds=self.seconds / 2)
        except Unavailable as unavailable:
            _log.warning(_FAILED, unavailable.message)
            return read
        return with_interpretation(
            read, claimed, text=text, symptoms=knowledge.symptoms, codes=knowledge.codes
        )

    def worded(self, question: OpenQuestion, knowledge: Knowledge, environment: Environment) -> OpenQuestion:
        """Have a question worded by the model; the engine's own words are good too."""
        model, symptom = self._model(environment), knowledge.symptoms.get(question.id)
        if model is None or symptom is None:
            return question
        try:
            return evolve(question, text=model.word(symptom, seconds=self.seconds / 2))
        except Unavailable as unavailable:
            _log.warning(_FAILED, unavailable.message)
            return question

    def _model(self, environment: Environment) -> Interpreter | None:
        return self.interpreter() if environment is Environment.LIVE else None
