"""How a place affects an estimate, over both databases: its labor rate, and fees set by law."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.http.people import ASK, Person, bearer
from tests.http.prediction_shapes import PREDICTION
from tests.http.shape import shaped


def predict(ada: Person, zip_code: str, repair: str = "alternator") -> Any:
    api: FlaskClient = ada.client
    body = {**ASK, "zip_code": zip_code, "problem_identifier": repair}
    answer = api.post("/api/v1/predict", json=body, headers=bearer(ada.keys("live").secret_key))
    assert answer.status_code == 200, answer.text
    assert shaped(PREDICTION, answer.json)
    return answer.get_json()


@pytest.mark.parametrize(
    ("zip_code", "source", "words"),
    [
        ("10001", "metro_table", "the New York area"),
        ("59215", "rural_table", "rural MT"),
        ("00901", "territory_table", "Puerto Rico (our estimate)"),
        ("09012", "national", "a military post office (AE)"),
    ],
)
def test_every_place_has_a_labor_rate_with_its_source(
    ada: Person, zip_code: str, source: str, words: str
) -> None:
    region = predict(ada, zip_code)["region"]

    assert region["labor_rate_source"] == source
    assert words in region["labor_rate_text"]


def test_new_york_is_dearer_than_mississippi(ada: Person) -> None:
    dear, cheap = predict(ada, "10001"), predict(ada, "39201")

    assert dear["region"]["labor_rate"] > 1.3 * cheap["region"]["labor_rate"]
    averages = [one["local_prediction"]["average_total_estimate"] for one in (dear, cheap)]
    assert averages[0] > averages[1]


def test_fee_set_by_law_is_the_estimate(ada: Person) -> None:
    body = predict(ada, "23220", "state-safety-inspection")

    local = body["local_prediction"]
    assert [local[f"{name}_total_estimate"] for name in ("low", "average", "high")] == [20.0, 20.0, 20.0]
    assert body["repair_breakdown"]["total_estimate"] == 20.0
    assert body["explanation"][0]["text"] == "VA sets the fee: $20.00 (each year), as of 2025."
    assert body["warnings"] == []


@pytest.mark.parametrize(
    ("zip_code", "repair", "warning"),
    [
        ("33101", "state-safety-inspection", "not_required_in_state"),
        ("33101", "emissions-test", "not_required_in_state"),
        ("60601", "emissions-test", "free_at_state_stations"),
    ],
)
def test_missing_fee_has_a_warning(ada: Person, zip_code: str, repair: str, warning: str) -> None:
    body = predict(ada, zip_code, repair)

    assert warning in body["warnings"]
    assert body["explanation"][0]["step"] == "fee set by law"
    assert body["local_prediction"]["average_total_estimate"] > 0
