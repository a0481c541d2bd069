"""The questionnaire, over both databases: its questions, and submitted answers."""

import re
from typing import Any

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.http.people import ACCORD, Person, bearer
from tests.http.shape import moment, shaped
from tests.http.watched import serve_core
from tests.threads import at_once

from repaircore.core import Core
from repaircore.diagnosis.cases import CaseSource
from repaircore.kernel.callers import Environment
from repaircore.testing.clock import FrozenClock

CATEGORIES = "/api/v1/diagnostic/categories"
SUBMIT = "/api/v1/diagnostic/submit"
SQUEAL: dict[str, Any] = {
    "question_id": 301,
    "question_text": "What do you hear when you brake?",
    "answer": "A high-pitched squeal",
}
LIGHT = {"question_id": 306, "question_text": "Which light is on?", "answer": "None"}
FILLED: dict[str, Any] = {"category_slug": "brakes", "answers": [SQUEAL, LIGHT]}
SUBMITTED: dict[str, Any] = {
    "success": True,
    "message": str,
    "data": {"reference_number": str, "category": {"slug": str, "name": str}, "created_at": moment},
}


def submit(api: FlaskClient, token: str | None = None, **changes: Any) -> str:
    headers = {} if token is None else bearer(token)
    answer = api.post(SUBMIT, json={**FILLED, **changes}, headers=headers)

    assert answer.status_code == 201, answer.text
    assert shaped(SUBMITTED, answer.json)
    reference: str = answer.get_json()["data"]["reference_number"]
    return reference


def rejected_fields(api: FlaskClient, **changes: Any) -> set[str]:
    """Submit a bad body, and return the reported fields."""
    body = {name: value for name, value in {**FILLED, **changes}.items() if value is not ...}
    answer = api.post(SUBMIT, json=body)

    assert answer.status_code == 422, answer.text
    payload = answer.get_json()

    assert payload.keys() == {"message", "errors"}
    assert all(texts and all(type(text) is str for text in texts) for texts in payload["errors"].values())
    return set(payload["errors"])


# Questions


def test_categories_are_listed_in_their_order(ada: Person) -> None:
    answer = ada.get(CATEGORIES)
    category = {"id": int, "slug": str, "name": str, "description": str, "icon": str}

    assert shaped({"success": True, "data": [category]}, answer.json)
    data = answer.get_json()["data"]

    assert len(data) >= 12
    assert [one["id"] for one in data] == sorted(one["id"] for one in data)
    assert all(re.fullmatch(r"[a-z-]+", one["slug"]) for one in data)


def test_questions_of_every_category_are_listed_in_their_order(ada: Person) -> None:
    question = {"id": int, "question_text": str, "answer_type": str, "options": [str], "order": int}
    for category in ada.get(CATEGORIES).get_json()["data"]:
        answer = ada.get(f"{CATEGORIES}/{category['slug']}/questions")

        assert shaped({"success": True, "data": [question]}, answer.json)
        data = answer.get_json()["data"]

        assert [one["order"] for one in data] == [*range(1, len(data) + 1)]
        assert {one["answer_type"] for one in data} <= {"single_choice", "yes_no"}
        assert all(one["options"] == ["Yes", "No"] for one in data if one["answer_type"] == "yes_no")


@pytest.mark.parametrize("slug", ["nothing", "Brakes", "3", "%00", "a%2Fb", "x" * 3000])
def test_unknown_category_is_a_404(ada: Person, slug: str) -> None:
    answer = ada.get(f"{CATEGORIES}/{slug}/questions")

    assert answer.status_code == 404
    assert shaped({"success": False, "message": str}, answer.json)


def test_change_applies_at_once(api: FlaskClient, ada: Person, core: Core) -> None:
    document = core.questionnaire_editing.export()
    document["category"] = [one for one in document["category"] if one["slug"] != "brakes"]
    core.questionnaire_editing.import_document(document)

    assert ada.get(f"{CATEGORIES}/brakes/questions").status_code == 404
    assert rejected_fields(api) == {"category_slug"}


# Submissions


def test_submit_stores_answers_and_suggestions(api: FlaskClient, core: Core, clock: FrozenClock) -> None:
    notes = {"vehicle_info": " 2015 Accord ", "additional_notes": "Only in the morning.\nIt shows P0420."}
    reference = submit(api, **notes, vehicle_id=17)

    assert re.fullmatch(rf"DR-{clock():%Y%m%d}-[34679A-HJKMNPQRT-X]{{6}}", reference)
    stored = core.questionnaire.submission(reference.lower())

    assert (stored.environment, stored.user_id, stored.created_at) == (Environment.LIVE, None, clock())
    assert [(one.question_id, one.answer) for one in stored.answers] == [
        (301, "A high-pitched squeal"),
        (306, "None"),
    ]
    assert stored.answers[0].question_text == SQUEAL["question_text"]
    assert (stored.vehicle_id, stored.vehicle_info) == ("17", "2015 Accord")
    assert stored.additional_notes == notes["additional_notes"]
    repairs = [one.repair for one in stored.outcome.suggestions]

    assert repairs
    assert any(repair.startswith("brake-") or repair == "catalytic-converter" for repair in repairs)
    with core.chats.read() as work:
        case = work.cases.find(reference)

    assert case is not None
    assert (case.source, case.suggested) == (CaseSource.QUESTIONNAIRE, (*repairs,))
    assert notes["additional_notes"] in case.text


def test_submit_suggests_nothing_for_empty_answers(api: FlaskClient, core: Core) -> None:
    reference = submit(api, answers=[{**SQUEAL, "answer": "Not sure"}])
    outcome = core.questionnaire.submission(reference).outcome

    assert (outcome.enough, outcome.suggestions) == (False, ())


def test_same_answers_have_the_same_suggestions(api: FlaskClient, core: Core) -> None:
    first, second = (core.questionnaire.submission(submit(api)) for _ in range(2))

    assert first.outcome == second.outcome
    assert first.reference != second.reference


@pytest.mark.parametrize("kind", ["public_key", "secret_key"])
def test_submit_stores_the_user_and_environment_of_a_key(
    api: FlaskClient, ada: Person, core: Core, kind: str
) -> None:
    for environment in ("test", "live"):
        reference = submit(api, getattr(ada.keys(environment), kind))
        stored = core.questionnaire.submission(reference)

        assert (stored.user_id, stored.environment) == (ada.id, environment)


def test_submit_stores_the_user_of_a_session(api: FlaskClient, ada: Person, core: Core) -> None:
    assert core.questionnaire.submission(submit(api, ada.token)).user_id == ada.id
    answer = api.post(SUBMIT, json=FILLED, headers=bearer("mst_nothing"))

    assert (answer.status_code, answer.json) == (401, {"message": "Unauthenticated."})


def test_submit_accepts_a_stored_vehicle(api: FlaskClient, core: Core) -> None:
    vehicle = core.vehicles.identify(ACCORD)
    reference = submit(api, vehicle_id=str(vehicle.id))

    assert core.questionnaire.submission(reference).vehicle_id == str(vehicle.id)
    assert rejected_fields(api, vehicle_id="00000000-0000-7000-8000-00000000abcd") == {"vehicle_id"}


def test_answer_matches_in_any_case(api: FlaskClient, core: Core) -> None:
    reference = submit(api, answers=[{**SQUEAL, "answer": " a HIGH-pitched squeal"}])

    assert core.questionnaire.submission(reference).answers[0].answer == "A high-pitched squeal"


def test_optional_fields_accept_null(api: FlaskClient) -> None:
    submit(api, vehicle_id=None, vehicle_info=None, additional_notes=None, something="else")


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"category_slug": ...}, {"category_slug"}),
        ({"category_slug": "nothing"}, {"category_slug"}),
        ({"category_slug": 3}, {"category_slug"}),
        ({"category_slug": "a\x01b"}, {"category_slug"}),
        ({"answers": ...}, {"answers"}),
        ({"answers": []}, {"answers"}),
        ({"answers": {}}, {"answers"}),
        ({"answers": "yes"}, {"answers"}),
        ({"answers": [SQUEAL] * 101}, {"answers"}),
        ({"answers": [5]}, {"answers.0"}),
        ({"answers": [{}]}, {"answers.0.question_id", "answers.0.question_text", "answers.0.answer"}),
        ({"answers": [{**SQUEAL, "question_id": 101}]}, {"answers.0.question_id"}),
        ({"answers": [{**SQUEAL, "question_id": "301"}]}, {"answers.0.question_id"}),
        ({"answers": [{**SQUEAL, "question_id": 2**62}]}, {"answers.0.question_id"}),
        ({"answers": [SQUEAL, LIGHT, SQUEAL]}, {"answers.2.question_id"}),
        ({"answers": [{**SQUEAL, "question_text": " "}]}, {"answers.0.question_text"}),
        ({"answers": [{**SQUEAL, "question_text": "x" * 501}]}, {"answers.0.question_text"}),
        ({"answers": [{**SQUEAL, "question_text": "a\x01b"}]}, {"answers.0.question_text"}),
        ({"answers": [{**SQUEAL, "answer": "Thunder"}]}, {"answers.0.answer"}),
        ({"answers": [{**SQUEAL, "answer": ""}]}, {"answers.0.answer"}),
        ({"answers": [{**SQUEAL, "answer": ["x"]}]}, {"answers.0.answer"}),
        ({"answers": [{**SQUEAL, "answer": "x" * 900_000}]}, {"answers.0.answer"}),
        ({"vehicle_id": 0}, {"vehicle_id"}),
        ({"vehicle_id": -1}, {"vehicle_id"}),
        ({"vehicle_id": -(2**63)}, {"vehicle_id"}),
        ({"vehicle_id": 1.5}, {"vehicle_id"}),
        ({"vehicle_id": True}, {"vehicle_id"}),
        ({"vehicle_id": "x"}, {"vehicle_id"}),
        ({"vehicle_id": {}}, {"vehicle_id"}),
        ({"vehicle_info": 5}, {"vehicle_info"}),
        ({"vehicle_info": "x" * 501}, {"vehicle_info"}),
        ({"vehicle_info": "a\x07b"}, {"vehicle_info"}),
        ({"additional_notes": "x" * 2001}, {"additional_notes"}),
        ({"additional_notes": "a\x1bb"}, {"additional_notes"}),
    ],
)
def test_submit_reports_a_bad_field(
    api: FlaskClient, core: Core, changes: dict[str, Any], fields: set[str]
) -> None:
    assert rejected_fields(api, **changes) == fields
    assert not core.questionnaire.submissions(limit=9)


def test_submit_reports_all_bad_fields(api: FlaskClient) -> None:
    answers = [{**SQUEAL, "question_text": 5}, {**LIGHT, "answer": "Purple"}, 7, {**SQUEAL, "question_id": 9}]

    assert rejected_fields(
        api, answers=answers, vehicle_id="x", vehicle_info=["x"], additional_notes="\x01"
    ) == {
        "answers.0.question_text",
        "answers.1.answer",
        "answers.2",
        "answers.3.question_id",
        "vehicle_id",
        "vehicle_info",
        "additional_notes",
    }


def test_retired_question_is_rejected(api: FlaskClient, core: Core) -> None:
    document = core.questionnaire_editing.export()
    for category in document["category"]:
        category["question"] = [one for one in category["question"] if one["id"] != 301]
    core.questionnaire_editing.import_document(document)

    assert rejected_fields(api) == {"answers.0.question_id"}


def test_submit_uses_no_reference_twice(core: Core) -> None:
    draws = iter([b"\x01" * 8, b"\x01" * 8, b"\x01" * 8, b"\x02" * 8])
    questionnaire = evolve(core.questionnaire, random=lambda size: next(draws)[:size])
    api = serve_core(core.replacing(questionnaire=questionnaire)).test_client()
    first, second = submit(api), submit(api)

    assert first != second
    assert len(core.questionnaire.submissions(limit=9)) == 2


def test_submit_without_a_free_reference_is_a_503(core: Core) -> None:
    questionnaire = evolve(core.questionnaire, random=bytes)
    api = serve_core(core.replacing(questionnaire=questionnaire)).test_client()
    submit(api)

    assert api.post(SUBMIT, json=FILLED).status_code == 503
    assert len(core.questionnaire.submissions(limit=9)) == 1


def test_submit_gives_concurrent_submissions_distinct_references(core: Core) -> None:
    app = serve_core(core)
    references = at_once(12, lambda: submit(app.test_client()))

    assert len({*references}) == 12
    assert {one.reference for one in core.questionnaire.submissions(limit=99)} == {*references}
