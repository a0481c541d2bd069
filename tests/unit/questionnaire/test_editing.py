"""Editing the questionnaire on both databases: ids are stable, removed questions are retired, upgrades keep edits."""

from copy import deepcopy
from typing import Any

import pytest
from attrs import evolve

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden, Invalid
from repaircore.questionnaire.document import LARGEST_ID
from repaircore.questionnaire.editing import EditionChanges
from repaircore.testing.clock import FrozenClock

NEW_QUESTION: dict[str, Any] = {
    "text": "Do the brakes smell?",
    "type": "yes_no",
    "options": [{"answer": "Yes", "present": ["brake-drag"]}, {"answer": "No", "absent": ["brake-drag"]}],
}


@pytest.fixture
def document(core: Core) -> dict[str, Any]:
    return core.questionnaire_editing.export()


def brakes(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in document["category"] if one["slug"] == "brakes")
    return found


def list_questions(core: Core) -> list[tuple[int, str]]:
    return [(one.id, one.text) for one in core.questionnaire.category("brakes").active_questions]


def import_document(core: Core, document: dict[str, Any]) -> EditionChanges:
    return core.questionnaire_editing.import_document(document)


def test_import_document_accepts_the_export(core: Core, document: dict[str, Any]) -> None:
    before = [*core.questionnaire.categories()]
    changes = import_document(core, document)

    assert (changes.added, changes.changed, changes.retired) == (0, 0, 0)
    assert changes.same == sum(len(core.questionnaire.category(one.slug).active_questions) for one in before)
    assert [*core.questionnaire.categories()] == before
    assert core.questionnaire_editing.export() == document


def test_question_keeps_its_id_when_it_is_reworded(core: Core, document: dict[str, Any]) -> None:
    brakes(document)["question"][0]["text"] = "Which noise do you hear?"

    assert import_document(core, document).changed == 1
    assert list_questions(core)[0] == (301, "Which noise do you hear?")


def test_import_document_gives_a_new_question_a_lasting_id(core: Core, document: dict[str, Any]) -> None:
    brakes(document)["question"].insert(0, deepcopy(NEW_QUESTION))

    assert import_document(core, document).added == 1
    first, *_ = made = list_questions(core)

    assert first == (100_000, "Do the brakes smell?")
    assert import_document(core, document).added == 0
    assert list_questions(core) == made


@pytest.mark.parametrize(
    ("taken", "given"),
    [(99_999, 100_000), (100_000, 100_001), (LARGEST_ID - 1, LARGEST_ID), (LARGEST_ID, 100_000)],
)
def test_new_question_gets_the_id_after_the_largest_below_the_limit(
    core: Core, document: dict[str, Any], taken: int, given: int
) -> None:
    questions = brakes(document)["question"]
    questions[0]["id"] = taken
    questions.append(deepcopy(NEW_QUESTION))
    import_document(core, document)

    assert dict(list_questions(core))[given] == NEW_QUESTION["text"]


def test_questionnaire_without_room_for_another_id_takes_no_new_question(
    core: Core, document: dict[str, Any]
) -> None:
    questions = brakes(document)["question"]
    questions[0]["id"], questions[1]["id"] = LARGEST_ID - 1, LARGEST_ID
    questions.append(deepcopy(NEW_QUESTION))

    with pytest.raises(Invalid, match="none are left for new items"):
        import_document(core, document)


def test_import_document_gives_a_new_category_an_id(core: Core, document: dict[str, Any]) -> None:
    new = {
        "slug": "odd",
        "name": "Odd",
        "description": "Odd things.",
        "icon": "x",
        "question": [NEW_QUESTION],
    }
    document["category"].insert(0, new)
    import_document(core, document)
    import_document(core, document)
    first = core.questionnaire.categories()[0]

    assert (first.id, first.slug) == (100_000, "odd")
    assert core.questionnaire.category("odd").questions[0].id == 100_000


def test_import_document_retires_a_missing_question_with_its_id(core: Core, document: dict[str, Any]) -> None:
    changed = deepcopy(document)
    removed = brakes(changed)["question"].pop(0)

    assert import_document(core, changed).retired == 1
    assert removed["id"] not in dict(list_questions(core))
    exported = brakes(core.questionnaire_editing.export())["question"]

    assert {**removed, "active": False} in exported
    assert import_document(core, document).added == 1
    assert list_questions(core)[0][0] == removed["id"]


def test_import_document_retires_a_missing_category(core: Core, document: dict[str, Any]) -> None:
    document["category"].remove(brakes(document))
    import_document(core, document)

    assert "brakes" not in [one.slug for one in core.questionnaire.categories()]


def test_question_cannot_move_to_another_category(core: Core, document: dict[str, Any]) -> None:
    moved = brakes(document)["question"].pop(0)
    document["category"][0]["question"].append(moved)
    at = len(document["category"][0]["question"]) - 1
    with pytest.raises(Invalid) as refused:
        import_document(core, document)

    assert [*refused.value.fields] == [f"category.0.question.{at}.id"]
    assert list_questions(core)[0][0] == moved["id"]


def test_import_document_dry_run_changes_nothing(core: Core, document: dict[str, Any]) -> None:
    brakes(document)["question"].pop(0)
    before = list_questions(core)

    assert core.questionnaire_editing.import_document(document, dry_run=True).retired == 1
    assert list_questions(core) == before
    assert not core.audit.list_newest(limit=9)


def test_import_document_audits_changes_only(
    core: Core, document: dict[str, Any], clock: FrozenClock
) -> None:
    brakes(document)["question"].pop(0)
    import_document(core, document)
    import_document(core, document)
    (entry,) = core.audit.list_newest(limit=9)

    assert (entry.action, entry.subject, entry.at) == ("questionnaire.import", "questionnaire", clock())
    assert entry.before is not None
    assert entry.after is not None
    assert entry.after["edition"] == "operator"
    assert entry.before["questions"] - entry.after["questions"] == 1


def test_upgrade_keeps_an_imported_questionnaire(core: Core, document: dict[str, Any]) -> None:
    brakes(document)["question"].pop(0)
    import_document(core, document)
    remaining = list_questions(core)
    core.upgrade()

    assert list_questions(core) == remaining
    assert core.ready() == []


def test_upgrade_replaces_an_older_edition(core: Core) -> None:
    shipped = list_questions(core)
    with core.storage.transaction() as unit:
        category = core.questionnaire.category("leaks")
        unit.questionnaire.replace("older", [evolve(category, slug="brakes")])

    assert core.ready() == [
        f"The questionnaire is at edition older, not {core.questionnaire_editing.edition}. Run `repaircore db upgrade`."
    ]
    core.upgrade()

    assert list_questions(core) == shipped
    assert core.ready() == []


def test_restore_brings_back_the_shipped_questionnaire(core: Core, document: dict[str, Any]) -> None:
    shipped = list_questions(core)
    brakes(document)["question"].pop(0)
    import_document(core, document)

    assert core.questionnaire_editing.restore().added == 1
    assert list_questions(core) == shipped
    assert core.questionnaire_editing.export() == core.questionnaire_editing.export()
    assert [one.action for one in core.audit.list_newest(limit=9)] == [
        "questionnaire.restore",
        "questionnaire.import",
    ]


@pytest.mark.parametrize(
    "caller",
    [
        evolve(LOCAL, role=Role.USER),
        Caller(
            user_id=1, role=Role.ADMIN, environment=Environment.TEST, credential=Credential.SECRET, key_id=1
        ),
    ],
)
def test_only_an_operator_edits_and_no_test_key(core: Core, document: dict[str, Any], caller: Caller) -> None:
    with pytest.raises(Forbidden):
        core.questionnaire_editing.import_document(document, caller=caller)
    with pytest.raises(Forbidden):
        core.questionnaire_editing.restore(caller)
