"""Feedback on predictions, over both databases: what is kept, what it adds up to, and whose it is."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.http.people import ASK, Person, bearer, promoted
from tests.http.shape import moment, nullable, number, shaped, uuid

from repaircore.core import Core
from repaircore.testing.clock import FrozenClock

PATH = "/api/v1/predict/feedback"
NEVER = "00000000-0000-7000-8000-00000000abcd"
LISTED: dict[str, Any] = {"id": int, "rating": str, "comment": nullable(str), "created_at": moment}
CREATED = {"success": True, "message": str, "data": {"prediction_history_id": int, **LISTED}}
STATISTICS: dict[str, Any] = {
    "session_id": uuid,
    "total_feedbacks": int,
    "good_count": int,
    "wrong_count": int,
    "feedback_score": number,
    "feedbacks": [LISTED],
}


def predicted(api: FlaskClient, token: str, **changes: Any) -> str:
    answer = api.post("/api/v1/predict", json={**ASK, **changes}, headers=bearer(token))
    session_id: str = answer.get_json()["session_id"]
    return session_id


def rate(api: FlaskClient, token: str, session_id: str, rating: str, **more: Any) -> Any:
    answer = api.post(PATH, json={"session_id": session_id, "rating": rating, **more}, headers=bearer(token))
    assert answer.status_code == 201, answer.text
    assert shaped(CREATED, answer.json)
    return answer.get_json()["data"]


def statistics(api: FlaskClient, token: str, session_id: str) -> Any:
    answer = api.get(f"{PATH}/{session_id}", headers=bearer(token))
    assert answer.status_code == 200, answer.text
    assert shaped(STATISTICS, answer.json)
    return answer.json


@pytest.fixture
def root(core: Core, eve: Person) -> Person:
    return promoted(core, eve)


def test_each_submission_is_a_record_of_its_own(api: FlaskClient, ada: Person, clock: FrozenClock) -> None:
    session_id = predicted(api, ada.token)
    first = rate(api, ada.token, session_id, "good", comment="Spot on. ü")
    second = rate(api, ada.token, session_id, "wrong")
    third = rate(api, ada.token, session_id, "good", comment=None)
    assert first["created_at"] == clock().strftime("%Y-%m-%dT%H:%M:%SZ")
    assert (first["comment"], second["comment"], third["comment"]) == ("Spot on. ü", None, None)
    result = statistics(api, ada.token, session_id)
    assert (result["total_feedbacks"], result["good_count"], result["wrong_count"]) == (3, 2, 1)
    assert result["feedback_score"] == 66.67
    assert [one["id"] for one in result["feedbacks"]] == [third["id"], second["id"], first["id"]]
    assert len({one["prediction_history_id"] for one in (first, second, third)}) == 1


def test_prediction_that_nobody_rated_has_a_score_of_0(api: FlaskClient, ada: Person) -> None:
    session_id = predicted(api, ada.token)
    assert statistics(api, ada.token, session_id) == {
        "session_id": session_id,
        "total_feedbacks": 0,
        "good_count": 0,
        "wrong_count": 0,
        "feedback_score": 0.0,
        "feedbacks": [],
    }


@pytest.mark.parametrize("kind", ["public_key", "secret_key"])
def test_every_key_of_the_owner_rates(api: FlaskClient, ada: Person, kind: str) -> None:
    token = getattr(ada.keys("test"), kind)
    session_id = predicted(api, token)
    rate(api, token, session_id.upper(), "good")
    assert statistics(api, token, session_id)["total_feedbacks"] == 1


def _refused(api: FlaskClient, token: str, session_id: str) -> tuple[Any, Any]:
    """Give what is answered to a rating and to a question for the statistics, both refused."""
    body = {"session_id": session_id, "rating": "good"}
    rating = api.post(PATH, json=body, headers=bearer(token))
    reading = api.get(f"{PATH}/{session_id}", headers=bearer(token))
    assert (rating.status_code, reading.status_code) == (422, 404)
    assert shaped({"message": str, "errors": {"session_id": [str]}}, rating.json)
    assert shaped({"message": str}, reading.json)
    return rating.json, reading.json


def test_anothers_prediction_is_the_same_as_one_that_never_was(
    api: FlaskClient, ada: Person, eve: Person
) -> None:
    session_id = predicted(api, ada.token)
    assert _refused(api, eve.token, session_id) == _refused(api, eve.token, NEVER)
    assert statistics(api, ada.token, session_id)["total_feedbacks"] == 0


def test_other_environment_does_not_see_a_prediction(api: FlaskClient, ada: Person, root: Person) -> None:
    live, test = ada.keys("live").secret_key, ada.keys("test").secret_key
    session_id = predicted(api, live)
    assert _refused(api, test, session_id) == _refused(api, test, NEVER)
    of_root = root.keys("test").secret_key
    assert _refused(api, of_root, session_id) == _refused(api, of_root, NEVER)


def test_admin_rates_and_reads_any(api: FlaskClient, ada: Person, root: Person) -> None:
    session_id = predicted(api, ada.token)
    rate(api, root.token, session_id, "wrong", comment="Much too low.")
    assert statistics(api, root.token, session_id) == statistics(api, ada.token, session_id)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, {"session_id", "rating"}),
        ({"session_id": "7", "rating": "bad"}, {"session_id", "rating"}),
        ({"session_id": NEVER, "rating": "bad", "comment": "x" * 1001}, {"session_id", "rating", "comment"}),
        ({"session_id": NEVER, "rating": "good"}, {"session_id"}),
        ({"session_id": None, "rating": "good"}, {"session_id"}),
        ({"session_id": NEVER, "rating": True, "comment": 5}, {"session_id", "rating", "comment"}),
    ],
)
def test_every_bad_field_is_named(
    api: FlaskClient, ada: Person, body: dict[str, Any], named: set[str]
) -> None:
    answer = api.post(PATH, json=body, headers=bearer(ada.token))
    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == named


def test_comment_has_up_to_1000_characters(api: FlaskClient, ada: Person) -> None:
    session_id = predicted(api, ada.token)
    assert rate(api, ada.token, session_id, "good", comment="ü" * 1000)["comment"] == "ü" * 1000


@pytest.mark.parametrize("session_id", ["7", "nonsense", "%00", NEVER.replace("-", ""), f"%7B{NEVER}%7D"])
def test_what_is_no_session_has_no_statistics(api: FlaskClient, ada: Person, session_id: str) -> None:
    answer = api.get(f"{PATH}/{session_id}", headers=bearer(ada.token))
    assert answer.status_code == 404
    assert shaped({"message": str}, answer.json)


# What is learned


def _range(api: FlaskClient, token: str, zip_code: str) -> tuple[float, float, float]:
    body = api.post("/api/v1/predict", json={**ASK, "zip_code": zip_code}, headers=bearer(token)).get_json()
    local = body["local_prediction"]
    return (
        local["low_total_estimate"],
        local["average_total_estimate"],
        local["high_total_estimate"],
    )


def test_wrong_ratings_widen_the_range_of_the_repair_and_move_no_price(api: FlaskClient, ada: Person) -> None:
    low, average, high = _range(api, ada.token, "90210")
    for zip_code in ("90211", "90212"):
        rate(api, ada.token, predicted(api, ada.token, zip_code=zip_code), "wrong")
    wider_low, same, wider_high = _range(api, ada.token, "90213")
    assert same == average
    assert wider_low < low
    assert wider_high > high


def test_of_each_user_only_the_latest_rating_of_a_prediction_is_learned_from(
    api: FlaskClient, ada: Person
) -> None:
    session_id = predicted(api, ada.token)
    for _ in range(5):
        rate(api, ada.token, session_id, "wrong")
    once = _range(api, ada.token, "90211")
    rate(api, ada.token, predicted(api, ada.token, problem_identifier="brake-pads-rear"), "wrong")
    assert _range(api, ada.token, "90213") == once  # of another repair
    rate(api, ada.token, session_id, "good")
    assert _range(api, ada.token, "90212") == _range(api, ada.token, "90210")


def test_what_test_rates_live_does_not_learn(api: FlaskClient, ada: Person) -> None:
    test = ada.keys("test").secret_key
    before = _range(api, ada.token, "90210")
    for zip_code in ("90211", "90212"):
        rate(api, test, predicted(api, test, zip_code=zip_code), "wrong")
    assert _range(api, ada.token, "90213") == before
