"""When a repair is needed again and what follows it, over both databases."""

from datetime import date, timedelta
from typing import Any

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.http.people import ACCORD, Person, bearer
from tests.http.shape import CURSORS, moment, nullable, number, shaped

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Environment, Role
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.repair_intervals.validation import PredictInterval
from repaircore.testing.clock import FrozenClock

LIFECYCLE, SEQUENCE = "/api/v1/predict/repair-lifecycle", "/api/v1/predict/repair-sequence"
HISTORY = f"{LIFECYCLE}/history"
ASK = {"vin": ACCORD, "problem_identifier": "brake-pads-front"}
MILES = {"low": int, "mid": int, "high": int}
FACTOR = {"name": str, "value": nullable(number), "weight": number, "effect": number}
PROBLEM = {"id": int, "slug": str, "display_name": str}
LIFECYCLE_PREDICTION: dict[str, Any] = {
    "id": int,
    "vin": str,
    "vehicle": str,
    "problem": PROBLEM,
    "mileage": nullable(int),
    "performed_on": nullable(str),
    "expected_return": {
        "miles": MILES,
        "months": {"low": number, "mid": number, "high": number},
        "first": str,
        "dates": nullable({"low": str, "mid": str, "high": str}),
        "odometer": nullable(MILES),
    },
    "basis": str,
    "sample_size": int,
    "factors": [FACTOR],
    "warnings": [str],
    "created_at": moment,
}
SEQUENCE_PREDICTION: dict[str, Any] = {
    "problem": PROBLEM,
    "vehicle": nullable(str),
    "follow_ups": [
        {
            "rank": int,
            "problem": PROBLEM,
            "probability": nullable(number),
            "typical_delay_days": nullable(int),
            "lift": nullable(number),
            "sample_size": int,
            "source": str,
        }
    ],
    "basis": str,
    "sample_size": int,
    "factors": [FACTOR],
}
META = {"current_page": int, "per_page": int, "total": int, "last_page": int, **CURSORS}


def post(api: FlaskClient, token: str, path: str, shape: Any, **body: Any) -> Any:
    answer = api.post(path, json=body, headers=bearer(token))
    assert answer.status_code == 200, answer.text
    assert shaped({"success": True, "data": shape}, answer.json)
    return answer.get_json()["data"]


def predict_lifecycle(person: Person, **changes: Any) -> Any:
    return post(person.client, person.token, LIFECYCLE, LIFECYCLE_PREDICTION, **{**ASK, **changes})


def predict_sequence(person: Person, **changes: Any) -> Any:
    body = {"problem_identifier": "brake-pads-front", **changes}
    return post(person.client, person.token, SEQUENCE, SEQUENCE_PREDICTION, **body)


def list_history(person: Person, token: str | None = None, query: str = "") -> Any:
    answer = person.client.get(HISTORY + query, headers=bearer(token or person.token))
    assert answer.status_code == 200, answer.text
    assert shaped({"success": True, "data": [LIFECYCLE_PREDICTION], "meta": META}, answer.json)
    return answer.json


def record_repair(
    core: Core, vin: str, days_ago: int, problem_id: int = 101, environment: Environment = Environment.LIVE
) -> None:
    sale = CreateTransaction(
        vehicle_id=core.vehicles.resolve(ACCORD).id,
        problem_id=problem_id,
        performed_on=date(2026, 1, 2) - timedelta(days=days_ago),
        labor_hours=1.1,
        labor_rate=150_00,
        vin=vin,
    )
    core.transactions.record(sale, evolve(LOCAL, environment=environment))


def car(number_: int) -> str:
    return f"{ACCORD[:11]}{number_:06}"


# Lifecycle


def test_lifecycle_without_history_follows_the_book(ada: Person) -> None:
    found = predict_lifecycle(ada)

    assert (found["basis"], found["sample_size"]) == ("book", 0)
    assert found["expected_return"]["months"]["mid"] == pytest.approx(48, rel=0.06)
    assert (found["expected_return"]["dates"], found["expected_return"]["odometer"]) == (None, None)


def test_lifecycle_has_dates_and_readings_of_the_return(ada: Person) -> None:
    found = predict_lifecycle(ada, performed_on="2025-01-02", mileage=90_000)["expected_return"]

    assert "2026-01-02" < found["dates"]["low"] < found["dates"]["mid"] < found["dates"]["high"]
    assert 102_000 <= found["odometer"]["low"] < found["odometer"]["mid"] < found["odometer"]["high"]


def test_lifecycle_learns_from_the_history_of_other_cars(core: Core, ada: Person) -> None:
    for number_ in range(40):
        for days_ago in (900, 600, 300):
            record_repair(core, car(number_), days_ago)
    found = predict_lifecycle(ada)
    assert (found["basis"], found["sample_size"]) == ("history", 80)
    assert found["expected_return"]["months"]["mid"] < 20
    assert [one["name"] for one in found["factors"]] == ["book", "history", "make", "model", "miles_a_month"]
    own = predict_lifecycle(ada, vin=car(3))["factors"]

    assert [one["value"] for one in own if one["name"] == "car"] == [2]


def test_lifecycle_counts_repairs_as_holding_while_their_cars_have_invoices(core: Core, ada: Person) -> None:
    by_the_book = predict_lifecycle(ada)["expected_return"]["months"]
    for number_ in range(10):
        record_repair(core, car(number_), 740)
    assert predict_lifecycle(ada)["expected_return"]["months"] == by_the_book
    for number_ in range(10, 20):
        record_repair(core, car(number_), 720)

    assert predict_lifecycle(ada)["expected_return"]["months"]["low"] > by_the_book["low"]


def test_lifecycle_learns_test_and_live_separately(core: Core, ada: Person) -> None:
    for days_ago in (900, 600, 300):
        record_repair(core, car(1), days_ago, environment=Environment.TEST)
    assert predict_lifecycle(ada)["basis"] == "book"
    key = ada.keys("test").secret_key

    assert post(ada.client, key, LIFECYCLE, LIFECYCLE_PREDICTION, **ASK)["basis"] == "history"
    assert len(list_history(ada)["data"]) == 1
    assert len(list_history(ada, key)["data"]) == 1


def test_lifecycle_of_a_doubtful_vehicle_has_warnings(ada: Person) -> None:
    found = predict_lifecycle(ada, vin=ACCORD[:-1] + "3", problem_identifier="ev-annual-service")

    assert found["warnings"] == ["vin_check_digit", "problem_does_not_fit_vehicle"]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"vin", "problem_identifier"}),
        ({"vin": "x", "problem_identifier": "nothing"}, {"vin", "problem_identifier"}),
        ({"vin": 5, "problem_identifier": "nothing"}, {"vin", "problem_identifier"}),
        ({**ASK, "mileage": -1, "performed_on": "2026-01-04"}, {"mileage", "performed_on"}),
        ({**ASK, "mileage": 2_000_001, "performed_on": "yesterday"}, {"mileage", "performed_on"}),
        ({**ASK, "mileage": True, "performed_on": "1949-12-31"}, {"mileage", "performed_on"}),
        ({**ASK, "performed_on": "2001-12-31"}, {"performed_on"}),
        ({**ASK, "vin": None}, {"vin"}),
        ({**ASK, "vin": "00000000-0000-4000-8000-000000000000"}, {"vin"}),
    ],
)
def test_lifecycle_reports_bad_fields(ada: Person, body: dict[str, Any], fields: set[str]) -> None:
    answer = ada.client.post(LIFECYCLE, json=body, headers=bearer(ada.token))

    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == fields


def test_lifecycle_of_an_unknown_vin_is_not_found(ada: Person) -> None:
    for path in (LIFECYCLE, SEQUENCE):
        answer = ada.client.post(path, json={**ASK, "vin": "00000000000"}, headers=bearer(ada.token))
        assert (answer.status_code, answer.get_json()["error_code"]) == (404, "VEHICLE_NOT_FOUND")


# History of lifecycles


def test_lifecycle_history_has_own_entries_and_all_for_admins(core: Core, ada: Person, eve: Person) -> None:
    first, second = predict_lifecycle(ada, mileage=1), predict_lifecycle(ada, performed_on="2025-12-01")
    others = predict_lifecycle(eve)
    assert list_history(ada)["data"] == [second, first]
    assert list_history(eve)["data"] == [others]
    core.accounts.set_role(eve.email, Role.ADMIN)

    assert list_history(eve)["data"] == [others, second, first]
    assert list_history(ada, query="?page=2&per_page=1")["data"] == [first]
    assert list_history(ada, query="?page=3&per_page=1")["data"] == []


def test_lifecycle_history_rejects_a_publishable_key(ada: Person) -> None:
    key = ada.keys("live").public_key
    post(ada.client, key, LIFECYCLE, LIFECYCLE_PREDICTION, **ASK)

    assert ada.client.get(HISTORY, headers=bearer(key)).status_code == 403


def test_lifecycle_history_reports_a_bad_page(ada: Person) -> None:
    answer = ada.client.get(f"{HISTORY}?page=0&per_page=101", headers=bearer(ada.token))

    assert (answer.status_code, set(answer.get_json()["errors"])) == (422, {"page", "per_page"})


# Sequence


def test_sequence_without_history_lists_the_books_follow_ups(ada: Person) -> None:
    found = predict_sequence(ada)

    assert (found["basis"], found["sample_size"], found["vehicle"]) == ("book", 0, None)
    assert [one["rank"] for one in found["follow_ups"]] == [1, 2, 3]
    assert {(one["source"], one["probability"]) for one in found["follow_ups"]} == {("book", None)}


def test_sequence_counts_later_repairs(core: Core, ada: Person) -> None:
    for number_ in range(20):
        record_repair(core, car(number_), 300, problem_id=101)
        record_repair(core, car(number_), 290, problem_id=115)
        record_repair(core, car(100 + number_), 200, problem_id=601)
    (only,) = predict_sequence(ada, vin=ACCORD)["follow_ups"]

    assert (only["problem"]["id"], only["source"]) == (115, "history")
    assert (only["typical_delay_days"], only["sample_size"]) == (10, 20)
    assert only["lift"] > 1.3
    assert 0.5 < only["probability"] < 1


def test_sequence_reports_bad_fields(ada: Person) -> None:
    body = {"problem_identifier": "nothing", "vin": "x"}
    answer = ada.client.post(SEQUENCE, json=body, headers=bearer(ada.token))

    assert (answer.status_code, set(answer.get_json()["errors"])) == (422, {"problem_identifier", "vin"})


def test_lifecycle_counts_the_time_since_the_repair(core: Core, clock: FrozenClock) -> None:
    request = PredictInterval(
        vin=ACCORD, problem_identifier="brake-pads-front", performed_on=date(2025, 12, 1)
    )
    before = core.repair_intervals.predict(request).answer.expected.months
    clock.advance(timedelta(days=1500))
    after = core.repair_intervals.predict(request).answer.expected.months

    assert before.mid < after.mid
    assert before.low < 1530 / 30.4 < after.low
