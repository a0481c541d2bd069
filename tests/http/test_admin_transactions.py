"""Transactions over HTTP, on both databases: bodies field by field, bad input, and fields that cannot be assigned."""

from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from tests.http.people import ACCORD, ASK, Keys, Person, bearer, promoted
from tests.http.shape import CURSORS, moment, money, nullable, number, shaped, uuid

from repaircore.core import Core
from repaircore.facilities.model import CreateFacility

PATH = "/api/v1/admin/transactions"

RECORD = {
    "id": int,
    "vehicle_id": uuid,
    "facility_id": nullable(int),
    "problem_id": int,
    "car": nullable(str),
    "session_id": nullable(uuid),
    "performed_on": str,
    "mileage": nullable(int),
    "parts": [{"name": str, "unit_price": money, "quantity": int}],
    "labor_hours": number,
    "labor_rate": money,
    "parts_total": money,
    "labor_total": money,
    "total": money,
    "notes": nullable(str),
    "review": bool,
    "version": int,
    "created_at": moment,
}

FIGURES = {
    "count": int,
    "parts_total": money,
    "labor_total": money,
    "total": money,
    "average_total": nullable(money),
}

STATS = {
    **FIGURES,
    "average_parts_total": nullable(money),
    "average_labor_total": nullable(money),
    "by_month": [{"month": str, **FIGURES}],
}


@pytest.fixture
def root(core: Core, eve: Person) -> Person:
    return promoted(core, eve)


@pytest.fixture
def keys(root: Person) -> dict[str, Keys]:
    return {name: root.keys(name) for name in ("test", "live")}


@pytest.fixture
def body(core: Core) -> dict[str, Any]:
    return {
        "vehicle_id": str(core.vehicles.resolve(ACCORD[:11]).id),
        "problem_id": 101,
        "performed_on": "2025-12-01",
        "mileage": 72_500,
        "parts": [
            {"name": "Front brake pad set", "unit_price": 66.05, "quantity": 1},
            {"name": "Brake hardware kit", "unit_price": 14, "quantity": 2},
        ],
        "labor_hours": 1.1,
        "labor_rate": 150,
        "notes": "squeaked",
    }


def put(root: Person, number: int, body: Any) -> Any:
    return root.client.put(f"{PATH}/{number}", json=body, headers=bearer(root.token))


def create(root: Person, body: Any) -> dict[str, Any]:
    answer = root.post(PATH, body)

    assert answer.status_code == 201, answer.text
    result: dict[str, Any] = answer.get_json()["data"]
    return result


def test_transaction_is_created_shown_and_deleted(root: Person, body: dict[str, Any], core: Core) -> None:
    answer = root.post(PATH, body)

    assert answer.status_code == 201, answer.text
    assert shaped({"success": True, "message": str, "data": RECORD}, answer.json)
    stored = answer.get_json()["data"]

    assert {name: stored[name] for name in body} == body
    assert (stored["parts_total"], stored["labor_total"], stored["total"]) == (94.05, 165.0, 259.05)
    assert root.get(f"{PATH}/{stored['id']}").json == {"success": True, "data": stored}
    deleted = root.delete(f"{PATH}/{stored['id']}")

    assert (deleted.status_code, deleted.json) == (
        200,
        {"success": True, "message": "The transaction was deleted."},
    )
    absent = root.get(f"{PATH}/{stored['id']}")

    assert (absent.status_code, absent.json) == (404, {"message": "Transaction not found."})
    assert [entry.action for entry in core.audit.list_newest()] == ["transaction.remove", "transaction.add"]
    assert {entry.user_id for entry in core.audit.list_newest()} == {root.id}


def test_invoice_changes_estimates_at_once_until_it_is_deleted(root: Person, body: dict[str, Any]) -> None:
    def local(zip_code: str) -> dict[str, Any]:
        result = root.post("/api/v1/predict", {**ASK, "zip_code": zip_code}).get_json()["local_prediction"]
        return {name: result[name] for name in ("average_total_estimate", "sample_size")}

    before = local("90210")
    stored = create(root, {**body, "parts": [], "parts_total": 600})
    after = local("90211")

    assert (after["sample_size"], after["average_total_estimate"] > before["average_total_estimate"]) == (
        1,
        True,
    )
    changed = put(root, stored["id"], {"parts_total": 40})

    assert changed.status_code == 200, changed.text
    assert local("90212")["average_total_estimate"] < after["average_total_estimate"]
    root.delete(f"{PATH}/{stored['id']}")

    assert local("90213") == before


def test_update_keeps_absent_fields(root: Person, body: dict[str, Any]) -> None:
    stored = create(root, body)
    answer = put(root, stored["id"], {"labor_hours": 2, "notes": None})

    assert answer.status_code == 200, answer.text
    assert shaped({"success": True, "message": str, "data": RECORD}, answer.json)
    changed = answer.get_json()["data"]
    expected = {"labor_hours": 2.0, "labor_total": 300.0, "total": 394.05, "notes": None, "version": 2}

    assert changed == {**stored, **expected}
    assert root.get(f"{PATH}/{stored['id']}").get_json()["data"] == changed


def test_second_update_of_a_version_is_a_conflict(root: Person, body: dict[str, Any]) -> None:
    stored = create(root, body)

    assert put(root, stored["id"], {"labor_hours": 2, "version": stored["version"]}).status_code == 200
    late = put(root, stored["id"], {"labor_hours": 3, "version": stored["version"]})

    assert (late.status_code, late.json) == (
        409,
        {"message": "The transaction was changed by another request. Reload it and try again."},
    )
    assert root.get(f"{PATH}/{stored['id']}").get_json()["data"]["labor_hours"] == 2


@pytest.mark.parametrize(
    "assigned",
    [
        {"id": 999},
        {"created_at": "2001-01-01T00:00:00Z"},
        {"is_admin": True, "role": "user"},
        {"environment": "test"},
        {"lesson": {"evidence": {}}, "review": True},
        {"make_key": "acura", "fingerprint": 5, "prediction_id": 3},
    ],
)
def test_internal_fields_cannot_be_assigned(
    root: Person, body: dict[str, Any], assigned: dict[str, Any]
) -> None:
    plain = create(root, body)
    stored = create(root, {**body, **assigned})
    own = {"id", "created_at"}

    assert {name: stored[name] for name in stored.keys() - own} == {
        name: plain[name] for name in plain.keys() - own
    }
    assert stored["id"] == plain["id"] + 1
    changed = put(root, stored["id"], assigned)

    assert changed.status_code == 200, changed.text
    assert changed.get_json()["data"] == stored
    assert root.get(f"{PATH}/{stored['id']}").get_json()["data"] == stored


def test_given_totals_are_checked_to_the_cent(root: Person, body: dict[str, Any]) -> None:
    stored = create(root, {**body, "labor_total": 165, "total": 259.05})

    assert (stored["labor_total"], stored["total"]) == (165.0, 259.05)
    assert _error_fields(root.post(PATH, {**body, "labor_total": 165.01, "total": 259.06})) == {
        "labor_total",
        "total",
    }
    assert _error_fields(root.post(PATH, {**body, "total": "259.05"})) == {"total"}
    assert _error_fields(put(root, stored["id"], {"total": 1})) == {"total"}
    assert put(root, stored["id"], {**stored, "labor_hours": 2}).get_json()["data"]["total"] == 394.05


def test_invoice_long_before_the_model_year_is_rejected(root: Person, body: dict[str, Any]) -> None:
    create(root, {**body, "performed_on": "2002-01-01"})

    assert _error_fields(root.post(PATH, {**body, "performed_on": "2001-12-31"})) == {"performed_on"}


def test_part_price_has_no_fraction_of_a_cent(root: Person, body: dict[str, Any]) -> None:
    parts = [{"name": "Pads", "unit_price": 66.055, "quantity": 1}]

    assert _error_fields(root.post(PATH, {**body, "parts": parts})) == {"parts.0.unit_price"}


def test_create_reports_every_bad_type_and_value(root: Person) -> None:
    assert _error_fields(root.post(PATH, {})) == {
        "vehicle_id",
        "problem_id",
        "performed_on",
        "labor_hours",
        "labor_rate",
    }
    result = {
        "vehicle_id": "1HGCM82633A",
        "problem_id": 9,
        "performed_on": "2026-02-30",
        "labor_hours": -1,
        "labor_rate": "150",
        "parts": [
            {"name": " ", "unit_price": 5, "quantity": "2"},
            "pads",
            {"name": "Pads", "unit_price": -1, "quantity": 1.5},
        ],
        "parts_total": -5,
        "facility_id": 77,
        "mileage": 5e300,
        "notes": ["squeaked"],
        "session_id": "7",
    }
    expected = {
        "vehicle_id",
        "problem_id",
        "performed_on",
        "labor_hours",
        "labor_rate",
        "parts.0.name",
        "parts.0.quantity",
        "parts.1",
        "parts.2.unit_price",
        "parts.2.quantity",
        "parts_total",
        "facility_id",
        "mileage",
        "notes",
        "session_id",
    }

    assert _error_fields(root.post(PATH, result)) == expected
    assert root.get(PATH).get_json()["data"] == []


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"labor_hours": None}, {"labor_hours"}),
        ({"labor_hours": 1e308, "labor_rate": 1e308}, {"labor_hours", "labor_rate"}),
        ({"parts_total": 94.06}, {"parts_total"}),
        ({"parts": None}, {"parts"}),
        (
            {"labor_rate": 99.999, "parts": [{"name": "Pads", "unit_price": 1.005, "quantity": 1}]},
            {"labor_rate", "parts.0.unit_price"},
        ),
        ({"parts": [{}]}, {"parts.0.name", "parts.0.unit_price", "parts.0.quantity"}),
        ({"performed_on": "2999-01-01", "problem_id": 2**62}, {"performed_on", "problem_id"}),
        ({"vehicle_id": str(UUID(int=5)), "mileage": True}, {"vehicle_id", "mileage"}),
        ({"session_id": str(UUID(int=5)), "version": "1"}, {"session_id", "version"}),
    ],
)
def test_bad_update_reports_its_fields_and_changes_nothing(
    root: Person, body: dict[str, Any], change: dict[str, Any], wrong: set[str]
) -> None:
    stored = create(root, body)

    assert _error_fields(put(root, stored["id"], change)) == wrong
    assert root.get(f"{PATH}/{stored['id']}").get_json()["data"] == stored


def _error_fields(answer: Any) -> set[str]:
    assert answer.status_code == 422, answer.text
    return set(answer.get_json()["errors"])


def test_parts_total_is_exact_without_part_lines(root: Person, body: dict[str, Any]) -> None:
    stored = create(root, {**body, "parts": [], "parts_total": 94.05})

    assert (stored["parts_total"], stored["total"]) == (94.05, 259.05)
    assert create(root, {**body, "parts_total": 94.05})["parts_total"] == 94.05


@pytest.mark.parametrize("number", ["0", "987654321", str(2**63), "abc", "-1", "1.5"])
def test_unknown_id_is_not_found(root: Person, number: str) -> None:
    for method, path in (("GET", number), ("GET", f"{number}/details"), ("PUT", number), ("DELETE", number)):
        answer = root.client.open(f"{PATH}/{path}", method=method, json={}, headers=bearer(root.token))

        assert answer.status_code == 404
        assert shaped({"message": str}, answer.json)


def test_list_is_filtered_and_paged(root: Person, body: dict[str, Any], core: Core) -> None:
    camry = str(core.vehicles.resolve("4T1BF1FK5GU").id)
    shop = (
        core.facilities.create(CreateFacility(facility_name="Shop")).id
        if hasattr(core.facilities, "page")
        else None
    )
    result = [
        create(
            root,
            {**body, "performed_on": day, "vehicle_id": vehicle, "problem_id": problem, "facility_id": place},
        )
        for day, vehicle, problem, place in (
            ("2025-10-31", body["vehicle_id"], 101, shop),
            ("2025-11-01", camry, 101, None),
            ("2025-11-30", camry, 102, shop),
            ("2025-12-01", body["vehicle_id"], 102, None),
        )
    ]
    newest = [one["id"] for one in reversed(result)]

    assert _ids(root, "") == newest
    assert _ids(root, "per_page=3") == newest[:3]
    assert _ids(root, "per_page=3&page=2") == newest[3:]
    assert _ids(root, "page=9223372036854775807") == []
    assert _ids(root, "problem_id=101") == [newest[2], newest[3]]
    assert _ids(root, "make=HONDA") == [newest[0], newest[3]]
    assert _ids(root, "make=Toyota&problem_id=102") == [newest[1]]
    assert _ids(root, f"vehicle_id={camry}") == [newest[1], newest[2]]
    assert _ids(root, "date_from=2025-11-01&date_to=2025-11-30") == [newest[1], newest[2]]
    assert _ids(root, "make=Yugo") == _ids(root, "problem_id=-7") == _ids(root, "facility_id=77") == []
    page = root.get(f"{PATH}?per_page=3&page=2").get_json()

    assert shaped({"success": True, "data": [RECORD], "meta": dict}, page)
    meta = {"current_page": 2, "per_page": 3, "total": 4, "last_page": 2}
    assert shaped({**meta, **CURSORS}, page["meta"])


def _ids(root: Person, query: str) -> list[int]:
    answer = root.get(f"{PATH}?{query}")

    assert answer.status_code == 200, answer.text
    return [one["id"] for one in answer.get_json()["data"]]


@pytest.mark.parametrize("path", [PATH, f"{PATH}/stats"])
def test_bad_filters_are_reported(root: Person, path: str) -> None:
    query = "problem_id=brakes&vehicle_id=7&facility_id=9223372036854775808&date_from=2025-13-01&date_to=soon"
    wrong = {"problem_id", "vehicle_id", "facility_id", "date_from", "date_to"}

    assert _error_fields(root.get(f"{path}?{query}")) == wrong
    assert _error_fields(root.get(f"{path}?date_from=2025-02-01&date_to=2025-01-31")) == {"date_to"}
    for edge in ("date_to=0001-01-01", "date_from=9999-12-31", "date_from=0001-01-31&date_to=9999-12-31"):
        assert root.get(f"{path}?{edge}").status_code == 200


def test_stats_have_totals_and_months(root: Person, body: dict[str, Any]) -> None:
    empty = root.get(f"{PATH}/stats").get_json()

    assert shaped({"success": True, "data": STATS}, empty)
    assert (empty["data"]["count"], empty["data"]["average_total"], empty["data"]["by_month"]) == (
        0,
        None,
        [],
    )
    for day in ("2025-12-01", "2025-12-31", "2024-02-29"):
        create(root, {**body, "performed_on": day, "mileage": None})
    result = root.get(f"{PATH}/stats").get_json()

    assert shaped({"success": True, "data": STATS}, result)
    data = result["data"]

    assert (data["count"], data["total"], data["average_total"]) == (3, 777.15, 259.05)
    assert [(one["month"], one["count"]) for one in data["by_month"]] == [("2024-02", 1), ("2025-12", 2)]
    one = root.get(f"{PATH}/stats?date_from=2025-12-02&make=honda&problem_id=101").get_json()["data"]

    assert (one["count"], one["labor_total"]) == (1, 165.0)


def test_form_options_list_the_choices(root: Person, body: dict[str, Any]) -> None:
    create(root, body)
    answer = root.get(f"{PATH}/form-options")
    offered = {
        "problems": [{"id": int, "slug": str, "display_name": str}],
        "facilities": [{"id": int, "name": str, "city": nullable(str), "state": nullable(str)}],
        "makes": [str],
    }

    assert shaped({"success": True, "data": offered}, answer.json)
    assert answer.get_json()["data"]["makes"] == ["Honda"]
    assert len(answer.get_json()["data"]["problems"]) > 300


def test_details_have_the_references_and_the_lesson(root: Person, ada: Person, body: dict[str, Any]) -> None:
    query = ada.post("/api/v1/predict", ASK).get_json()
    stored = create(root, {**body, "session_id": query["session_id"]})
    answer = root.get(f"{PATH}/{stored['id']}/details")
    detailed = {
        **RECORD,
        "vehicle": {"id": uuid, "vin": str, "display_name": str, "make": str, "model": str, "year": int},
        "problem": {"id": int, "slug": str, "display_name": str},
        "facility": nullable({"id": int, "name": str, "city": nullable(str), "state": nullable(str)}),
        "prediction": {
            "session_id": uuid,
            "problem_name": str,
            "local_average_estimate": money,
            "ai_average_estimate": nullable(money),
            "red_flag": bool,
            "created_at": moment,
        },
        "lesson": {
            "learned": True,
            "price_against_book_percent": number,
            "hours_against_book_percent": number,
            "labor_share_percent": number,
            "text": [str],
        },
        "review_text": str,
    }

    assert shaped({"success": True, "data": detailed}, answer.json)
    assert (
        answer.get_json()["data"]["prediction"]["session_id"] == query["session_id"] == stored["session_id"]
    )
    free = create(root, {**body, "parts": [], "labor_hours": 0})
    lesson = root.get(f"{PATH}/{free['id']}/details").get_json()["data"]["lesson"]

    assert (lesson["learned"], lesson["text"]) == (
        False,
        ["Nothing was learned from this invoice, because nothing was charged."],
    )


def test_key_determines_the_environment(
    api: FlaskClient, keys: dict[str, Keys], body: dict[str, Any]
) -> None:
    test, live = (bearer(keys[name].secret_key) for name in ("test", "live"))
    stored = api.post(PATH, json=body, headers=test).get_json()["data"]

    assert api.get(f"{PATH}/{stored['id']}", headers=test).status_code == 200
    for method, path in (("GET", ""), ("GET", "/details"), ("PUT", ""), ("DELETE", "")):
        answer = api.open(f"{PATH}/{stored['id']}{path}", method=method, json={}, headers=live)

        assert answer.status_code == 404

    assert api.get(PATH, headers=live).get_json()["data"] == []
    assert api.get(f"{PATH}/stats", headers=live).get_json()["data"]["count"] == 0
    assert api.get(f"{PATH}/form-options", headers=live).get_json()["data"]["makes"] == []
    assert api.get(f"{PATH}/stats", headers=test).get_json()["data"]["count"] == 1
