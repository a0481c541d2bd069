"""A filled-in questionnaire as it was sent, and what is wrong with it, field by field."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from repaircore.complaints.plain_text import text_fault, validate_text
from repaircore.kernel.ids import parse_uuid
from repaircore.questionnaire.model import Question, QuestionCategory
from repaircore.vehicles.model import Vehicle

_MOST: Final = 100
_QUESTION_LONGEST: Final = 500
_ANSWER_LONGEST: Final = 200
_TEXTS: Final = {"vehicle_info": 500, "additional_notes": 2000}
"""The free texts, and how long each may be."""

_LARGEST_NUMBER: Final = 2**63 - 1


@frozen(kw_only=True)
class AnswerSent:
    """An answer as it was sent; None stands for what could not be read, which is not judged here."""

    question_id: int | None = None
    question_text: str | None = None
    answer: str | None = None


@frozen(kw_only=True)
class FilledIn:
    """Those fields that were ``sent``, by their names, with what is kept of the category and vehicle they name."""

    category: QuestionCategory | None
    vehicle: Vehicle | None
    sent: Mapping[str, Any]

    def validate(self) -> dict[str, list[str]]:
        """Name every field that is wrong, of those that were sent."""
        told: dict[str, list[str]] = {}
        if "category_slug" in self.sent and self.category is None:
            told["category_slug"] = ["The selected category slug is invalid."]
        if "vehicle_id" in self.sent:
            told["vehicle_id"] = _validate_vehicle(self.sent["vehicle_id"], kept=self.vehicle is not None)
        for name, longest in _TEXTS.items():
            text = self.sent.get(name)
            if isinstance(text, str):
                told[name] = validate_text(name, text, longest=longest, lines=True)
        if "answers" in self.sent:
            told |= _validate_answers(self.category, self.sent["answers"])
        return {name: texts for name, texts in told.items() if texts}


def _validate_answers(
    category: QuestionCategory | None, answers: Sequence[AnswerSent | None]
) -> dict[str, list[str]]:
    """Say what is wrong with some answers, under ``answers.0.question_id`` and the like.

    Without a category it is not judged whether they are answers to its questions; None is an answer that
    could not be read.
    """
    if not 1 <= len(answers) <= _MOST:
        return {"answers": [f"The answers field must have 1 to {_MOST} items."]}
    told: dict[str, list[str]] = {}
    answered: set[int] = set()
    for at, sent in enumerate(answers):
        if sent is not None:
            for name, text in _faults_of(sent, category, answered):
                told[f"answers.{at}.{name}"] = [f"The answers.{at}.{name.replace('_', ' ')} field {text}."]
    return told


def _validate_vehicle(vehicle_id: object, *, kept: bool) -> list[str]:
    """Say what is wrong with a vehicle's id: a number of the caller's own, or the id of a kept vehicle."""
    if vehicle_id is None or (type(vehicle_id) is int and 1 <= vehicle_id <= _LARGEST_NUMBER) or kept:
        return []
    if type(vehicle_id) is int or parse_uuid(vehicle_id) is not None:
        return ["The selected vehicle id is invalid."]
    return ["The vehicle id field must be a positive integer, or the id of a vehicle."]


def _faults_of(
    sent: AnswerSent, category: QuestionCategory | None, answered: set[int]
) -> Iterator[tuple[str, str]]:
    question = None
    if sent.question_id is not None and category is not None:
        question = category.question(sent.question_id)
        if question is None:
            yield "question_id", "must be the id of a question of the category"
        elif question.id in answered:
            yield "question_id", "must not name a question that is answered already"
        answered.add(sent.question_id)
    if sent.question_text is not None:
        fault = text_fault(sent.question_text, longest=_QUESTION_LONGEST, shortest=1)
        if fault is not None:
            yield "question_text", fault
    if sent.answer is not None:
        fault = _answer_fault(sent.answer, question)
        if fault is not None:
            yield "answer", fault


def _answer_fault(answer: str, question: Question | None) -> str | None:
    fault = text_fault(answer, longest=_ANSWER_LONGEST, shortest=1)
    if fault is None and question is not None and question.option(answer) is None:
        return f"must be one of: {'; '.join(one.answer for one in question.options)}"
    return fault
