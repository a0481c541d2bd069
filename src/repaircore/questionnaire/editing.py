"""The questionnaire as operators edit it: exported as a document, changed, and imported."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from attrs import evolve, frozen

from repaircore.kernel.audit import AuditState
from repaircore.kernel.callers import LOCAL, Caller, require_operator
from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import FieldErrors, sentence
from repaircore.kernel.types import Clock, Lazy
from repaircore.questionnaire.document import LARGEST_ID, NEW, as_document, read_document
from repaircore.questionnaire.editions import OPERATORS
from repaircore.questionnaire.model import Question, QuestionCategory
from repaircore.questionnaire.ports import OpenQuestionnairesWork

_FIRST_OWN: Final = 100_000
"""The ids of questions that operators add begin here, so that the ids of later versions do not collide with them."""

Ship = Callable[[Collection[str]], Sequence[QuestionCategory]]
"""Return the questionnaire that ships with this version, checked against the symptoms of the repair book."""


@frozen(kw_only=True)
class EditionChanges:
    """How many questions an edition added, changed, retired, or left the same except for their order."""

    added: int
    changed: int
    retired: int
    same: int


@frozen(kw_only=True)
class QuestionnaireEditor:
    """Use cases for editing the questionnaire.

    ``symptoms`` returns the names of the symptoms by slug. ``shipped`` returns the questionnaire that ships with this
    version, and ``edition`` is its name.
    """

    transaction: OpenQuestionnairesWork
    read: OpenQuestionnairesWork
    symptoms: Lazy[Mapping[str, str]]
    shipped: Ship
    edition: str
    clock: Clock

    def export(self) -> dict[str, Any]:
        """Return the questionnaire as a document, including retired questions."""
        with self.read() as work:
            return as_document(work.questionnaire.list_all())

    def import_document(
        self, document: object, *, dry_run: bool = False, caller: Caller = LOCAL
    ) -> EditionChanges:
        """Replace the questionnaire with a document; what it leaves out is retired.

        Ids stay the same: a category without an id is matched by its slug, and a question without one by its text
        within its category. New ones get the next free id. A dry run changes nothing.

        Raises:
            Forbidden: the caller is not an admin, or uses a key of the test environment.
            Invalid: the document is invalid; each error is reported under its place in it.
        """
        require_operator(caller)
        categories = read_document(document, self.symptoms().keys())
        return self._replace(categories, OPERATORS, "questionnaire.import", dry_run=dry_run, caller=caller)

    def restore(self, caller: Caller = LOCAL) -> EditionChanges:
        """Restore the questionnaire that ships with this version; later upgrades replace it again.

        Raises:
            Forbidden: the caller is not an admin, or uses a key of the test environment.
        """
        require_operator(caller)
        shipped = self.shipped(self.symptoms().keys())
        return self._replace(shipped, self.edition, "questionnaire.restore", dry_run=False, caller=caller)

    def _replace(
        self,
        categories: Sequence[QuestionCategory],
        edition: str,
        action: str,
        *,
        dry_run: bool,
        caller: Caller,
    ) -> EditionChanges:
        with self.read() if dry_run else self.transaction() as work:
            old_edition = work.questionnaire.edition() if dry_run else work.questionnaire.lock()
            before = work.questionnaire.list_all()
            after = _with_ids(categories, before)
            if not dry_run:
                work.questionnaire.replace(edition, after)
                if old_edition != edition or _visible(before) != _visible(after):
                    work.audit.add(
                        caller,
                        action,
                        "questionnaire",
                        before=_audit_state(old_edition, before),
                        after=_audit_state(edition, after),
                        at=self.clock(),
                    )
        return _changes(before, after)


def _audit_state(edition: str, categories: Sequence[QuestionCategory]) -> AuditState:
    active = [category for category in categories if category.active]
    return {
        "edition": edition,
        "categories": len(active),
        "questions": sum(len(category.active_questions) for category in active),
    }


# Ids


def _with_ids(
    imported: Sequence[QuestionCategory], stored: Sequence[QuestionCategory]
) -> tuple[QuestionCategory, ...]:
    """Return the imported categories and questions with their ids.

    Raises:
        Invalid: a question has an id from another category, or no ids are left for new items.
    """
    errors: FieldErrors = {}
    category_ids = _free({category.id for category in (*stored, *imported)})
    question_ids = _free({each.id for category in (*stored, *imported) for each in category.questions})
    category_of = {each.id: category.id for category in stored for each in category.questions}
    numbered: list[QuestionCategory] = []
    for at, category in enumerate(imported):
        match = _stored_match(category, stored, imported)
        number = category.id or (match.id if match else next(category_ids))
        for place, question in enumerate(category.questions):
            if question.id and category_of.get(question.id, number) != number:
                name = f"category.{at}.question.{place}.id"
                errors[name] = [sentence(name, "must not be the id of a question in another category")]
        questions = _questions_with_ids(category, match, question_ids)
        numbered.append(evolve(category, id=number, questions=questions))
    if errors:
        raise Invalid(errors)
    return tuple(numbered)


def _stored_match(
    category: QuestionCategory, stored: Iterable[QuestionCategory], imported: Iterable[QuestionCategory]
) -> QuestionCategory | None:
    """Return the stored category with the id of an imported one (or the slug, if it has no id), or None."""
    if category.id:
        return next((each for each in stored if each.id == category.id), None)
    taken = {each.id for each in imported}
    same_slug = [each for each in stored if each.slug == category.slug and each.id not in taken]
    return max(same_slug, key=lambda each: (each.active, each.id), default=None)


def _questions_with_ids(
    category: QuestionCategory, match: QuestionCategory | None, free: Iterator[int]
) -> tuple[Question, ...]:
    taken = {question.id for question in category.questions}
    by_text = {
        question.text.casefold(): question.id
        for question in (match.questions if match else ())
        if question.id not in taken
    }
    return tuple(
        question
        if question.id != NEW
        else evolve(question, id=by_text.pop(question.text.casefold(), NEW) or next(free))
        for question in category.questions
    )


def _free(taken: set[int]) -> Iterator[int]:
    for number in count(max([_FIRST_OWN - 1, *(each for each in taken if each < LARGEST_ID)]) + 1):
        if number > LARGEST_ID or number in taken:  # the largest possible id may be taken
            raise Invalid(
                {"category": [sentence("category", "has ids so large that none are left for new items")]}
            )
        yield number


# Changes


def _changes(before: Sequence[QuestionCategory], after: Sequence[QuestionCategory]) -> EditionChanges:
    old, new = _active(before), _active(after)
    common = old.keys() & new.keys()
    changed = sum(old[number] != new[number] for number in common)
    return EditionChanges(
        added=len(new.keys() - old.keys()),
        changed=changed,
        retired=len(old.keys() - new.keys()),
        same=len(common) - changed,
    )


def _active(categories: Sequence[QuestionCategory]) -> dict[int, object]:
    """Map the id of each active question to everything that users see of it, except its position."""
    return {
        question.id: (question, category.slug, category.name, category.description, category.icon)
        for category in categories
        if category.active
        for question in category.active_questions
    }


def _visible(categories: Sequence[QuestionCategory]) -> object:
    """Return everything that users see of a questionnaire, in order."""
    return [
        evolve(category, questions=category.active_questions) for category in categories if category.active
    ]
