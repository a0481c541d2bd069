"""The questionnaire: categories of trouble, the questions of each, and what each answer says."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.diagnosis.model import Finding

YES: Final = "Yes"
NO: Final = "No"


class AnswerType(StrEnum):
    """How a question is answered: with one of its own options, or with yes or no."""

    SINGLE_CHOICE = "single_choice"
    YES_NO = "yes_no"


@frozen(kw_only=True)
class Option:
    """An answer that may be given, and the symptoms of the book that it speaks for or against."""

    answer: str
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


@frozen(kw_only=True)
class Question:
    """A question. Its id stays with it, also when it is reworded; a retired one is not active."""

    id: int
    text: str
    type: AnswerType
    options: tuple[Option, ...]
    active: bool = True

    def option(self, answer: str) -> Option | None:
        """Give the option that an answer means, or None; capitals and spaces around do not matter."""
        wanted = _plain(answer)
        return next((one for one in self.options if _plain(one.answer) == wanted), None)


@frozen(kw_only=True)
class ListedCategory:
    """A category as it is offered, without its questions."""

    id: int
    slug: str
    name: str
    description: str
    icon: str


@frozen(kw_only=True)
class QuestionCategory:
    """A kind of trouble, with its questions in the order in which they are asked."""

    id: int
    slug: str
    name: str
    description: str
    icon: str
    questions: tuple[Question, ...]
    active: bool = True

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions that are asked: the active ones."""
        return tuple(one for one in self.questions if one.active)

    def question(self, question_id: int) -> Question | None:
        """Give the question that is asked under an id, or None."""
        return next((one for one in self.asked if one.id == question_id), None)


def findings_of(options: Iterable[Option]) -> tuple[Finding, ...]:
    """Gather what some answers say, each symptom once; one that was noticed anywhere is there."""
    found: dict[str, bool] = {}
    for option in options:
        for symptom in option.absent:
            found.setdefault(symptom, False)
        for symptom in option.present:
            found[symptom] = True
    return tuple(Finding(symptom, present) for symptom, present in sorted(found.items()))


def _plain(answer: str) -> str:
    return " ".join(answer.split()).casefold()
