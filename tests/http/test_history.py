"""Past predictions, over both databases: listed in pages, red flags, and linked to an e-mail."""

from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ACCORD, ASK, SPECS, Person, bearer, promoted
from tests.http.shape import CURSORS, moment, money, nullable, number, shaped, uuid
from tests.http.test_predictions import record, with_models
from tests.writes import unwritten

from repaircore.core import Core
from repaircore.testing.clock import FrozenClock

HISTORY, RED_FLAGS, LINK = (f"/api/v1/predict/{name}" for name in ("history", "red-flags", "link-email"))
ENTRY: dict[str, Any] = {
    "id": int,
    "session_id": uuid,
    "vin": nullable(str),
    "vehicle_name": nullable(str),
    "problem_name": lambda text: text.count(" > ") == 1,
    "red_flag": bool,
    "red_flag_reason": nullable(str),
    "match_percentage": nullable(number),
    "local_average_estimate": money,
    "ai_average_estimate": nullable(money),
    "feedbacks_count": int,
    "good_feedbacks_count": int,
    "created_at": moment,
}
META = {"current_page": int, "per_page": int, "total": int, "last_page": int, **CURSORS}
ZIPS = ("90210", "90211", "90212", "10001", "60601", "77001", "02108")


def predict(api: FlaskClient, token: str, **changes: Any) -> Any:
    answer = api.post("/api/v1/predict", json={**ASK, **changes}, headers=bearer(token))
    assert answer.status_code == 200, answer.text
    return answer.json


def list_history(api: FlaskClient, token: str, query: str = "") -> Any:
    answer = api.get(f"{HISTORY}{query}", headers=bearer(token))
    assert answer.status_code == 200, answer.text
    assert shaped({"success": True, "data": [ENTRY], "meta": META}, answer.json)
    return answer.json


def list_red_flags(api: FlaskClient, token: str) -> Any:
    answer = api.get(RED_FLAGS, headers=bearer(token))
    assert answer.status_code == 200, answer.text
    assert shaped({"success": True, "data": [ENTRY]}, answer.json)
    return answer.get_json()["data"]


@pytest.fixture
def root(core: Core, eve: Person) -> Person:
    return promoted(core, eve)


# History


def test_entry_shows_the_computed_prediction(
    api: FlaskClient, core: Core, ada: Person, clock: FrozenClock
) -> None:
    result = predict(api, ada.token)
    for rating in ("good", "wrong", "good"):
        ada.post("/api/v1/predict/feedback", {"session_id": result["session_id"], "rating": rating})
    core.predictions.adjust_prices(50)
    (entry,) = list_history(api, ada.token)["data"]
    assert entry == {
        "id": entry["id"],
        "session_id": result["session_id"],
        "vin": ACCORD,
        "vehicle_name": "2003 Honda Accord",
        "problem_name": "Brakes > Front Brake Pads",
        "red_flag": False,
        "red_flag_reason": None,
        "match_percentage": result["match_percentage"],
        "local_average_estimate": result["local_prediction"]["average_total_estimate"],
        "ai_average_estimate": result["aggregated_ai_average"],
        "feedbacks_count": 3,
        "good_feedbacks_count": 2,
        "created_at": clock().strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def test_pages_are_newest_first_and_complete(api: FlaskClient, ada: Person) -> None:
    sessions = [predict(api, ada.token, zip_code=code)["session_id"] for code in ZIPS]
    predict(api, ada.token, zip_code=ZIPS[0])  # repeated: no new entry
    found: list[str] = []
    for number_ in range(1, 5):
        page = list_history(api, ada.token, f"?page={number_}&per_page=2")
        meta = {"current_page": number_, "per_page": 2, "total": 7, "last_page": 4}
        assert shaped({**meta, **CURSORS}, page["meta"])
        found += [entry["session_id"] for entry in page["data"]]
    assert found == sessions[::-1]
    assert list_history(api, ada.token)["meta"]["per_page"] == 15
    for beyond in (5, 2**63 - 1):
        assert list_history(api, ada.token, f"?page={beyond}&per_page=2")["data"] == []


def test_empty_history_is_one_empty_page(api: FlaskClient, ada: Person) -> None:
    assert list_history(api, ada.token) == {
        "success": True,
        "data": [],
        "meta": {
            "current_page": 1,
            "per_page": 15,
            "total": 0,
            "last_page": 1,
            "next_cursor": None,
            "previous_cursor": None,
        },
    }


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("page=0", {"page"}),
        ("page=x&per_page=101", {"page", "per_page"}),
        ("per_page=0", {"per_page"}),
        ("page=1&page=2", {"page"}),
        ("page=99999999999999999999", {"page"}),
    ],
)
def test_bad_pages_are_reported(api: FlaskClient, ada: Person, query: str, fields: set[str]) -> None:
    answer = api.get(f"{HISTORY}?{query}", headers=bearer(ada.token))
    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == fields


def test_users_see_their_own_predictions_and_admins_all(api: FlaskClient, ada: Person, root: Person) -> None:
    adas = predict(api, ada.token)["session_id"]
    roots = predict(api, root.token)["session_id"]
    assert [entry["session_id"] for entry in list_history(api, ada.token)["data"]] == [adas]
    assert [entry["session_id"] for entry in list_history(api, root.token)["data"]] == [roots, adas]


def test_environments_have_separate_histories(api: FlaskClient, ada: Person, root: Person) -> None:
    test = predict(api, ada.keys("test").secret_key)["session_id"]
    live = predict(api, ada.token)["session_id"]
    for owner in (ada, root):
        sessions = {
            name: [entry["session_id"] for entry in list_history(api, owner.keys(name).secret_key)["data"]]
            for name in ("test", "live")
        }
        assert sessions == {"test": [test], "live": [live]}


@pytest.mark.parametrize("path", [HISTORY, RED_FLAGS])
@pytest.mark.parametrize("environment", ["test", "live"])
def test_publishable_key_lists_nothing(
    api: FlaskClient, ada: Person, root: Person, path: str, environment: str
) -> None:
    for owner in (ada, root):
        answer = api.get(path, headers=bearer(owner.keys(environment).public_key))
        assert (answer.status_code, answer.json) == (403, {"message": "This action is unauthorized."})


def test_vehicle_found_by_specs_has_a_masked_vin(api: FlaskClient, ada: Person) -> None:
    vin = "4T1BF1FK5FU"
    vehicle = predict(api, ada.token, vin=vin)["vehicle"]
    specs = {**SPECS, "year": vehicle["year"], "make": vehicle["make"], "model": vehicle["model"]}
    result = ada.post(
        "/api/v1/predict/by-specs", {**specs, "trim": vehicle["trim"], "engine": "2.5 gas"}
    ).get_json()
    entry = list_history(api, ada.token)["data"][0]
    assert entry["session_id"] == result["session_id"]
    assert entry["vin"] == result["vehicle_match"]["vehicle_used"]["vin"] == "4T1BF1FK5********"
    assert entry["vehicle_name"] == f"{vehicle['year']} {vehicle['make']} {vehicle['model']}"


def test_listing_writes_nothing(api: FlaskClient, ada: Person, database_url: str) -> None:
    predict(api, ada.token)
    key = ada.keys().secret_key
    list_history(api, key)  # records the key's use
    with unwritten(database_url):
        list_history(api, key)
        list_red_flags(api, key)


# Red flags


def test_red_flags_are_listed_alone_and_newest_first(
    core: Core, api: FlaskClient, open_core: OpenCore, ada: Person, root: Person
) -> None:
    record(core, predict(api, ada.token)["vehicle"]["id"], *[1.1] * 6)
    far = with_models(open_core, 1200_00, 1300_00)
    flagged = [predict(far, ada.token, zip_code=code) for code in ZIPS[1:4]]
    assert all(one["red_flag"] for one in flagged)
    shown = list_red_flags(api, ada.token)
    assert [entry["session_id"] for entry in shown] == [one["session_id"] for one in flagged[::-1]]
    assert shown[0]["red_flag_reason"] == flagged[-1]["red_flag_reason"]
    assert list_red_flags(api, root.token) == shown
    assert list_red_flags(api, ada.keys("test").secret_key) == []
    assert list_red_flags(api, root.keys("test").secret_key) == []


def test_another_user_sees_no_red_flags(
    core: Core, api: FlaskClient, open_core: OpenCore, ada: Person, eve: Person
) -> None:
    record(core, predict(api, ada.token)["vehicle"]["id"], *[1.1] * 6)
    predict(with_models(open_core, 1200_00, 1300_00), ada.token, zip_code="90211")
    assert list_red_flags(api, eve.token) == []


# Linking an e-mail


def link(api: FlaskClient, token: str, session_id: object, email: object) -> Any:
    return api.post(LINK, json={"session_id": session_id, "email": email}, headers=bearer(token))


def test_linked_email_is_normalized(api: FlaskClient, ada: Person) -> None:
    session_id = predict(api, ada.token)["session_id"]
    for email in (" Bo@Example.ORG ", "other@example.org"):
        answer = link(api, ada.token, session_id, email)
        assert answer.status_code == 200
        data = {"session_id": session_id, "email": email.strip().lower()}
        assert shaped({"success": True, "message": str, "data": data}, answer.json)


def test_prediction_of_another_user_is_not_linked(api: FlaskClient, ada: Person, root: Person) -> None:
    session_id = predict(api, ada.token)["session_id"]
    unknown = str(UUID(int=7))
    for stranger in (root.token, ada.keys("test").secret_key):
        answers = [link(api, stranger, which, "bo@example.org") for which in (session_id, unknown)]
        assert [answer.status_code for answer in answers] == [422, 422]
        assert answers[0].json == answers[1].json
        assert shaped({"message": str, "errors": {"session_id": [str]}}, answers[0].json)


@pytest.mark.parametrize(
    "email", ["", "nobody", "a@b", "a b@example.org", "x" * 250 + "@example.org", None, 5]
)
def test_link_reports_every_bad_field(api: FlaskClient, ada: Person, email: object) -> None:
    answer = link(api, ada.token, str(UUID(int=7)), email)
    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == {"session_id", "email"}
