"""Read messages and reword questions, with a language model if one is configured."""

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

_log = logging.getLogger(__name__)
_FAILED = "The diagnostician is unavailable: %s"


@frozen(kw_only=True)
class Listener:
    """Reads messages and rewords questions; ``seconds`` is how long a whole turn may wait for the model.

    The model is called in the live environment only. If there is no model or it fails, the engine's own reading and
    wording are used.
    """

    interpreter: Lazy[Interpreter | None]
    seconds: float

    def read(self, text: str, knowledge: Knowledge, environment: Environment) -> ReadComplaint:
        """Return what the engine understands of a message, plus what the model adds."""
        complaint, model = reading.read(text, knowledge), self._model(environment)
        if model is None:
            return complaint
        try:
            interpretation = model.read(text, symptoms=knowledge.symptoms, seconds=self.seconds / 2)
        except Unavailable as unavailable:
            _log.warning(_FAILED, unavailable.message)
            return complaint
        return with_interpretation(
            complaint, interpretation, text=text, symptoms=knowledge.symptoms, codes=knowledge.codes
        )

    def reword(self, question: OpenQuestion, knowledge: Knowledge, environment: Environment) -> OpenQuestion:
        """Return a question in the model's words.

        The question is returned unchanged if there is no model, if it fails, or if no known symptom is asked about.
        """
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
