"""A submission of answers as it is sent, and its validation."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final

from attrs import frozen

from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.rules import FieldErrors, Length, PlainText, sentence
from repaircore.questionnaire.model import Question, QuestionCategory
from repaircore.structuring import structure_partially

_MOST_ANSWERS: Final = 100
_LARGEST_NUMBER: Final = 2**63 - 1


@frozen(kw_only=True)
class SubmitAnswer:
    """A question and its answer, as they were shown."""

    question_id: int
    question_text: Annotated[str, PlainText(1, 500)]
    answer: Annotated[str, PlainText(1, 200)]


@frozen(kw_only=True)
class SubmitAnswers:
    """A submission of answers; ``vehicle_id`` is the caller's own number for a vehicle, or the id of a stored one."""

    category_slug: str
    answers: Annotated[tuple[SubmitAnswer, ...], Length(1, _MOST_ANSWERS)]
    vehicle_id: object = None
    vehicle_info: Annotated[str, PlainText(0, 500, lines=True)] | None = None
    additional_notes: Annotated[str, PlainText(0, 2000, lines=True)] | None = None


def validate_answers(category: QuestionCategory, answers: object) -> FieldErrors:
    """Return the errors of answers (as JSON) to a category's questions, by names such as ``answers.0.question_id``.

    Fields that break the rules of their types are skipped.
    """
    errors: FieldErrors = {}
    if not isinstance(answers, list | tuple) or len(answers) > _MOST_ANSWERS:
        return errors
    answered: set[int] = set()
    for at, answer in enumerate(answers):
        good = structure_partially(SubmitAnswer, answer)[0] if isinstance(answer, dict) else {}
        for name, predicate in _answer_errors(good, category, answered):
            path = f"answers.{at}.{name}"
            errors[path] = [sentence(path, predicate)]
    return errors


def validate_vehicle_id(vehicle_id: object, *, exists: bool) -> list[str]:
    """Return the errors of a vehicle id, which is the caller's own number for a vehicle or the id of a stored one."""
    if vehicle_id is None or (type(vehicle_id) is int and 1 <= vehicle_id <= _LARGEST_NUMBER) or exists:
        return []
    if type(vehicle_id) is int or parse_uuid(vehicle_id) is not None:
        return ["The selected vehicle id is invalid."]
    return [sentence("vehicle_id", "must be a positive integer, or the id of a vehicle")]


def _answer_errors(
    good: dict[str, Any], category: QuestionCategory, answered: set[int]
) -> Iterator[tuple[str, str]]:
    if "question_id" not in good:
        return
    question = category.question(good["question_id"])
    if question is None:
        yield "question_id", "must be the id of a question in the category"
    elif question.id in answered:
        yield "question_id", "must not repeat the question of an earlier answer"
    answered.add(good["question_id"])
    if question is not None and "answer" in good and question.option(good["answer"]) is None:
        yield "answer", f"must be one of: {'; '.join(_answers(question))}"


def _answers(question: Question) -> Iterable[str]:
    return (option.answer for option in question.options)
