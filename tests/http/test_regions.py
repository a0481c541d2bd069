"""Regions over HTTP, on both databases: created, listed, updated, deleted, recalculated, and bad input."""

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


def create_region(root: Person, **changes: Any) -> int:
    answer = root.post(PATH, {**GARAGE, **changes})

    assert answer.status_code == 201, answer.text
    number: int = answer.get_json()["data"]["id"]
    return number


def record_invoices(core: Core, facility_id: int, *rates: int, caller: Caller = LOCAL) -> None:
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


def test_region_is_stored_and_shown_as_sent(root: Person) -> None:
    answer = root.post(PATH, GARAGE)

    assert answer.status_code == 201
    assert shaped({"success": True, "message": str, "data": REGION}, answer.json)
    stored = answer.get_json()["data"]

    assert {name: stored[name] for name in GARAGE} == GARAGE
    assert stored["sample_size"] == 0
    assert root.get(f"{PATH}/{stored['id']}").json == {"success": True, "data": stored}


def test_only_a_name_is_required_and_null_means_absent(root: Person) -> None:
    for body in ({"facility_name": "Bo"}, {**dict.fromkeys(GARAGE), "facility_name": "Bo"}):
        result = root.post(PATH, body).get_json()["data"]

        assert [result[name] for name in GARAGE] == ["Bo", None, None, None, None, None]


@pytest.mark.parametrize(
    "expected",
    [0, 0.0, 1, 128.5, 99_999.99, 1_000_000],
    ids=lambda expected: f"{type(expected).__name__} {expected}",
)
def test_rate_is_exact_to_the_cent(root: Person, expected: float) -> None:
    assert (
        root.get(f"{PATH}/{create_region(root, avg_labor_rate=expected)}").get_json()["data"][
            "avg_labor_rate"
        ]
        == expected
    )


def test_internal_fields_cannot_be_assigned(root: Person) -> None:
    internal = {
        "id": 987,
        "created_at": "1999-01-01T00:00:00Z",
        "sample_size": 50,
        "version": 9,
        "latitude": 1.0,
    }
    created = root.post(PATH, {**GARAGE, **internal}).get_json()["data"]

    assert (created["id"] != 987, created["sample_size"], created["created_at"][:4] != "1999") == (
        True,
        0,
        True,
    )
    changed = put(root, f"{PATH}/{created['id']}", {**GARAGE, **internal}).get_json()["data"]

    assert changed == created


def test_update_keeps_absent_fields(root: Person) -> None:
    path = f"{PATH}/{create_region(root)}"
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


def test_region_without_references_is_deleted(root: Person) -> None:
    path = f"{PATH}/{create_region(root)}"
    answer = root.delete(path)

    assert (answer.status_code, shaped({"success": True, "message": str}, answer.json)) == (200, True)
    for answer in (root.get(path), root.delete(path), put(root, path, GARAGE)):
        assert (answer.status_code, answer.json) == (404, {"message": "Region not found."})


@pytest.mark.parametrize("bad_id", ["x", "-1", "1.0", "%00", "9" * 30, str(2**63), "1/x", "٣", "0", "4711"])
def test_invalid_id_is_not_found(root: Person, bad_id: str) -> None:
    for answer in (
        root.get(f"{PATH}/{bad_id}"),
        root.delete(f"{PATH}/{bad_id}"),
        put(root, f"{PATH}/{bad_id}", GARAGE),
    ):
        assert answer.status_code in {404, 405}
        assert shaped({"message": str}, answer.json)


def test_region_with_references_is_not_deleted(root: Person, core: Core) -> None:
    number = create_region(root)
    record_invoices(core, number, 100_00, 100_00)
    answer = root.delete(f"{PATH}/{number}")

    assert (answer.status_code, answer.json) == (
        409,
        {"message": "The region cannot be deleted: 2 transactions refer to it."},
    )
    assert root.get(f"{PATH}/{number}").status_code == 200


def test_list_pages_and_filters_by_words_and_state(root: Person) -> None:
    for name, state in (("Cy", "CA"), ("Ada's", "California"), ("Bo", "NV"), ("Bo 2", None)):
        create_region(
            root, facility_name=name, state=state, zip_code=None, city="Reno" if name == "Bo" else None
        )

    def names(query: str) -> list[str]:
        answer = root.get(f"{PATH}?{query}")
        meta = {"current_page": int, "per_page": int, "total": int, "last_page": int, **CURSORS}

        assert shaped({"success": True, "data": [REGION], "meta": meta}, answer.json)
        return [region["facility_name"] for region in answer.get_json()["data"]]

    assert names("") == ["Ada's", "Bo", "Bo 2", "Cy"]
    assert names("per_page=3&page=2") == ["Cy"]
    assert names("page=999999999") == []
    assert names("state=CA") == names("state=california") == ["Ada's", "Cy"]
    assert names("search=bo") == ["Bo", "Bo 2"]
    assert names("search=reno&state=NV") == ["Bo"]
    assert names("search=%25") == []
    assert names("state=&search=") == names("")


@pytest.mark.parametrize("query", ["page=0", "page=x", "per_page=101", "per_page=-1", "page=1&page=2"])
def test_invalid_page_is_reported(root: Person, query: str) -> None:
    answer = root.get(f"{PATH}?{query}")

    assert answer.status_code == 422
    assert list(answer.get_json()["errors"]) == [query.split("=", maxsplit=1)[0]]


def test_states_have_counts_and_mean_rates(root: Person) -> None:
    for state, rate in (("CA", 100), ("ca", 101.01), ("CA", 0), ("Nevada", None), (None, 5)):
        create_region(root, state=state, avg_labor_rate=rate, zip_code=None)

    assert root.get(f"{PATH}/states").json == {
        "success": True,
        "data": [
            {"state": "CA", "count": 3, "with_labor_rate": 2, "avg_labor_rate": 100.51},
            {"state": "NV", "count": 1, "with_labor_rate": 0, "avg_labor_rate": None},
        ],
    }


def test_stats_add_up_by_month_and_by_environment(api: FlaskClient, root: Person, core: Core) -> None:
    assert root.get(f"{PATH}/stats").get_json()["data"]["total"] == 0
    number = create_region(root, avg_labor_rate=100)
    create_region(root, avg_labor_rate=110)
    record_invoices(core, number, 100_00, 120_00)
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


def test_recalculate_sets_the_rate_from_invoices(root: Person, core: Core) -> None:
    many, few = (
        create_region(root, avg_labor_rate=10),
        create_region(root, facility_name="Few", avg_labor_rate=20),
    )
    record_invoices(core, many, 118_00, 120_00, 122_00, 950_00, 940_00, 121_00)
    record_invoices(core, few, 120_00, 120_00, 120_00, 120_00)
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


def test_repeated_recalculation_writes_nothing(root: Person, core: Core) -> None:
    number = create_region(root, avg_labor_rate=None)
    record_invoices(core, number, *[120_00] * 5)
    first = root.post(f"{PATH}/recalculate").json
    before = core.audit.list_newest()

    assert root.post(f"{PATH}/recalculate").json == first
    assert core.audit.list_newest() == before
    result = put(root, f"{PATH}/{number}", {**GARAGE, "avg_labor_rate": 99}).get_json()["data"]

    assert (result["avg_labor_rate"], result["sample_size"]) == (99.0, 0)


def test_test_invoices_do_not_affect_rates(root: Person, core: Core) -> None:
    key = core.accounts.authenticate(root.keys("test").secret_key)
    number = create_region(root)
    record_invoices(core, number, *[500_00] * 6, caller=key)

    assert root.post(f"{PATH}/recalculate").get_json()["data"] == {"updated": 0, "skipped": 1}


def test_estimates_follow_the_recalculated_rate(api: FlaskClient, root: Person, core: Core) -> None:
    number = create_region(root, avg_labor_rate=None)

    def rate(zip_code: str) -> float:
        body = {**ASK, "zip_code": zip_code}
        result = api.post("/api/v1/predict", json=body, headers=bearer(root.token)).get_json()
        region: dict[str, float] = result["region"]
        return region["labor_rate"]

    before = rate("90210")
    record_invoices(core, number, *[450_00] * 5)

    assert root.post(f"{PATH}/recalculate").get_json()["data"] == {"updated": 1, "skipped": 0}
    assert rate("90211") > before + 5  # the cached answer for 90210 stays


def test_test_key_may_only_read(api: FlaskClient, root: Person, core: Core) -> None:
    number = create_region(root)
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


def test_each_bad_value_is_reported_and_nothing_is_stored(root: Person, core: Core) -> None:
    path = f"{PATH}/{create_region(root)}"
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
def test_all_bad_values_are_reported_at_once(root: Person, which: int) -> None:
    answer = root.post(PATH, {name: values[which] for name, values in BAD.items()})

    assert answer.status_code == 422
    assert list(answer.get_json()["errors"]) == list(BAD)


def test_state_must_match_the_zip_code(root: Person) -> None:
    wrong = root.post(PATH, {**GARAGE, "state": "New York"})
    stored = root.post(PATH, GARAGE).get_json()["data"]

    assert (wrong.status_code, list(wrong.get_json()["errors"])) == (422, ["state"])
    assert list(
        put(root, f"{PATH}/{stored['id']}", {**GARAGE, "zip_code": "43215"}).get_json()["errors"]
    ) == ["state"]
    assert (
        put(root, f"{PATH}/{stored['id']}", {**GARAGE, "zip_code": "43215", "state": "OH"}).status_code == 200
    )
    assert put(root, f"{PATH}/{stored['id']}", {**GARAGE, "avg_labor_rate": 99}).status_code == 200
    assert root.post(PATH, {**GARAGE, "country": "Germany", "state": "Bayern"}).status_code == 201


def test_missing_name_is_reported(root: Person) -> None:
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
def test_any_object_has_a_documented_answer(unlimited: Person, body: dict[str, Any], method: str) -> None:
    path = PATH if method == "POST" else f"{PATH}/1"
    answer = unlimited.client.open(
        path,
        method=method,
        data=json.dumps(body),
        content_type="application/json",
        headers=bearer(unlimited.token),
    )
    if answer.status_code in {200, 201}:
        assert shaped({"success": True, "message": str, "data": REGION}, answer.json)
    elif answer.status_code == 422:
        assert set(answer.get_json()["errors"]) <= set(GARAGE)
    else:
        assert (answer.status_code, shaped({"message": str}, answer.json)) == (400, True)


@pytest.fixture
def unlimited(open_core: OpenCore) -> Person:
    """Return an admin without rate limits, and create a region with the id 1."""
    core = open_core(requests_per_minute=1_000_000)
    root = person(serve_core(core).test_client(), "Root")
    core.accounts.set_role(root.email, Role.ADMIN)

    assert core.facilities.create(CreateFacility(facility_name="Ada's Garage")).id == 1
    return root


def test_predictions_use_the_rate_entered_for_a_zip_code(root: Person) -> None:
    create_region(root, zip_code="89501", state="NV", avg_labor_rate=180)

    secret = root.keys().secret_key
    answer = root.client.post("/api/v1/predict", json={**ASK, "zip_code": "89501"}, headers=bearer(secret))
    body = answer.get_json()

    assert body["region"]["labor_rate"] == 180.0
    assert body["repair_breakdown"]["labor_rate"] == 180.0
