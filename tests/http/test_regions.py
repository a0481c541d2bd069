"""Regions over HTTP, on both databases: kept, listed, changed, removed, recalculated, and whatever is wrong with it."""

import json
from datetime import date
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import OpenCore
from tests.http.people import ASK, Person, bearer, person, promoted
from tests.http.shape import CURSORS, moment, money, nullable, shaped
from tests.http.watched import serve_core
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL, Caller, Role
from repaircore.learning.transaction_rows import CreateTransaction

PATH = "/api/v1/admin/regions"
GARAGE: dict[str, Any] = {
    "facility_name": "Ada's Garage",
    "city": "Beverly Hills",
    "state": "CA",
    "zip_code": "90210",
    "country": "US",
    "avg_labor_rate": 150.25,
}
REGION = {
    "id": int,
    "facility_name": str,
    "city": nullable(str),
    "state": nullable(str),
    "zip_code": nullable(str),
    "country": nullable(str),
    "avg_labor_rate": nullable(money),
    "sample_size": int,
    "created_at": moment,
}


@pytest.fixture
def root(core: Core, eve: Person) -> Person:
    return promoted(core, eve)


def put(root: Person, path: str, body: object) -> TestResponse:
    return root.client.put(path, json=body, headers=bearer(root.token))


def added(root: Person, **changes: Any) -> int:
    answer = root.post(PATH, {**GARAGE, **changes})

    assert answer.status_code == 201, answer.text
    number: int = answer.get_json()["data"]["id"]
    return number


def invoiced(core: Core, facility_id: int, *rates: int, caller: Caller = LOCAL) -> None:
    vehicle = core.vehicles.resolve("1HGCM82633A")
    for rate in rates:
        sale = CreateTransaction(
            vehicle_id=vehicle.id,
            problem_id=101,
            performed_on=date(2025, 12, 1),
            labor_hours=1.5,
            labor_rate=rate,
            parts_total=80_00,
            facility_id=facility_id,
        )
        core.transactions.record(sale, caller)


def test_region_is_kept_and_shown_as_it_was_told(root: Person) -> None:
    answer = root.post(PATH, GARAGE)

    assert answer.status_code == 201
    assert shaped({"success": True, "message": str, "data": REGION}, answer.json)
    kept = answer.get_json()["data"]

    assert {name: kept[name] for name in GARAGE} == GARAGE
    assert kept["sample_size"] == 0
    assert root.get(f"{PATH}/{kept['id']}").json == {"success": True, "data": kept}


def test_only_a_name_is_needed_and_null_is_nothing(root: Person) -> None:
    for body in ({"facility_name": "Bo"}, {**dict.fromkeys(GARAGE), "facility_name": "Bo"}):
        result = root.post(PATH, body).get_json()["data"]

        assert [result[name] for name in GARAGE] == ["Bo", None, None, None, None, None]


@pytest.mark.parametrize(
    "expected",
    [0, 0.0, 1, 128.5, 99_999.99, 1_000_000],
    ids=lambda expected: f"{type(expected).__name__} {expected}",
)
def test_rate_comes_back_to_the_cent(root: Person, expected: float) -> None:
    assert (
        root.get(f"{PATH}/{added(root, avg_labor_rate=expected)}").get_json()["data"]["avg_labor_rate"]
        == expected
    )


def test_what_the_service_decides_cannot_be_told(root: Person) -> None:
    odd = {"id": 987, "created_at": "1999-01-01T00:00:00Z", "sample_size": 50, "version": 9, "latitude": 1.0}
    made = root.post(PATH, {**GARAGE, **odd}).get_json()["data"]

    assert (made["id"] != 987, made["sample_size"], made["created_at"][:4] != "1999") == (True, 0, True)
    changed = put(root, f"{PATH}/{made['id']}", {**GARAGE, **odd}).get_json()["data"]

    assert changed == made


def test_change_leaves_what_is_not_told(root: Person) -> None:
    path = f"{PATH}/{added(root)}"
    answer = put(root, path, {"facility_name": "Bo's", "city": None, "avg_labor_rate": 151})

    assert shaped({"success": True, "message": str, "data": REGION}, answer.json)
    result = root.get(path).get_json()["data"]

    assert {name: result[name] for name in GARAGE} == {
        **GARAGE,
        "facility_name": "Bo's",
        "city": None,
        "avg_labor_rate": 151.0,
    }
    assert put(root, path, {"city": "Reno"}).get_json()["errors"].keys() == {"facility_name"}


def test_region_that_nothing_refers_to_is_deleted(root: Person) -> None:
    path = f"{PATH}/{added(root)}"
    answer = root.delete(path)

    assert (answer.status_code, shaped({"success": True, "message": str}, answer.json)) == (200, True)
    for gone in (root.get(path), root.delete(path), put(root, path, GARAGE)):
        assert (gone.status_code, gone.json) == (404, {"message": "Region not found."})


@pytest.mark.parametrize("odd", ["x", "-1", "1.0", "%00", "9" * 30, str(2**63), "1/x", "٣", "0", "4711"])
def test_what_is_no_id_of_a_region_is_not_found(root: Person, odd: str) -> None:
    for answer in (
        root.get(f"{PATH}/{odd}"),
        root.delete(f"{PATH}/{odd}"),
        put(root, f"{PATH}/{odd}", GARAGE),
    ):
        assert answer.status_code in {404, 405}
        assert shaped({"message": str}, answer.json)


def test_what_refers_to_a_region_keeps_it_there(root: Person, core: Core) -> None:
    number = added(root)
    invoiced(core, number, 100_00, 100_00)
    answer = root.delete(f"{PATH}/{number}")

    assert (answer.status_code, answer.json) == (
        409,
        {"message": "The region cannot be deleted: 2 transactions refer to it."},
    )
    assert root.get(f"{PATH}/{number}").status_code == 200


def test_regions_are_listed_in_pages_and_found_by_words_and_state(root: Person) -> None:
    for name, state in (("Cy", "CA"), ("Ada's", "California"), ("Bo", "NV"), ("Bo 2", None)):
        added(root, facility_name=name, state=state, zip_code=None, city="Reno" if name == "Bo" else None)

    def listed(query: str) -> list[str]:
        answer = root.get(f"{PATH}?{query}")
        meta = {"current_page": int, "per_page": int, "total": int, "last_page": int, **CURSORS}

        assert shaped({"success": True, "data": [REGION], "meta": meta}, answer.json)
        return [region["facility_name"] for region in answer.get_json()["data"]]

    assert listed("") == ["Ada's", "Bo", "Bo 2", "Cy"]
    assert listed("per_page=3&page=2") == ["Cy"]
    assert listed("page=999999999") == []
    assert listed("state=CA") == listed("state=california") == ["Ada's", "Cy"]
    assert listed("search=bo") == ["Bo", "Bo 2"]
    assert listed("search=reno&state=NV") == ["Bo"]
    assert listed("search=%25") == []
    assert listed("state=&search=") == listed("")


@pytest.mark.parametrize("query", ["page=0", "page=x", "per_page=101", "per_page=-1", "page=1&page=2"])
def test_page_that_cannot_be_is_named(root: Person, query: str) -> None:
    answer = root.get(f"{PATH}?{query}")

    assert answer.status_code == 422
    assert list(answer.get_json()["errors"]) == [query.split("=", maxsplit=1)[0]]


def test_states_are_told_with_counts_and_mean_rates(root: Person) -> None:
    for state, rate in (("CA", 100), ("ca", 101.01), ("CA", 0), ("Nevada", None), (None, 5)):
        added(root, state=state, avg_labor_rate=rate, zip_code=None)

    assert root.get(f"{PATH}/states").json == {
        "success": True,
        "data": [
            {"state": "CA", "count": 3, "with_labor_rate": 2, "avg_labor_rate": 100.51},
            {"state": "NV", "count": 1, "with_labor_rate": 0, "avg_labor_rate": None},
        ],
    }


def test_stats_add_up_by_month_and_by_environment(api: FlaskClient, root: Person, core: Core) -> None:
    assert root.get(f"{PATH}/stats").get_json()["data"]["total"] == 0
    number = added(root, avg_labor_rate=100)
    added(root, avg_labor_rate=110)
    invoiced(core, number, 100_00, 120_00)
    result = root.get(f"{PATH}/stats").get_json()["data"]

    assert result == {
        "total": 2,
        "with_labor_rate": 2,
        "states": 1,
        "avg_labor_rate": 105.0,
        "min_labor_rate": 100.0,
        "max_labor_rate": 110.0,
        "sample_size": 0,
        "transactions": 2,
        "parts_total": 160.0,
        "labor_total": 330.0,
        "by_month": [
            {
                "month": "2025-12",
                "transactions": 2,
                "parts_total": 160.0,
                "labor_total": 330.0,
                "total": 490.0,
            }
        ],
    }
    test = bearer(root.keys("test").secret_key)

    assert api.get(f"{PATH}/stats", headers=test).get_json()["data"]["by_month"] == []


def test_recalculating_sets_the_rate_to_what_invoices_say(root: Person, core: Core) -> None:
    many, few = added(root, avg_labor_rate=10), added(root, facility_name="Few", avg_labor_rate=20)
    invoiced(core, many, 118_00, 120_00, 122_00, 950_00, 940_00, 121_00)
    invoiced(core, few, 120_00, 120_00, 120_00, 120_00)
    answer = root.post(f"{PATH}/recalculate")

    assert answer.status_code == 200
    assert shaped({"success": True, "message": str, "data": {"updated": 1, "skipped": 1}}, answer.json)
    result = {one["id"]: one for one in root.get(PATH).get_json()["data"]}

    assert (result[many]["avg_labor_rate"], result[many]["sample_size"]) == (121.5, 6)
    assert (result[few]["avg_labor_rate"], result[few]["sample_size"]) == (20.0, 0)
    newest = core.audit.list_newest()[0]

    assert (newest.action, newest.subject, newest.user_id) == ("region.change", f"regions/{many}", root.id)
    assert newest.before == {"avg_labor_rate": 10.0, "sample_size": 0}
    assert newest.after == {"avg_labor_rate": 121.5, "sample_size": 6}


def test_recalculating_again_says_the_same_and_writes_nothing(root: Person, core: Core) -> None:
    number = added(root, avg_labor_rate=None)
    invoiced(core, number, *[120_00] * 5)
    first = root.post(f"{PATH}/recalculate").json
    before = core.audit.list_newest()

    assert root.post(f"{PATH}/recalculate").json == first
    assert core.audit.list_newest() == before
    result = put(root, f"{PATH}/{number}", {**GARAGE, "avg_labor_rate": 99}).get_json()["data"]

    assert (result["avg_labor_rate"], result["sample_size"]) == (99.0, 0)


def test_what_was_invoiced_in_test_moves_no_rate(root: Person, core: Core) -> None:
    key = core.accounts.authenticate(root.keys("test").secret_key)
    number = added(root)
    invoiced(core, number, *[500_00] * 6, caller=key)

    assert root.post(f"{PATH}/recalculate").get_json()["data"] == {"updated": 0, "skipped": 1}


def test_estimate_for_a_zip_code_there_moves_with_it(api: FlaskClient, root: Person, core: Core) -> None:
    number = added(root, avg_labor_rate=None)

    def rate(zip_code: str) -> float:
        body = {**ASK, "zip_code": zip_code}
        result = api.post("/api/v1/predict", json=body, headers=bearer(root.token)).get_json()
        region: dict[str, float] = result["region"]
        return region["labor_rate"]

    before = rate("90210")
    invoiced(core, number, *[450_00] * 5)

    assert root.post(f"{PATH}/recalculate").get_json()["data"] == {"updated": 1, "skipped": 0}
    assert rate("90211") > before + 5  # what is remembered of 90210 stays


def test_test_key_looks_and_changes_nothing(api: FlaskClient, root: Person, core: Core) -> None:
    number = added(root)
    before = core.audit.list_newest()
    test = bearer(root.keys("test").secret_key)
    for path in ("", "/stats", "/states", f"/{number}"):
        assert api.get(PATH + path, headers=test).status_code == 200
    for method, path in (
        ("POST", ""),
        ("POST", "/recalculate"),
        ("PUT", f"/{number}"),
        ("DELETE", f"/{number}"),
    ):
        answer = api.open(PATH + path, method=method, json=GARAGE, headers=test)

        assert (answer.status_code, answer.json) == (403, {"message": "This action is unauthorized."})

    assert core.audit.list_newest() == before


# Bad input

BAD: dict[str, list[Any]] = {
    "facility_name": [None, "", " ", "\t\n", "x" * 256, 5, True, [], {}],
    "city": ["x" * 256, 5, False, []],
    "state": ["x" * 256, 5, {}],
    "zip_code": ["9" * 21, 90210, 1.5],
    "country": ["x" * 256, 5, ["US"]],
    "avg_labor_rate": [-0.001, -1, -1e300, 1_000_000.01, 1e300, 2**63 - 1, "5", "", True, [], {}],
}


def test_each_bad_value_is_named_and_nothing_is_kept(root: Person, core: Core) -> None:
    path = f"{PATH}/{added(root)}"
    before = core.audit.list_newest()
    for name, values in BAD.items():
        for value in values:
            for answer in (
                root.post(PATH, {**GARAGE, name: value}),
                put(root, path, {**GARAGE, name: value}),
            ):
                assert answer.status_code == 422, (name, value)
                assert list(answer.get_json()["errors"]) == [name]
                assert len(answer.data) < 1000

    assert core.audit.list_newest() == before


@pytest.mark.parametrize("which", [0, -1])
def test_all_bad_values_are_named_at_once(root: Person, which: int) -> None:
    answer = root.post(PATH, {name: values[which] for name, values in BAD.items()})

    assert answer.status_code == 422
    assert list(answer.get_json()["errors"]) == list(BAD)


def test_state_must_be_that_of_the_zip_code(root: Person) -> None:
    wrong = root.post(PATH, {**GARAGE, "state": "New York"})
    kept = root.post(PATH, GARAGE).get_json()["data"]

    assert (wrong.status_code, list(wrong.get_json()["errors"])) == (422, ["state"])
    assert list(put(root, f"{PATH}/{kept['id']}", {**GARAGE, "zip_code": "43215"}).get_json()["errors"]) == [
        "state"
    ]
    assert (
        put(root, f"{PATH}/{kept['id']}", {**GARAGE, "zip_code": "43215", "state": "OH"}).status_code == 200
    )
    assert put(root, f"{PATH}/{kept['id']}", {**GARAGE, "avg_labor_rate": 99}).status_code == 200
    assert root.post(PATH, {**GARAGE, "country": "Germany", "state": "Bayern"}).status_code == 201


def test_name_that_is_missing_is_named(root: Person) -> None:
    assert list(root.post(PATH, {}).get_json()["errors"]) == ["facility_name"]
    assert root.post(PATH).status_code == 422
    assert (
        root.client.post(
            PATH, data=b"[]", content_type="application/json", headers=bearer(root.token)
        ).status_code
        == 400
    )


_TEXT = st.text(st.characters(codec=None, categories=None), max_size=300)
_VALUE = st.none() | st.booleans() | st.integers() | st.floats() | _TEXT | st.lists(_TEXT, max_size=2)


@given(
    st.fixed_dictionaries({}, optional={name: st.just(good) | _VALUE for name, good in GARAGE.items()}),
    st.sampled_from(["POST", "PUT"]),
)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_object_has_a_documented_answer(patient: Person, body: dict[str, Any], method: str) -> None:
    path = PATH if method == "POST" else f"{PATH}/1"
    answer = patient.client.open(
        path,
        method=method,
        data=json.dumps(body),
        content_type="application/json",
        headers=bearer(patient.token),
    )
    if answer.status_code in {200, 201}:
        assert shaped({"success": True, "message": str, "data": REGION}, answer.json)
    elif answer.status_code == 422:
        assert set(answer.get_json()["errors"]) <= set(GARAGE)
    else:
        assert (answer.status_code, shaped({"message": str}, answer.json)) == (400, True)


@pytest.fixture
def patient(open_core: OpenCore) -> Person:
    """Give an admin who may ask as often as they like, and a region with the id 1."""
    core = open_core(requests_per_minute=1_000_000)
    root = person(serve_core(core).test_client(), "Root")
    core.accounts.set_role(root.email, Role.ADMIN)

    assert core.facilities.create(CreateFacility(facility_name="Ada's Garage")).id == 1
    return root


def test_predictions_of_a_shops_zip_code_show_the_rate_entered_for_it(root: Person) -> None:
    added(root, zip_code="89501", state="NV", avg_labor_rate=180)

    secret = root.keys().secret_key
    answer = root.client.post("/api/v1/predict", json={**ASK, "zip_code": "89501"}, headers=bearer(secret))
    body = answer.get_json()

    assert body["region"]["labor_rate"] == 180.0
    assert body["repair_breakdown"]["labor_rate"] == 180.0
