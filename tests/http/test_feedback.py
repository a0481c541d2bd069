"""Feedback on predictions, over both databases: what is stored, its statistics, and who may see it."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.http.people import ASK, Person, bearer, promoted
from tests.http.shape import moment, nullable, number, shaped, uuid

from repaircore.core import Core
from repaircore.testing.clock import FrozenClock

PATH = "/api/v1/predict/feedback"
UNKNOWN_ID = "00000000-0000-7000-8000-00000000abcd"
RATING: dict[str, Any] = {"id": int, "rating": str, "comment": nullable(str), "created_at": moment}
CREATED = {"success": True, "message": str, "data": {"prediction_history_id": int, **RATING}}
STATISTICS: dict[str, Any] = {
    "session_id": uuid,
    "total_feedbacks": int,
    "good_count": int,
    "wrong_count": int,
    "feedback_score": number,
    "feedbacks": [RATING],
}


def predict(api: FlaskClient, token: str, **changes: Any) -> str:
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


def test_each_rating_is_stored_separately(api: FlaskClient, ada: Person, clock: FrozenClock) -> None:
    session_id = predict(api, ada.token)
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


def test_unrated_prediction_has_a_score_of_0(api: FlaskClient, ada: Person) -> None:
    session_id = predict(api, ada.token)
    assert statistics(api, ada.token, session_id) == {
        "session_id": session_id,
        "total_feedbacks": 0,
        "good_count": 0,
        "wrong_count": 0,
        "feedback_score": 0.0,
        "feedbacks": [],
    }


@pytest.mark.parametrize("kind", ["public_key", "secret_key"])
def test_every_key_of_the_owner_can_rate(api: FlaskClient, ada: Person, kind: str) -> None:
    token = getattr(ada.keys("test"), kind)
    session_id = predict(api, token)
    rate(api, token, session_id.upper(), "good")
    assert statistics(api, token, session_id)["total_feedbacks"] == 1


def _errors(api: FlaskClient, token: str, session_id: str) -> tuple[Any, Any]:
    """Return the errors of a rating and of a request for the statistics."""
    body = {"session_id": session_id, "rating": "good"}
    rating = api.post(PATH, json=body, headers=bearer(token))
    reading = api.get(f"{PATH}/{session_id}", headers=bearer(token))
    assert (rating.status_code, reading.status_code) == (422, 404)
    assert shaped({"message": str, "errors": {"session_id": [str]}}, rating.json)
    assert shaped({"message": str}, reading.json)
    return rating.json, reading.json


def test_prediction_of_another_user_looks_like_none(api: FlaskClient, ada: Person, eve: Person) -> None:
    session_id = predict(api, ada.token)
    assert _errors(api, eve.token, session_id) == _errors(api, eve.token, UNKNOWN_ID)
    assert statistics(api, ada.token, session_id)["total_feedbacks"] == 0


def test_other_environment_does_not_find_a_prediction(api: FlaskClient, ada: Person, root: Person) -> None:
    live, test = ada.keys("live").secret_key, ada.keys("test").secret_key
    session_id = predict(api, live)
    assert _errors(api, test, session_id) == _errors(api, test, UNKNOWN_ID)
    roots_key = root.keys("test").secret_key
    assert _errors(api, roots_key, session_id) == _errors(api, roots_key, UNKNOWN_ID)


def test_admin_rates_and_reads_any_prediction(api: FlaskClient, ada: Person, root: Person) -> None:
    session_id = predict(api, ada.token)
    rate(api, root.token, session_id, "wrong", comment="Much too low.")
    assert statistics(api, root.token, session_id) == statistics(api, ada.token, session_id)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"session_id", "rating"}),
        ({"session_id": "7", "rating": "bad"}, {"session_id", "rating"}),
        (
            {"session_id": UNKNOWN_ID, "rating": "bad", "comment": "x" * 1001},
            {"session_id", "rating", "comment"},
        ),
        ({"session_id": UNKNOWN_ID, "rating": "good"}, {"session_id"}),
        ({"session_id": None, "rating": "good"}, {"session_id"}),
        ({"session_id": UNKNOWN_ID, "rating": True, "comment": 5}, {"session_id", "rating", "comment"}),
    ],
)
def test_every_bad_field_is_reported(
    api: FlaskClient, ada: Person, body: dict[str, Any], fields: set[str]
) -> None:
    answer = api.post(PATH, json=body, headers=bearer(ada.token))
    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == fields


def test_comment_has_up_to_1000_characters(api: FlaskClient, ada: Person) -> None:
    session_id = predict(api, ada.token)
    assert rate(api, ada.token, session_id, "good", comment="ü" * 1000)["comment"] == "ü" * 1000


@pytest.mark.parametrize(
    "session_id", ["7", "nonsense", "%00", UNKNOWN_ID.replace("-", ""), f"%7B{UNKNOWN_ID}%7D"]
)
def test_invalid_session_id_is_not_found(api: FlaskClient, ada: Person, session_id: str) -> None:
    answer = api.get(f"{PATH}/{session_id}", headers=bearer(ada.token))
    assert answer.status_code == 404
    assert shaped({"message": str}, answer.json)


# Learning


def _range(api: FlaskClient, token: str, zip_code: str) -> tuple[float, float, float]:
    body = api.post("/api/v1/predict", json={**ASK, "zip_code": zip_code}, headers=bearer(token)).get_json()
    local = body["local_prediction"]
    return (
        local["low_total_estimate"],
        local["average_total_estimate"],
        local["high_total_estimate"],
    )


def test_wrong_ratings_widen_the_range_but_keep_the_average(api: FlaskClient, ada: Person) -> None:
    low, average, high = _range(api, ada.token, "90210")
    for zip_code in ("90211", "90212"):
        rate(api, ada.token, predict(api, ada.token, zip_code=zip_code), "wrong")
    wider_low, same, wider_high = _range(api, ada.token, "90213")
    assert same == average
    assert wider_low < low
    assert wider_high > high


def test_only_a_users_latest_rating_of_a_prediction_is_learned(api: FlaskClient, ada: Person) -> None:
    session_id = predict(api, ada.token)
    for _ in range(5):
        rate(api, ada.token, session_id, "wrong")
    after_wrong = _range(api, ada.token, "90211")
    rate(api, ada.token, predict(api, ada.token, problem_identifier="brake-pads-rear"), "wrong")
    assert _range(api, ada.token, "90213") == after_wrong  # the range of another repair
    rate(api, ada.token, session_id, "good")
    assert _range(api, ada.token, "90212") == _range(api, ada.token, "90210")


def test_test_ratings_do_not_affect_live(api: FlaskClient, ada: Person) -> None:
    test = ada.keys("test").secret_key
    before = _range(api, ada.token, "90210")
    for zip_code in ("90211", "90212"):
        rate(api, test, predict(api, test, zip_code=zip_code), "wrong")
    assert _range(api, ada.token, "90213") == before
