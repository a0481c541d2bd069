"""What is wrong with a filled-in questionnaire, field by field."""

import re
from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from attrs import frozen

from repaircore.diagnostics.plain_text import text_fault
from repaircore.diagnostics.questionnaire import Question, QuestionCategory

__all__ = ["AnswerSent", "answer_faults", "slug_faults", "text_faults", "vehicle_faults", "vehicle_uuid"]

_MOST: Final = 100
_QUESTION_LONGEST: Final = 500
_ANSWER_LONGEST: Final = 200
_INFO_LONGEST: Final = 500
_NOTES_LONGEST: Final = 2000
_LARGEST_NUMBER: Final = 2**63 - 1
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


@frozen(kw_only=True)
class AnswerSent:
    """An answer as it was sent; None stands for what could not be read, which is not judged here."""

    question_id: int | None = None
    question_text: str | None = None
    answer: str | None = None


def slug_faults(category: QuestionCategory | None) -> list[str]:
    """Say what is wrong with the slug that led to this category."""
    return [] if category is not None else ["The selected category slug is invalid."]


def answer_faults(
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


def vehicle_faults(vehicle_id: object, *, kept: bool) -> list[str]:
    """Say what is wrong with a vehicle's id: a number of the caller's own, or the id of a kept vehicle."""
    if vehicle_id is None or (type(vehicle_id) is int and 1 <= vehicle_id <= _LARGEST_NUMBER) or kept:
        return []
    if type(vehicle_id) is int or vehicle_uuid(vehicle_id) is not None:
        return ["The selected vehicle id is invalid."]
    return ["The vehicle id field must be a positive integer, or the id of a vehicle."]


def vehicle_uuid(vehicle_id: object) -> UUID | None:
    """Give the id of a kept vehicle when it has the form of one."""
    if isinstance(vehicle_id, str) and _UUID.fullmatch(vehicle_id):
        return UUID(vehicle_id)
    return None


def text_faults(vehicle_info: object = None, additional_notes: object = None) -> dict[str, list[str]]:
    """Say what is wrong with the free texts; what is no text is not judged here."""
    told: dict[str, list[str]] = {}
    for name, text, longest in (
        ("vehicle_info", vehicle_info, _INFO_LONGEST),
        ("additional_notes", additional_notes, _NOTES_LONGEST),
    ):
        fault = text_fault(text, longest=longest, lines=True) if isinstance(text, str) else None
        if fault is not None:
            told[name] = [f"The {name.replace('_', ' ')} field {fault}."]
    return told


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
