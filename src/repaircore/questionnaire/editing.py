"""The questionnaire as operators edit it: taken out as a document, changed, and brought in again."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from attrs import evolve, frozen

from repaircore.kernel.audit import AuditState
from repaircore.kernel.callers import LOCAL, Caller, require_operator
from repaircore.kernel.errors import Invalid
from repaircore.kernel.types import Clock, Lazy
from repaircore.questionnaire.document import LARGEST_ID, NEW, as_document, read_document
from repaircore.questionnaire.editions import OPERATORS
from repaircore.questionnaire.model import Question, QuestionCategory
from repaircore.questionnaire.ports import OpenQuestionnairesWork

_FIRST_OWN: Final = 100_000
"""The ids of what operators add begin here, so that those of later versions do not meet them."""

Ship = Callable[[Collection[str]], Sequence[QuestionCategory]]
"""Give the questionnaire of this version, given the symptoms that the repair book knows."""


@frozen(kw_only=True)
class EditionChanges:
    """How many questions an edition added, changed and retired, and how many it left alone but for their place."""

    added: int
    changed: int
    retired: int
    same: int


@frozen(kw_only=True)
class Editing:
    """The use cases of editing the questionnaire.

    ``symptoms`` names those of the repair book by slug; ``shipped`` is the questionnaire of this version, and
    ``edition`` what that is called.
    """

    transaction: OpenQuestionnairesWork
    read: OpenQuestionnairesWork
    symptoms: Lazy[Mapping[str, str]]
    shipped: Ship
    edition: str
    clock: Clock

    def export(self) -> dict[str, Any]:
        """Give the kept questionnaire as a document, what is retired too."""
        with self.read() as work:
            return as_document(work.questionnaire.all())

    def bring_in(self, document: object, *, keep: bool = True, caller: Caller = LOCAL) -> EditionChanges:
        """Take a document for the whole questionnaire; what it leaves out is retired.

        Ids stay: a category without an id is known by its slug, a question without one by its words in its category,
        and what is new gets the next free one. With ``keep`` False only the changes are told.

        Raises:
            Forbidden: the caller is not an admin, or shows a key of the test environment.
            Invalid: every fault under its place in the document.
        """
        require_operator(caller)
        read = read_document(document, self.symptoms().keys())
        return self._taken(read, OPERATORS, "questionnaire.import", keep=keep, caller=caller)

    def restore(self, caller: Caller = LOCAL) -> EditionChanges:
        """Go back to the questionnaire of this version; upgrades change it again from then on.

        Raises:
            Forbidden: the caller is not an admin, or shows a key of the test environment.
        """
        require_operator(caller)
        shipped = self.shipped(self.symptoms().keys())
        return self._taken(shipped, self.edition, "questionnaire.restore", keep=True, caller=caller)

    def _taken(
        self, read: Sequence[QuestionCategory], edition: str, action: str, *, keep: bool, caller: Caller
    ) -> EditionChanges:
        with self.transaction() if keep else self.read() as work:
            before = work.questionnaire.hold() if keep else work.questionnaire.edition()
            kept = work.questionnaire.all()
            after = _numbered(read, kept)
            changes = _changes(kept, after)
            if keep:
                work.questionnaire.replace(edition, after)
            if keep and (before != edition or _seen(kept) != _seen(after)):
                work.audit.add(
                    caller,
                    action,
                    "questionnaire",
                    before=_shown(before, kept),
                    after=_shown(edition, after),
                    at=self.clock(),
                )
        return changes


def _shown(edition: str, categories: Sequence[QuestionCategory]) -> AuditState:
    active = [one for one in categories if one.active]
    return {
        "edition": edition,
        "categories": len(active),
        "questions": sum(len(one.asked) for one in active),
    }


# Ids


def _numbered(
    read: Sequence[QuestionCategory], kept: Sequence[QuestionCategory]
) -> tuple[QuestionCategory, ...]:
    """Give everything its id.

    Raises:
        Invalid: an id of a question is that of another category's.
    """
    told: dict[str, list[str]] = {}
    categories = _free({one.id for one in (*kept, *read)})
    questions = _free({question.id for one in (*kept, *read) for question in one.questions})
    homes = {question.id: one.id for one in kept for question in one.questions}
    numbered: list[QuestionCategory] = []
    for at, category in enumerate(read):
        known = _known(category, kept, read)
        number = category.id or (known.id if known else next(categories))
        for place, question in enumerate(category.questions):
            if question.id and homes.get(question.id, number) != number:
                name = f"category.{at}.question.{place}.id"
                told[name] = [f"{name} is that of a question of another category."]
        numbered.append(evolve(category, id=number, questions=_numbered_in(category, known, questions)))
    if told:
        raise Invalid(told)
    return tuple(numbered)


def _known(
    category: QuestionCategory, kept: Iterable[QuestionCategory], read: Iterable[QuestionCategory]
) -> QuestionCategory | None:
    """Give what is kept of a category: what has its id, or its slug if it has none."""
    if category.id:
        return next((one for one in kept if one.id == category.id), None)
    spoken_for = {one.id for one in read}
    of_slug = [one for one in kept if one.slug == category.slug and one.id not in spoken_for]
    return max(of_slug, key=lambda one: (one.active, one.id), default=None)


def _numbered_in(
    category: QuestionCategory, known: QuestionCategory | None, free: Iterator[int]
) -> tuple[Question, ...]:
    taken = {question.id for question in category.questions}
    by_words = {
        question.text.casefold(): question.id
        for question in (known.questions if known else ())
        if question.id not in taken
    }
    return tuple(
        question
        if question.id != NEW
        else evolve(question, id=by_words.pop(question.text.casefold(), NEW) or next(free))
        for question in category.questions
    )


def _free(taken: set[int]) -> Iterator[int]:
    for number in count(max([_FIRST_OWN - 1, *(one for one in taken if one < LARGEST_ID)]) + 1):
        if number > LARGEST_ID:
            raise Invalid({"category": ["category has ids that leave no room for new ones."]})
        yield number


# Changes


def _changes(before: Sequence[QuestionCategory], after: Sequence[QuestionCategory]) -> EditionChanges:
    old, new = _asked(before), _asked(after)
    common = old.keys() & new.keys()
    changed = sum(old[number] != new[number] for number in common)
    return EditionChanges(
        added=len(new.keys() - old.keys()),
        changed=changed,
        retired=len(old.keys() - new.keys()),
        same=len(common) - changed,
    )


def _asked(categories: Sequence[QuestionCategory]) -> dict[int, object]:
    """Map each question that is asked to what is seen of it beside its place."""
    return {
        question.id: (question, one.slug, one.name, one.description, one.icon)
        for one in categories
        if one.active
        for question in one.asked
    }


def _seen(categories: Sequence[QuestionCategory]) -> object:
    """Give what is seen of a questionnaire, the order included."""
    return [evolve(one, questions=one.asked) for one in categories if one.active]
