"""Predictions by year, make and model, over both databases."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.http.people import ACCORD, ASK, SPECS, Person, bearer
from tests.http.prediction_shapes import BY_SPECS, without_session
from tests.http.shape import shaped
from tests.writes import rows, unwritten

from repaircore.testing.models import CountingPanel

PATH = "/api/v1/predict/by-specs"


@pytest.fixture
def live(ada: Person) -> str:
    return ada.keys("live").secret_key


def predict(api: FlaskClient, token: str, **changes: Any) -> Any:
    answer = api.post(PATH, json={**SPECS, **changes}, headers=bearer(token))
    assert answer.status_code == 200, answer.text
    assert shaped(BY_SPECS, answer.json)
    return answer.json


def test_catalog_vehicle_is_stored(api: FlaskClient, live: str, database_url: str) -> None:
    first = predict(api, live)
    assert first["vehicle_match"]["source"] == "catalog"
    assert first["vehicle_match"]["vehicle_used"]["display_name"] == "2015 Toyota Camry"
    again = predict(api, live, zip_code="90210")
    assert again["vehicle_match"]["source"] == "database"
    assert again["vehicle"]["id"] == first["vehicle"]["id"]
    assert rows(database_url)["vehicles"] == 1


def test_repeated_request_reuses_the_session_and_writes_nothing(
    api: FlaskClient, live: str, panel: CountingPanel, database_url: str
) -> None:
    first = predict(api, live)
    with unwritten(database_url):
        again = predict(api, live)
    assert (again["session_id"], again["memory_source"]) == (first["session_id"], "cached")
    assert panel.calls == 1


@pytest.mark.parametrize(
    ("trim", "warnings"),
    [("Zyx 9000", ["trim_unknown"]), ("hybrid le", []), ("AWD", []), (None, []), ("", []), (" ", [])],
)
def test_unknown_trim_has_a_warning(
    api: FlaskClient, live: str, trim: str | None, warnings: list[str]
) -> None:
    assert predict(api, live, trim=trim)["warnings"] == warnings
    assert predict(api, live, trim=trim)["warnings"] == warnings


@pytest.mark.parametrize("make", ["toyota", " TOYOTA ", "Toyota"])
def test_names_match_in_any_case(api: FlaskClient, live: str, make: str) -> None:
    assert predict(api, live, make=make)["vehicle"]["make"] == "Toyota"


def test_stored_vehicle_is_used_and_its_vin_is_masked(api: FlaskClient, live: str) -> None:
    payload = api.post("/api/v1/predict", json={**ASK, "vin": ACCORD}, headers=bearer(live)).get_json()
    specs = {"year": 2003, "make": "Honda", "model": "Accord", "trim": "EX-V6", "engine": "3.0"}
    body = predict(api, live, **specs, zip_code="90210")
    used = body["vehicle_match"]["vehicle_used"]
    assert (body["vehicle_match"]["source"], body["vehicle_match"]["matched_count"]) == ("database", 1)
    assert used["vin"] == "1HGCM8263********"
    assert used["id"] == payload["vehicle"]["id"]
    assert body["session_id"] == payload["session_id"]
    assert body["vehicle"].pop("vin") == used["vin"]
    assert payload["vehicle"].pop("vin") == ACCORD[:11]
    del body["vehicle_match"]
    assert without_session(body) == without_session(payload)


def test_facts_of_one_cars_vin_do_not_apply_to_another(api: FlaskClient, live: str) -> None:
    plain = {"year": 2003, "make": "Honda", "model": "Accord", "zip_code": "90210"}
    before = predict(api, live, **plain)
    payload = api.post("/api/v1/predict", json={**ASK, "vin": ACCORD}, headers=bearer(live)).get_json()
    again = predict(api, live, **plain)
    assert again["vehicle_match"]["vehicle_used"] == before["vehicle_match"]["vehicle_used"]
    assert again["vehicle"]["engine"] != payload["vehicle"]["engine"]


@pytest.mark.parametrize(
    "changes", [{"make": "Nobody"}, {"model": "F-150"}, {"year": 1900}, {"year": 2100}, {"model": "%"}]
)
def test_unknown_vehicle_is_not_found(
    api: FlaskClient, live: str, changes: dict[str, Any], database_url: str
) -> None:
    before = rows(database_url)
    answer = api.post(PATH, json={**SPECS, **changes}, headers=bearer(live))
    assert answer.status_code == 404
    assert shaped({"success": False, "message": str}, answer.json)
    assert rows(database_url) == before


def test_every_bad_field_is_reported(api: FlaskClient, live: str) -> None:
    bad = {
        "year": 1899,
        "make": " ",
        "model": "m" * 101,
        "trim": 5,
        "engine": "e" * 101,
        "zip_code": "1234",
        "problem_identifier": "nope",
    }
    answer = api.post(PATH, json=bad, headers=bearer(live))
    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {name: [str] for name in bad}}, answer.json)


def test_every_missing_field_is_reported(api: FlaskClient, live: str) -> None:
    answer = api.post(PATH, json={}, headers=bearer(live))
    assert answer.status_code == 422
    required = ["year", "make", "model", "zip_code", "problem_identifier"]
    assert list(answer.get_json()["errors"]) == required


def test_invalid_engine_lists_the_vehicles_engines(api: FlaskClient, live: str) -> None:
    answer = api.post(PATH, json={**SPECS, "engine": "e" * 1000}, headers=bearer(live))
    assert answer.status_code == 422
    assert list(answer.get_json()["errors"]) == ["engine"]
    texts = " ".join(answer.get_json()["errors"]["engine"])
    assert "must not be longer than 100 characters" in texts
    assert "2.5L I4 hybrid" in texts
    assert "3.5L V6" in texts


@pytest.mark.parametrize("changes", [{"year": 1899}, {"make": ""}, {"model": "m" * 101}, {"make": "Nobody"}])
def test_invalid_engine_of_an_unknown_model_lists_no_engines(
    api: FlaskClient, live: str, changes: dict[str, Any]
) -> None:
    answer = api.post(PATH, json={**SPECS, **changes, "engine": "e" * 1000}, headers=bearer(live))
    assert answer.status_code == 422
    assert len(answer.get_json()["errors"]["engine"]) == 1


@pytest.mark.parametrize("value", [5, ["V6"], {"liters": 2.5}, True], ids=str)
def test_choice_of_a_wrong_type_lists_the_choices(api: FlaskClient, live: str, value: Any) -> None:
    body = {**SPECS, "engine": value, "parts_tier": value}
    answer = api.post(PATH, json=body, headers=bearer(live))

    assert answer.status_code == 422
    engine = " ".join(answer.get_json()["errors"]["engine"])
    assert "must be a string" in engine
    assert "2.5L I4 hybrid" in engine
    assert "economy, aftermarket, oem" in answer.get_json()["errors"]["parts_tier"][0]


@pytest.mark.parametrize("value", [5, ["oem"], {}, "gold"], ids=str)
def test_unknown_grade_lists_the_grades(api: FlaskClient, live: str, value: Any) -> None:
    answer = api.post("/api/v1/predict", json={**ASK, "parts_tier": value}, headers=bearer(live))

    assert answer.status_code == 422
    assert [*answer.get_json()["errors"]] == ["parts_tier"]
    assert "economy, aftermarket, oem" in answer.get_json()["errors"]["parts_tier"][0]


@pytest.mark.parametrize("path", ["/api/v1/predict", PATH])
def test_document_describes_grades_and_force(api: FlaskClient, path: str) -> None:
    document = api.get("/api/openapi.json").get_json()
    body = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    fields = body["properties"]

    assert fields["parts_tier"]["enum"] == ["economy", "aftermarket", "oem", None]
    assert fields["parts_tier"]["description"]
    assert fields["force"]["description"]


@pytest.mark.parametrize(
    ("make", "model", "meant"),
    [
        ("Toyoda", "Camry", "Toyota Camry"),
        ("Toyota", "Camery", "Toyota Camry"),
        ("Honda", "Camry", "Toyota Camry"),
    ],
)
def test_misspelled_model_gets_a_suggestion(
    api: FlaskClient, live: str, make: str, model: str, meant: str
) -> None:
    answer = api.post(PATH, json={**SPECS, "make": make, "model": model}, headers=bearer(live))
    assert answer.status_code == 404
    assert f"Did you mean {meant}?" in answer.text
