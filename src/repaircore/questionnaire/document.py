"""The questionnaire as a document, the one form in which it is shipped, exported and brought in.

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

Every fault is told under its place: ``category.0.question.3.options.1.present.0``.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from attrs import Factory, field, frozen

from repaircore.complaints.plain_text import text_fault
from repaircore.kernel.errors import Invalid
from repaircore.questionnaire.model import NO, YES, AnswerType, Option, Question, QuestionCategory

NEW: Final = 0
"""The id of what has none yet."""

LARGEST_ID: Final = 2**31 - 1

MOST_CATEGORIES: Final = 100
MOST_QUESTIONS: Final = 50
MOST_OPTIONS: Final = 12
FEWEST_OPTIONS: Final = 2

_SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ICON: Final = re.compile(r"[A-Za-z0-9_-]+( [A-Za-z0-9_-]+)*")
_SLUG_LONGEST: Final = 60
_NAME_LONGEST: Final = 100
_DESCRIPTION_LONGEST: Final = 500
_ICON_LONGEST: Final = 100
_TEXT_LONGEST: Final = 300
_TEXT_SHORTEST: Final = 5
_ANSWER_LONGEST: Final = 120
_MOST_FAULTS: Final = 100
"""What is wrong beyond that is told when this is mended."""

_Table: TypeAlias = Mapping[str, Any]
T = TypeVar("T")


def read_document(document: object, symptoms: Collection[str]) -> tuple[QuestionCategory, ...]:
    """Read a questionnaire; what has no id gets ``NEW`` for one.

    ``symptoms`` are the slugs of those that the repair book knows.

    Raises:
        Invalid: with every fault under its place.
    """
    reading = _Reading(symptoms)
    categories = reading.document(document)
    if reading.told:
        places = sorted(reading.told, key=_in_order)[:_MOST_FAULTS]
        raise Invalid({place: reading.told[place] for place in places})
    return categories


def as_document(categories: Iterable[QuestionCategory]) -> dict[str, Any]:
    """Write a questionnaire as a document; reading it gives the same one again."""
    return {"category": [_category(one) for one in categories]}


def _category(one: QuestionCategory) -> dict[str, Any]:
    return {
        **_known(one.id),
        "slug": one.slug,
        "name": one.name,
        "description": one.description,
        "icon": one.icon,
        **_retired(active=one.active),
        "question": [_question(question) for question in one.questions],
    }


def _question(one: Question) -> dict[str, Any]:
    return {
        **_known(one.id),
        "text": one.text,
        "type": one.type.value,
        **_retired(active=one.active),
        "options": [_option(option) for option in one.options],
    }


def _option(one: Option) -> dict[str, Any]:
    said = {"present": [*one.present], "absent": [*one.absent]}
    return {"answer": one.answer, **{name: slugs for name, slugs in said.items() if slugs}}


def _known(number: int) -> dict[str, Any]:
    return {} if number == NEW else {"id": number}


def _retired(*, active: bool) -> dict[str, Any]:
    return {} if active else {"active": False}


@frozen
class _Reading:
    """Reads a document, and gathers what is wrong with it."""

    symptoms: Collection[str]
    told: dict[str, list[str]] = field(factory=dict, init=False)
    _seen: dict[str, set[object]] = field(default=Factory(dict), init=False)

    def document(self, document: object) -> tuple[QuestionCategory, ...]:
        table = self._table("", document, {"category"}, {"category"})
        made = self._each(table, "", "category", self._category, (1, MOST_CATEGORIES))
        if made and not self.told and not any(one.active for one in made):
            self._tell("category", "must have an active item")
        return made

    def _category(self, at: str, value: object) -> QuestionCategory:
        needed = {"slug", "name", "description", "icon", "question"}
        table = self._table(at, value, needed, needed | {"id", "active"})
        slug = self._text(at, table, "slug", _SLUG_LONGEST, like=_SLUG, says="such as brake-noises")
        active = self._truth(at, table)
        questions = self._each(table, at, "question", self._question, (1, MOST_QUESTIONS))
        if active and slug:
            self._once(f"{at}.slug", "slug", slug)
        if active:
            self._distinct(f"{at}.question", "text", [one.text if one.active else one for one in questions])
            if questions and not any(one.active for one in questions):
                self._tell(f"{at}.question", "must have an active item")
        return QuestionCategory(
            id=self._id(at, table, "category"),
            slug=slug,
            name=self._text(at, table, "name", _NAME_LONGEST),
            description=self._text(at, table, "description", _DESCRIPTION_LONGEST),
            icon=self._text(at, table, "icon", _ICON_LONGEST, like=_ICON, says="such as fa-car-battery"),
            questions=questions,
            active=active,
        )

    def _question(self, at: str, value: object) -> Question:
        needed = {"text", "type", "options"}
        table = self._table(at, value, needed, needed | {"id", "active"})
        kind = self._type(at, table)
        options = self._each(table, at, "options", self._option, (FEWEST_OPTIONS, MOST_OPTIONS))
        self._distinct(f"{at}.options", "answer", [one.answer for one in options])
        if kind is AnswerType.YES_NO and options and [one.answer for one in options] != [YES, NO]:
            self._tell(f"{at}.options", f"must be {YES} and {NO}, in this order, of a question with yes_no")
        return Question(
            id=self._id(at, table, "question"),
            text=self._text(at, table, "text", _TEXT_LONGEST, shortest=_TEXT_SHORTEST),
            type=kind,
            options=options,
            active=self._truth(at, table),
        )

    def _option(self, at: str, value: object) -> Option:
        table = self._table(at, value, {"answer"}, {"answer", "present", "absent"})
        present, absent = self._slugs(at, table, "present"), self._slugs(at, table, "absent")
        for number, slug in enumerate(absent):
            if slug in present:
                self._tell(f"{at}.absent.{number}", "must not be present as well")
        answer = self._text(at, table, "answer", _ANSWER_LONGEST)
        return Option(answer=answer, present=present, absent=absent)

    def _slugs(self, at: str, table: _Table, name: str) -> tuple[str, ...]:
        slugs = table.get(name, [])
        if type(slugs) is not list:
            self._tell(f"{at}.{name}", "must be a list")
            return ()
        for number, slug in enumerate(slugs):
            if type(slug) is not str or slug not in self.symptoms:
                self._tell(f"{at}.{name}.{number}", "must be a symptom of the repair book")
        self._distinct(f"{at}.{name}", None, slugs)
        return tuple(slug for slug in slugs if type(slug) is str)

    # Values

    def _table(self, at: str, value: object, needed: set[str], known: set[str]) -> _Table:
        if not isinstance(value, Mapping):
            self._tell(at or "document", "must be a table")
            return {}
        for name in sorted(needed - value.keys()):
            self._tell(_under(at, name), "is required")
        for name in value.keys() - known:
            self._tell(_under(at, str(name)), "is not known")
        return value

    def _each(
        self,
        table: _Table,
        at: str,
        name: str,
        read: Callable[[str, object], T],
        bounds: tuple[int, int],
    ) -> tuple[T, ...]:
        place, (fewest, most) = _under(at, name), bounds
        items = table.get(name)
        if name not in table:
            return ()
        if type(items) is not list:
            self._tell(place, "must be a list")
            return ()
        if not fewest <= len(items) <= most:
            self._tell(place, f"must have {fewest} to {most} items")
        return tuple(read(f"{place}.{number}", item) for number, item in enumerate(items[:most]))

    def _text(
        self,
        at: str,
        table: _Table,
        name: str,
        longest: int,
        *,
        shortest: int = 1,
        like: re.Pattern[str] | None = None,
        says: str = "",
    ) -> str:
        text = table.get(name, "")
        if type(text) is not str:
            self._tell(f"{at}.{name}", "must be a text")
            return ""
        fault = text_fault(text, longest=longest, shortest=shortest) if name in table else None
        if fault is None and text and like is not None and not like.fullmatch(text):
            fault = f"must be {says}"
        if fault is not None:
            self._tell(f"{at}.{name}", fault)
        return text.strip()

    def _type(self, at: str, table: _Table) -> AnswerType:
        kinds = [kind.value for kind in AnswerType]
        told = table.get("type")
        if type(told) is str and told in kinds:
            return AnswerType(told)
        if "type" in table:
            self._tell(f"{at}.type", f"must be one of: {', '.join(kinds)}")
        return AnswerType.SINGLE_CHOICE

    def _truth(self, at: str, table: _Table) -> bool:
        active = table.get("active", True)
        if type(active) is not bool:
            self._tell(f"{at}.active", "must be true or false")
            return True
        return active

    def _id(self, at: str, table: _Table, kind: str) -> int:
        if "id" not in table:
            return NEW
        number = table["id"]
        if type(number) is not int or not 1 <= number <= LARGEST_ID:
            self._tell(f"{at}.id", f"must be a whole number from 1 to {LARGEST_ID}")
            return NEW
        self._once(f"{at}.id", kind, number)
        return number

    # Faults

    def _once(self, place: str, kind: str, value: object) -> None:
        seen = self._seen.setdefault(kind, set())
        if value in seen:
            self._tell(place, "stands there twice")
        seen.add(value)

    def _distinct(self, at: str, name: str | None, values: Sequence[object]) -> None:
        for number in _repeated(values):
            self._tell(f"{at}.{number}" + (f".{name}" if name else ""), "stands there twice")

    def _tell(self, place: str, predicate: str) -> None:
        self.told.setdefault(place, []).append(f"{place} {predicate}.")


def _repeated(values: Sequence[object]) -> Iterator[int]:
    seen: set[object] = set()
    for number, value in enumerate(values):
        plain = " ".join(value.split()).casefold() if isinstance(value, str) else repr(value)
        if plain in seen:
            yield number
        seen.add(plain)


def _in_order(place: str) -> list[tuple[int, str]]:
    """Sort places as they follow one another in the document: the tenth after the second."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in place.split(".")]


def _under(at: str, name: str) -> str:
    return f"{at}.{name}" if at else name
