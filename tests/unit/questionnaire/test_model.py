"""The shipped questionnaire and its editing format."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.book import symptoms
from repaircore.adapters.shipped.questionnaire import shipped_questionnaire
from repaircore.diagnosis.model import Finding
from repaircore.kernel.errors import Invalid
from repaircore.questionnaire.document import NEW, as_document, read_document
from repaircore.questionnaire.model import AnswerType, Option, Question, findings_of

KNOWN = frozenset(symptoms())
SHIPPED = shipped_questionnaire(KNOWN)
QUESTIONS = [question for category in SHIPPED for question in category.questions]


def a_question(**changes: Any) -> dict[str, Any]:
    return {
        "text": "Do the brakes squeal?",
        "type": "yes_no",
        "options": [{"answer": "Yes", "present": ["brake-squeal"]}, {"answer": "No"}],
        **changes,
    }


def a_category(**changes: Any) -> dict[str, Any]:
    return {
        "slug": "brakes",
        "name": "Brakes",
        "description": "What about the brakes?",
        "icon": "fa-compact-disc",
        "question": [a_question()],
        **changes,
    }


def result(*categories: Any) -> set[str]:
    with pytest.raises(Invalid) as refused:
        read_document({"category": [*categories]}, KNOWN)
    return set(refused.value.fields)


def test_shipped_categories_have_five_to_ten_questions_each() -> None:
    assert len(SHIPPED) >= 12
    assert [one.slug for one in SHIPPED if not (one.active and 5 <= len(one.active_questions) <= 10)] == []


def test_shipped_ids_match_their_categories() -> None:
    assert [one.id for one in SHIPPED] == [*range(1, len(SHIPPED) + 1)]
    for category in SHIPPED:
        numbers = [100 * category.id + at for at in range(1, len(category.questions) + 1)]

        assert [one.id for one in category.questions] == numbers


def test_every_shipped_question_leads_to_a_finding() -> None:
    assert [one.id for one in QUESTIONS if not findings_of(one.options)] == []


def test_every_symptom_of_the_book_has_a_question() -> None:
    covered = {slug for one in QUESTIONS for option in one.options for slug in option.present}

    assert covered == KNOWN


def test_questionnaire_survives_writing_and_reading() -> None:
    assert read_document(as_document(SHIPPED), KNOWN) == SHIPPED


def test_read_document_gives_a_missing_id_the_next_number() -> None:
    (category,) = read_document({"category": [a_category()]}, KNOWN)

    assert (category.id, category.questions[0].id) == (NEW, NEW)


def test_read_document_keeps_retired_questions() -> None:
    retired = a_category(slug="old", active=False, question=[a_question(active=False)])
    read = read_document({"category": [a_category(), retired]}, KNOWN)

    assert [one.active for one in read] == [True, False]
    assert read_document(as_document(read), KNOWN) == read


@pytest.mark.parametrize(
    "document", [None, [], 5, {}, {"categories": []}, {"category": {}}, {"category": []}]
)
def test_read_document_rejects_other_documents(document: object) -> None:
    with pytest.raises(Invalid):
        read_document(document, KNOWN)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"slug": "Not A Slug"}, "slug"),
        ({"slug": 5}, "slug"),
        ({"name": ""}, "name"),
        ({"name": "two\nlines"}, "name"),
        ({"description": "x" * 501}, "description"),
        ({"icon": "<i>"}, "icon"),
        ({"id": 0}, "id"),
        ({"id": True}, "id"),
        ({"id": 2**31}, "id"),
        ({"active": "yes"}, "active"),
        ({"title": "x"}, "title"),
        ({"question": []}, "question"),
        ({"question": [5]}, "question.0"),
        ({"question": [a_question(active=False)]}, "question"),
        ({"question": [a_question(), a_question(text="DO the brakes  squeal?")]}, "question.1.text"),
    ],
)
def test_read_document_names_the_place_of_a_category_error(changes: dict[str, Any], place: str) -> None:
    assert result(a_category(), a_category(**{"slug": "other", **changes})) == {f"category.1.{place}"}


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"text": "Hm?"}, "text"),
        ({"type": "many"}, "type"),
        ({"type": ["yes_no"]}, "type"),
        ({"options": [{"answer": "Yes"}]}, "options"),
        ({"options": [{"answer": "No"}, {"answer": "Yes"}]}, "options"),
        ({"options": "Yes or no"}, "options"),
        (
            {"type": "single_choice", "options": [{"answer": "A b"}, {"answer": " a  B"}]},
            "options.1.answer",
        ),
        ({"options": [{"answer": "Yes", "present": ["no-such"]}, {"answer": "No"}]}, "options.0.present.0"),
        ({"options": [{"answer": "Yes", "present": "abs-light"}, {"answer": "No"}]}, "options.0.present"),
        ({"options": [{"answer": "Yes", "absent": [["x"]]}, {"answer": "No"}]}, "options.0.absent.0"),
        (
            {"options": [{"answer": "Yes", "present": ["abs-light"] * 2}, {"answer": "No"}]},
            "options.0.present.1",
        ),
        (
            {
                "options": [
                    {"answer": "Yes", "present": ["abs-light"], "absent": ["abs-light"]},
                    {"answer": "No"},
                ]
            },
            "options.0.absent.0",
        ),
    ],
)
def test_read_document_names_the_place_of_a_question_error(changes: dict[str, Any], place: str) -> None:
    assert result(a_category(question=[a_question(**changes)])) == {f"category.0.question.0.{place}"}


def test_read_document_reports_all_errors_at_once() -> None:
    bad = a_category(slug="", question=[a_question(text=5), a_question(type="x", id="7")])
    del bad["icon"]

    assert result(bad, 5) == {
        "category.0.slug",
        "category.0.icon",
        "category.0.question.0.text",
        "category.0.question.1.type",
        "category.0.question.1.id",
        "category.1",
    }


def test_read_document_rejects_repeated_ids_and_slugs() -> None:
    assert result(a_category(id=1), a_category(id=1)) == {"category.1.id", "category.1.slug"}
    other = a_category(slug="other", question=[a_question(id=7)])

    assert result(a_category(question=[a_question(id=7)]), other) == {"category.1.question.0.id"}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(_JSON, st.sampled_from(["slug", "question", "id", "active"]))
def test_read_document_rejects_any_odd_value(value: Any, name: str) -> None:
    try:
        read_document({"category": [a_category(**{name: value})]}, KNOWN)
    except Invalid as refused:
        assert all(re.match(r"category", place) for place in refused.fields)  # noqa: PT017 - either is fine


def test_answer_is_recognized_in_any_case_and_spacing() -> None:
    question = Question(
        id=1,
        text="What?",
        type=AnswerType.SINGLE_CHOICE,
        options=(Option(answer="Not sure"), Option(answer="A squeal")),
    )

    assert question.option("  a   SQUEAL ") == question.options[1]
    assert question.option("squeal") is None


def test_findings_of_prefers_present() -> None:
    messages = [
        Option(answer="a", absent=("x", "y")),
        Option(answer="b", present=("x",)),
        Option(answer="c", absent=("x",)),
    ]

    assert findings_of(messages) == (Finding("x", present=True), Finding("y", present=False))
