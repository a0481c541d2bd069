"""Many predictions at once, over HTTP."""

from flask.testing import FlaskClient
from tests.http.people import Person, bearer
from tests.http.shape import nullable, shaped

from repaircore.batches.model import MOST_ITEMS

ITEM = {
    "year": 2015,
    "make": "Toyota",
    "model": "Camry",
    "zip_code": "60601",
    "problem_identifier": "brake-pads-front",
}


def test_each_item_has_a_result_or_an_error(ada: Person) -> None:
    answer = ada.post("/api/v1/predict/batch", {"items": [{"id": "a", **ITEM}, {**ITEM, "zip_code": "x"}]})
    assert answer.status_code == 200
    data = answer.get_json()["data"]
    assert (data["succeeded"], data["failed"]) == (1, 1)
    good, bad = data["results"]
    assert (good["index"], good["id"], good["error"]) == (0, "a", None)
    prediction = good["prediction"]
    assert prediction["labor_total"] + prediction["parts_total"] == prediction["average_total"]
    assert shaped({"message": str, "error_code": nullable(str), "errors": {"zip_code": [str]}}, bad["error"])
    history = ada.get("/api/v1/predict/history").get_json()["data"]
    assert [entry["session_id"] for entry in history] == [prediction["session_id"]]


def test_batch_needs_a_secret_key(ada: Person, api: FlaskClient) -> None:
    keys = ada.keys()
    for token, status in ((keys.public_key, 403), (keys.secret_key, 200)):
        answer = api.post("/api/v1/predict/batch", json={"items": [ITEM]}, headers=bearer(token))
        assert answer.status_code == status


def test_items_must_be_a_list_of_objects_within_the_limit(ada: Person) -> None:
    for body, field in (
        ({}, "items"),
        ({"items": []}, "items"),
        ({"items": "x"}, "items"),
        ({"items": ["x"]}, "items.0"),
        ({"items": [ITEM] * (MOST_ITEMS + 1)}, "items"),
    ):
        answer = ada.post("/api/v1/predict/batch", body)
        assert answer.status_code == 422
        assert answer.get_json()["errors"].keys() == {field}


def test_batches_of_two_users_have_separate_sessions(ada: Person, eve: Person) -> None:
    mine = ada.post("/api/v1/predict/batch", {"items": [ITEM]}).get_json()["data"]["results"][0]
    theirs = eve.post("/api/v1/predict/batch", {"items": [ITEM]}).get_json()["data"]["results"][0]
    assert mine["prediction"]["session_id"] != theirs["prediction"]["session_id"]
    assert mine["prediction"]["average_total"] == theirs["prediction"]["average_total"]
