"""The questionnaire: categories of trouble, their questions, and the meaning of each answer."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.diagnosis.model import Finding

YES: Final = "Yes"
NO: Final = "No"


class AnswerType(StrEnum):
    """The type of answer: one of the question's own options, or yes or no."""

    SINGLE_CHOICE = "single_choice"
    YES_NO = "yes_no"


@frozen(kw_only=True)
class Option:
    """A possible answer, and the symptoms in the book that it confirms or rules out."""

    answer: str
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


@frozen(kw_only=True)
class Question:
    """A question. Its id stays the same when it is reworded; a retired question is not active."""

    id: int
    text: str
    type: AnswerType
    options: tuple[Option, ...]
    active: bool = True

    def option(self, answer: str) -> Option | None:
        """Return the option that ``answer`` means, ignoring case and extra white space, or None if there is none."""
        folded = _folded(answer)
        return next((option for option in self.options if _folded(option.answer) == folded), None)


@frozen(kw_only=True)
class ListedCategory:
    """A category without its questions."""

    id: int
    slug: str
    name: str
    description: str
    icon: str


@frozen(kw_only=True)
class QuestionCategory:
    """A kind of trouble, with its questions in order."""

    id: int
    slug: str
    name: str
    description: str
    icon: str
    questions: tuple[Question, ...]
    active: bool = True

    @property
    def active_questions(self) -> tuple[Question, ...]:
        """Return the questions that are not retired."""
        return tuple(question for question in self.questions if question.active)

    def question(self, question_id: int) -> Question | None:
        """Return the active question with this id, or None."""
        return next((question for question in self.active_questions if question.id == question_id), None)


def findings_of(options: Iterable[Option]) -> tuple[Finding, ...]:
    """Return the findings from the chosen options, one for each symptom: it is present if any option says so."""
    found: dict[str, bool] = {}
    for option in options:
        for symptom in option.absent:
            found.setdefault(symptom, False)
        for symptom in option.present:
            found[symptom] = True
    return tuple(Finding(symptom, present) for symptom, present in sorted(found.items()))


def _folded(answer: str) -> str:
    return " ".join(answer.split()).casefold()
