"""The document format in which the questionnaire is shipped, exported and imported.

    [[category]]
    id = 3
    slug = "brakes"
    name = "Brakes"
    description = "Noise, a strange pedal, …"
    icon = "fa-compact-disc"

    [[category.question]]
    id = 302
    text = "How does the brake pedal feel?"
    type = "single_choice"
    options = [
      { answer = "Soft or spongy", present = ["brake-pedal-soft"] },
      { answer = "As always", absent = ["brake-pedal-soft"] },
    ]

Errors are named after their place, such as ``category.0.question.3.options.1.present.0``.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Annotated, Any, ClassVar, Final

from attrs import frozen

from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import FieldErrors, Length, Pattern, PlainText, Range, sentence
from repaircore.questionnaire.model import NO, YES, AnswerType, Option, Question, QuestionCategory
from repaircore.structuring import structure

NEW: Final = 0
"""The id of a new category or question, until it gets its own."""

LARGEST_ID: Final = 2**31 - 1

_NONE_ACTIVE: Final = "must have at least one active item"
_REPEATED: Final = "must be unique"


@frozen(kw_only=True)
class _OptionEntry:
    is_closed: ClassVar[bool] = True

    answer: Annotated[str, PlainText(1, 120)]
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    def option(self) -> Option:
        return Option(answer=self.answer.strip(), present=self.present, absent=self.absent)


@frozen(kw_only=True)
class _QuestionEntry:
    is_closed: ClassVar[bool] = True

    id: Annotated[int, Range(1, LARGEST_ID)] = NEW
    text: Annotated[str, PlainText(5, 300)]
    type: AnswerType
    options: Annotated[tuple[_OptionEntry, ...], Length(2, 12)]
    active: bool = True

    def question(self) -> Question:
        return Question(
            id=self.id,
            text=self.text.strip(),
            type=self.type,
            options=tuple(each.option() for each in self.options),
            active=self.active,
        )


@frozen(kw_only=True)
class _CategoryEntry:
    is_closed: ClassVar[bool] = True

    id: Annotated[int, Range(1, LARGEST_ID)] = NEW
    slug: Annotated[
        str,
        Length(0, 60),
        Pattern(r"[a-z0-9]+(-[a-z0-9]+)*", "must be lowercase words joined by hyphens, such as brake-noises"),
    ]
    name: Annotated[str, PlainText(1, 100)]
    description: Annotated[str, PlainText(1, 500)]
    icon: Annotated[
        str,
        Length(0, 100),
        Pattern(r"[A-Za-z0-9_-]+( [A-Za-z0-9_-]+)*", "must be an icon class such as fa-car-battery"),
    ]
    active: bool = True
    question: Annotated[tuple[_QuestionEntry, ...], Length(1, 50)]

    def category(self) -> QuestionCategory:
        return QuestionCategory(
            id=self.id,
            slug=self.slug,
            name=self.name.strip(),
            description=self.description.strip(),
            icon=self.icon,
            questions=tuple(each.question() for each in self.question),
            active=self.active,
        )


@frozen(kw_only=True)
class _Document:
    is_closed: ClassVar[bool] = True

    category: Annotated[tuple[_CategoryEntry, ...], Length(1, 100)]


def read_document(document: object, symptoms: Collection[str]) -> tuple[QuestionCategory, ...]:
    """Return the questionnaire in a document; categories and questions without an id get ``NEW``.

    ``symptoms`` are the slugs of the repair book's symptoms.

    Raises:
        Invalid: the document is invalid; each error is reported under its place.
    """
    if not isinstance(document, dict):
        raise Invalid({"document": [sentence("document", "must be a table (TOML) or an object (JSON)")]})
    categories = tuple(entry.category() for entry in structure(_Document, document).category)
    errors: FieldErrors = {}
    for place, predicate in _content_errors(categories, symptoms):
        errors.setdefault(place, []).append(sentence(place, predicate))
    if errors:
        raise Invalid(errors)
    return categories


def as_document(categories: Iterable[QuestionCategory]) -> dict[str, Any]:
    """Serialize a questionnaire as a document; ``read_document`` returns an equal questionnaire."""
    return {"category": [_category(each) for each in categories]}


def _category(category: QuestionCategory) -> dict[str, Any]:
    return {
        **_id_field(category.id),
        "slug": category.slug,
        "name": category.name,
        "description": category.description,
        "icon": category.icon,
        **_active_field(active=category.active),
        "question": [_question(each) for each in category.questions],
    }


def _question(question: Question) -> dict[str, Any]:
    return {
        **_id_field(question.id),
        "text": question.text,
        "type": question.type.value,
        **_active_field(active=question.active),
        "options": [_option(each) for each in question.options],
    }


def _option(option: Option) -> dict[str, Any]:
    said = {"present": [*option.present], "absent": [*option.absent]}
    return {"answer": option.answer, **{name: slugs for name, slugs in said.items() if slugs}}


def _id_field(number: int) -> dict[str, Any]:
    return {} if number == NEW else {"id": number}


def _active_field(*, active: bool) -> dict[str, Any]:
    return {} if active else {"active": False}


def _content_errors(
    categories: Sequence[QuestionCategory], symptoms: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the place and the predicate of each error that shows only in the document as a whole."""
    if not any(category.active for category in categories):
        yield "category", _NONE_ACTIVE
    places = [(f"category.{at}", category) for at, category in enumerate(categories)]
    yield from _repeated((f"{place}.slug", category.slug) for place, category in places if category.active)
    yield from _repeated((f"{place}.id", category.id) for place, category in places if category.id != NEW)
    questions = [
        (f"{place}.question.{at}", question)
        for place, category in places
        for at, question in enumerate(category.questions)
    ]
    yield from _repeated((f"{place}.id", question.id) for place, question in questions if question.id != NEW)
    for place, category in places:
        yield from _category_errors(place, category)
    for place, question in questions:
        yield from _question_errors(place, question, symptoms)


def _category_errors(place: str, category: QuestionCategory) -> Iterator[tuple[str, str]]:
    if category.active:
        if not category.active_questions:
            yield f"{place}.question", _NONE_ACTIVE
        yield from _repeated(
            (f"{place}.question.{at}.text", question.text)
            for at, question in enumerate(category.questions)
            if question.active
        )


def _question_errors(place: str, question: Question, symptoms: Collection[str]) -> Iterator[tuple[str, str]]:
    answers = [option.answer for option in question.options]
    yield from _repeated((f"{place}.options.{at}.answer", answer) for at, answer in enumerate(answers))
    if question.type is AnswerType.YES_NO and answers != [YES, NO]:
        yield f"{place}.options", f"must be {YES} and {NO}, in that order, for a yes_no question"
    for at, option in enumerate(question.options):
        yield from _option_errors(f"{place}.options.{at}", option, symptoms)


def _option_errors(place: str, option: Option, symptoms: Collection[str]) -> Iterator[tuple[str, str]]:
    for name, slugs in (("present", option.present), ("absent", option.absent)):
        listed = [(f"{place}.{name}.{at}", slug) for at, slug in enumerate(slugs)]
        yield from (
            (at, "must be a symptom in the repair book") for at, slug in listed if slug not in symptoms
        )
        yield from _repeated(listed)
    for at, slug in enumerate(option.absent):
        if slug in option.present:
            yield f"{place}.absent.{at}", "must not be under both present and absent"


def _repeated(values: Iterable[tuple[str, str | int]]) -> Iterator[tuple[str, str]]:
    seen: set[str | int] = set()
    for place, value in values:
        folded = " ".join(value.split()).casefold() if isinstance(value, str) else value
        if folded in seen:
            yield place, _REPEATED
        seen.add(folded)
