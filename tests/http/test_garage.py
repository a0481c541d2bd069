"""The garage over HTTP, over both databases: vehicles, services, costs, tables and settings."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.http.people import ACCORD, Person, bearer, person
from tests.http.shape import moment, nullable, number, shaped, uuid
from tests.http.watched import serve_core

from repaircore.core import Core
from repaircore.garage.model import VEHICLE_SORTS
from repaircore.testing.clock import FrozenClock

GARAGE = "/api/v1/fleet"
VEHICLES = f"{GARAGE}/vehicles"
TESLA = "5YJ3E1EA7JF053140"
F250 = "1FT7W2B60GEB96643"
RANGE = {"low": number, "average": number, "high": number}
SUMMARY = {
    "id": uuid,
    "vin": str,
    "display_name": str,
    "make": str,
    "model": str,
    "year": int,
    **dict.fromkeys(("unit_number", "nickname", "department", "zip_code", "in_service_on"), nullable(str)),
    "odometer": nullable(int),
    "miles_a_month": nullable(number),
    "services_overdue": int,
    "services_due": int,
    "next_service": nullable(str),
    "next_service_on": nullable(str),
    "health": nullable(number),
    "grade": nullable(str),
    "open_recalls": nullable(int),
    "recall_coverage": nullable(str),
    "value": nullable({"low": number, "mid": number, "high": number}),
    "cost_next_year": nullable(RANGE),
    "cost_past_year": number,
    "cost_per_mile": nullable(number),
    "warnings": list,
    "computed_on": nullable(str),
    "added_at": moment,
    "version": int,
}


@pytest.fixture
def client(core: Core) -> FlaskClient:
    return serve_core(core).test_client()


@pytest.fixture
def owner(client: FlaskClient) -> Person:
    return person(client, "Ada")


@pytest.fixture
def ada(owner: Person) -> Person:
    """Return Ada with a secret key, which lasts longer than a session."""
    return evolve(owner, token=owner.keys().secret_key)


def call(user: Person, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
    headers = bearer(user.token)
    answer = user.client.open(path, method=method, json=body, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.get_json() if answer.is_json else answer.text


def add(user: Person, vin: str = ACCORD, **fields: Any) -> str:
    body = {"vin": vin, "zip_code": "60601", "odometer": 81_000, **fields}
    number: str = call(user, "POST", VEHICLES, body, status=201)["data"]["id"]
    return number


def test_list_has_the_services_and_costs_of_each_vehicle(ada: Person) -> None:
    add(ada, unit_number="12", department="Sales")

    answer = call(ada, "GET", VEHICLES)

    assert answer["meta"] == {
        "current_page": 1,
        "per_page": 15,
        "total": 1,
        "last_page": 1,
        "next_cursor": None,
        "previous_cursor": None,
    }
    (summary,) = answer["data"]
    assert shaped(SUMMARY, summary)
    assert (summary["unit_number"], summary["department"], summary["odometer"]) == ("12", "Sales", 81_000)
    cost = summary["cost_next_year"]
    assert 100 < cost["low"] < cost["average"] < cost["high"] < 5_000


def test_vehicle_has_services_months_and_its_odometer(ada: Person) -> None:
    vehicle = add(ada)

    found = call(ada, "GET", f"{VEHICLES}/{vehicle}")["data"]

    titles = {service["service"] for service in found["services"]}
    assert {"oil-change-high-mileage", "brake-pads-front", "timing-belt"} <= titles
    assert [reading["miles"] for reading in found["odometer_log"]] == [81_000]
    total = sum(month["cost"]["average"] for month in found["months"])
    assert total == pytest.approx(found["cost_next_year"]["average"], abs=0.1)


def test_electric_vehicle_has_no_oil_change(ada: Person) -> None:
    found = call(ada, "GET", f"{VEHICLES}/{add(ada, TESLA)}")["data"]

    services = {service["service"] for service in found["services"]}
    assert "ev-annual-service" in services
    assert not any(service.startswith("oil-change") for service in services)


def test_vehicle_is_found_by_its_vin_too(ada: Person) -> None:
    vehicle = add(ada)

    assert call(ada, "GET", f"{VEHICLES}/{ACCORD.lower()}")["data"]["id"] == vehicle


def test_vehicle_of_another_owner_is_not_found(ada: Person, client: FlaskClient) -> None:
    vehicle, eve = add(ada), person(client, "Eve")

    for method, path, body in (
        ("GET", vehicle, None),
        ("PUT", vehicle, {"nickname": "mine"}),
        ("DELETE", vehicle, None),
        ("POST", f"{vehicle}/odometer", {"miles": 90_000}),
        ("POST", f"{vehicle}/services/tire-rotation/done", {}),
    ):
        call(eve, method, f"{VEHICLES}/{path}", body, status=404)
    assert call(eve, "GET", VEHICLES)["data"] == []


def test_vehicle_is_added_once(ada: Person) -> None:
    add(ada)

    answer = call(ada, "POST", VEHICLES, {"vin": ACCORD}, status=409)
    assert answer["message"] == "This vehicle is already in your garage."


def test_every_bad_field_is_reported(ada: Person) -> None:
    body = {"vin": "1HG", "zip_code": "00000", "odometer": -1, "in_service_on": "2999-01-01"}

    errors = call(ada, "POST", VEHICLES, body, status=422)["errors"]

    assert set(errors) == {"vin", "zip_code", "odometer", "in_service_on"}


def test_vehicle_requires_a_vin_or_a_plate(ada: Person) -> None:
    assert set(call(ada, "POST", VEHICLES, {"nickname": "x"}, status=422)["errors"]) == {"vin"}


def test_vehicle_requires_a_whole_vin(ada: Person) -> None:
    errors = call(ada, "POST", VEHICLES, {"vin": ACCORD[:11]}, status=422)["errors"]

    assert errors == {"vin": ["A VIN has 17 characters; this one has 11."]}


def test_vehicle_without_a_zip_code_has_no_costs(ada: Person) -> None:
    vehicle = add(ada, zip_code=None)

    found = call(ada, "GET", f"{VEHICLES}/{vehicle}")["data"]

    assert found["cost_next_year"] is None
    assert found["months"] == []
    assert found["warnings"] == ["no_zip_code"]
    assert found["services"]


def test_settings_have_a_zip_code_for_vehicles_without_one(ada: Person) -> None:
    vehicle = add(ada, zip_code=None)
    call(ada, "PUT", f"{GARAGE}/settings", {"zip_code": "60601"})

    assert call(ada, "GET", f"{VEHICLES}/{vehicle}")["data"]["cost_next_year"]["average"] > 300
    assert call(ada, "GET", f"{GARAGE}/settings")["data"] == {"zip_code": "60601", "mail_reminders": False}


def test_batch_adds_good_vehicles_and_explains_the_rest(ada: Person) -> None:
    items = [
        {"vin": ACCORD, "unit_number": "1"},
        {"vin": "1HG"},
        {"vin": ACCORD},
        {"vin": F250, "odometer": "many"},
        {"plate": "ABC123", "state": "ZZ"},
    ]

    data = call(ada, "POST", f"{VEHICLES}/batch", {"vehicles": items})["data"]

    assert (data["added"], data["failed"]) == (1, 4)
    errors = [result["error"] for result in data["results"]]
    assert errors[0] is None
    assert [sorted(error["errors"] or ()) for error in errors[1:]] == [["vin"], [], ["odometer"], ["state"]]


def test_batch_has_at_most_200(ada: Person) -> None:
    items = [{"vin": ACCORD}] * 201

    assert "vehicles" in call(ada, "POST", f"{VEHICLES}/batch", {"vehicles": items}, status=422)["errors"]


def test_vehicle_is_added_by_plate(owner: Person) -> None:
    keys = owner.keys("test")
    answer = owner.client.post(
        VEHICLES, json={"plate": "TEST123", "state": "CA"}, headers=bearer(keys.secret_key)
    )

    assert answer.status_code == 201, answer.text


def test_csv_file_adds_vehicles(ada: Person) -> None:
    text = (
        "VIN,Unit Number,Nickname,Dept,Odometer,In-Service Date,Zip\r\n"
        f'{ACCORD},12,"Old, faithful",Sales,"148,000",3/15/2003,60601\r\n'
        "1HG,13,,,,,\r\n"
    )
    data = {"file": (io.BytesIO(text.encode()), "vehicles.csv")}

    answer = ada.client.post(f"{VEHICLES}/csv", data=data, headers=bearer(ada.token))

    assert answer.status_code == 200, answer.text
    assert (answer.get_json()["data"]["added"], answer.get_json()["data"]["failed"]) == (1, 1)
    (summary,) = call(ada, "GET", VEHICLES)["data"]
    assert (summary["nickname"], summary["odometer"], summary["in_service_on"]) == (
        "Old, faithful",
        148_000,
        "2003-03-15",
    )


def test_csv_file_may_have_a_single_vehicle(ada: Person) -> None:
    data = {"file": (io.BytesIO(f"vin\r\n{ACCORD}\r\n".encode()), "vehicles.csv")}

    answer = ada.client.post(f"{VEHICLES}/csv", data=data, headers=bearer(ada.token))

    assert answer.get_json()["data"]["added"] == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "The file is empty."),
        (b"unit,nickname\r\n1,2\r\n", "The file needs a vin column, or plate and state columns."),
        (b"vin\r\n", "The file must have 1 to 5,000 vehicles."),
    ],
)
def test_invalid_csv_file_is_rejected(ada: Person, content: bytes, sentence: str) -> None:
    data = {"file": (io.BytesIO(content), "vehicles.csv")}

    answer = ada.client.post(f"{VEHICLES}/csv", data=data, headers=bearer(ada.token))

    assert answer.status_code == 422
    assert answer.get_json()["errors"] == {"file": [sentence]}


def test_update_changes_only_the_given_labels(ada: Person) -> None:
    vehicle = add(ada, unit_number="12", nickname="Blue")

    changed = call(ada, "PUT", f"{VEHICLES}/{vehicle}", {"nickname": "", "department": "Service"})["data"]

    assert (changed["unit_number"], changed["nickname"], changed["department"]) == ("12", None, "Service")
    assert changed["version"] == 2


def test_update_of_an_older_version_is_a_conflict(ada: Person) -> None:
    vehicle = add(ada)
    call(ada, "PUT", f"{VEHICLES}/{vehicle}", {"nickname": "Blue", "version": 1})

    call(ada, "PUT", f"{VEHICLES}/{vehicle}", {"nickname": "Red", "version": 1}, status=409)


def test_vehicle_added_again_keeps_its_odometer(ada: Person) -> None:
    vehicle = add(ada)
    call(ada, "DELETE", f"{VEHICLES}/{vehicle}")

    assert call(ada, "GET", VEHICLES)["data"] == []
    assert add(ada, odometer=None) == vehicle
    assert call(ada, "GET", VEHICLES)["data"][0]["odometer"] == 81_000


def test_odometer_that_runs_backwards_is_a_warning(ada: Person, clock: FrozenClock) -> None:
    vehicle = add(ada)
    clock.advance(timedelta(days=40))

    answer = call(ada, "POST", f"{VEHICLES}/{vehicle}/odometer", {"miles": 80_000})

    assert answer["data"] == {"recorded": False, "warnings": ["odometer_runs_backwards"]}
    readings = call(ada, "GET", f"{VEHICLES}/{vehicle}/odometer")["data"]
    assert [reading["miles"] for reading in readings] == [81_000]


def test_earlier_reading_above_the_newest_one_is_a_warning(ada: Person, clock: FrozenClock) -> None:
    vehicle = add(ada)
    day = (clock().date() - timedelta(days=30)).isoformat()

    higher = call(ada, "POST", f"{VEHICLES}/{vehicle}/odometer", {"miles": 82_000, "on": day})
    lower = call(ada, "POST", f"{VEHICLES}/{vehicle}/odometer", {"miles": 79_000, "on": day})

    assert (higher["data"]["recorded"], lower["data"]["recorded"]) == (False, True)


def test_miles_a_month_follow_from_the_odometer_log(ada: Person, clock: FrozenClock) -> None:
    vehicle = add(ada)
    clock.advance(timedelta(days=61))
    call(ada, "POST", f"{VEHICLES}/{vehicle}/odometer", {"miles": 85_000})

    (summary,) = call(ada, "GET", VEHICLES)["data"]

    assert summary["odometer"] == 85_000
    assert summary["miles_a_month"] == pytest.approx(4_000 / 61 * 365.25 / 12, abs=0.1)


def test_service_stays_overdue_until_it_is_done(ada: Person, clock: FrozenClock) -> None:
    vehicle = add(ada)
    clock.advance(timedelta(days=400))
    call(ada, "POST", f"{VEHICLES}/{vehicle}/odometer", {"miles": 95_000})
    path = f"{VEHICLES}/{vehicle}/services/tire-rotation/done"

    def rotation() -> Any:
        services = call(ada, "GET", f"{VEHICLES}/{vehicle}")["data"]["services"]
        return next(service for service in services if service["service"] == "tire-rotation")

    assert (rotation()["status"], rotation()["basis"]) == ("overdue", "plan")
    call(ada, "POST", path, {"miles": 95_000})
    after = rotation()
    assert (after["status"], after["basis"], after["due_mileage"]) == ("upcoming", "history", 101_000)


def test_unneeded_service_is_not_found(ada: Person) -> None:
    vehicle = add(ada, TESLA)

    call(ada, "POST", f"{VEHICLES}/{vehicle}/services/spark-plugs/done", {}, status=404)


def test_own_schedule_replaces_the_plan(ada: Person, clock: FrozenClock) -> None:
    vehicle = add(ada)
    day = (clock().date() + timedelta(days=10)).isoformat()
    body = {
        "vehicle": vehicle,
        "problem_identifier": "oil-change-synthetic",
        "due_on": day,
        "interval_months": 4,
    }
    call(ada, "POST", "/api/v1/fleet/service-schedules", body, status=201)

    services = call(ada, "GET", f"{VEHICLES}/{vehicle}")["data"]["services"]

    oil = [service for service in services if service["service"].startswith("oil-change")]
    assert [(one["service"], one["due_on"], one["basis"]) for one in oil] == [
        ("oil-change-synthetic", day, "schedule")
    ]


def test_due_services_of_all_vehicles_are_listed_by_day(ada: Person, clock: FrozenClock) -> None:
    add(ada), add(ada, F250)
    until = (clock().date() + timedelta(days=365)).isoformat()

    first = call(ada, "GET", f"{GARAGE}/services?due_by={until}&per_page=5")
    second = call(
        ada, "GET", f"{GARAGE}/services?due_by={until}&per_page=100&cursor={first['meta']['next_cursor']}"
    )

    days = [service["due_on"] for service in (*first["data"], *second["data"])]
    assert len(days) == first["meta"]["total"] == second["meta"]["total"]
    assert days == sorted(days)
    assert second["meta"]["next_cursor"] is None


@pytest.mark.parametrize("direction", ["", "-"])
@pytest.mark.parametrize("sort", VEHICLE_SORTS)
def test_pages_by_cursor_have_each_vehicle_once(ada: Person, sort: str, direction: str) -> None:
    for place, vin in enumerate((ACCORD, F250, TESLA)):
        add(ada, vin, unit_number=None if place == 1 else str(place), odometer=None if place else 10_000)
    query = f"{VEHICLES}?sort={direction}{sort}"
    seen, cursor = [], ""
    while cursor is not None:
        page = call(ada, "GET", f"{query}&per_page=1{cursor and f'&cursor={cursor}'}")
        seen += [vehicle["vin"] for vehicle in page["data"]]
        cursor = page["meta"]["next_cursor"]

    assert seen == [vehicle["vin"] for vehicle in call(ada, "GET", query)["data"]]
    assert sorted(seen) == sorted((ACCORD, F250, TESLA))


@pytest.mark.parametrize(
    ("sort", "field"),
    [
        ("unit_number", "unit_number"),
        ("-cost", "cost_next_year"),
        ("-odometer", "odometer"),
        ("-cost_per_mile", "cost_per_mile"),
    ],
)
def test_unknown_values_sort_last(ada: Person, sort: str, field: str) -> None:
    add(ada, unit_number="zz"), add(ada, TESLA, unit_number="-3")
    add(ada, F250, unit_number=None, zip_code=None, odometer=None)

    found = [vehicle[field] for vehicle in call(ada, "GET", f"{VEHICLES}?sort={sort}")["data"]]

    unknown = [one is None for one in found]
    assert any(unknown)
    assert unknown == sorted(unknown)


def test_services_page_backward_and_sort_descending(ada: Person, clock: FrozenClock) -> None:
    add(ada), add(ada, F250)
    until = (clock().date() + timedelta(days=365)).isoformat()
    path = f"{GARAGE}/services?due_by={until}"

    def names(page: Any) -> list[tuple[str, str]]:
        return [(service["vin"], service["service"]) for service in page["data"]]

    first = call(ada, "GET", f"{path}&per_page=3")
    second = call(ada, "GET", f"{path}&per_page=3&cursor={first['meta']['next_cursor']}")
    back = call(ada, "GET", f"{path}&per_page=3&cursor={second['meta']['previous_cursor']}")
    falling = call(ada, "GET", f"{path}&per_page=100&sort=-due_on")

    assert names(back) == names(first)
    assert names(falling) == names(call(ada, "GET", f"{path}&per_page=100"))[::-1]


@pytest.mark.parametrize("cursor", ["x", "!!", "W10", "WzEsMl0", "bnVsbA", "WzUsIngiXQ"])
def test_invalid_cursor_is_rejected(ada: Person, cursor: str) -> None:
    assert "cursor" in call(ada, "GET", f"{VEHICLES}?cursor={cursor}", status=422)["errors"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("search=blue", {ACCORD}),
        ("search=ford+service", {F250}),
        (f"search={TESLA[:8]}", {TESLA}),
        ("department=sales", {ACCORD}),
        ("make=ford", {F250}),
        ("make=ford&model=Accord", set()),
        ("recalls=true", set()),
        ("health_below=100", {ACCORD, F250, TESLA}),
        ("health_below=1", set()),
        ("due=overdue", set()),
        ("due=none", {ACCORD, F250, TESLA}),
    ],
)
def test_list_filters_vehicles(ada: Person, query: str, expected: set[str], clock: FrozenClock) -> None:
    day = (clock().date() - timedelta(days=20)).isoformat()
    add(ada, nickname="Blue", department="Sales", in_service_on=day)
    add(ada, F250, department="Service", in_service_on=day)
    add(ada, TESLA, in_service_on=day, odometer=1)

    found = {vehicle["vin"] for vehicle in call(ada, "GET", f"{VEHICLES}?{query}")["data"]}

    assert found == expected


def test_sums_add_up_the_costs_of_the_vehicles(ada: Person) -> None:
    add(ada), add(ada, F250), add(ada, TESLA, zip_code=None)
    vehicles = call(ada, "GET", VEHICLES)["data"]
    costs = [vehicle["cost_next_year"] for vehicle in vehicles if vehicle["cost_next_year"]]

    sums = call(ada, "GET", f"{GARAGE}/sums")["data"]

    year = sums["cost_next_year"]
    assert (sums["vehicles"], sums["priced"], sums["pending"]) == (3, 2, 0)
    assert year["average"] == pytest.approx(sum(cost["average"] for cost in costs), abs=0.05)
    assert year["low"] > sum(cost["low"] for cost in costs)
    assert year["high"] < sum(cost["high"] for cost in costs)
    assert sum(month["cost"]["average"] for month in sums["months"]) == pytest.approx(
        year["average"], abs=0.1
    )
    assert [model["vehicles"] for model in sums["models"]] == [1, 1, 1]


def test_months_and_models_match_the_sums(ada: Person) -> None:
    add(ada, department="Sales"), add(ada, F250)

    sums = call(ada, "GET", f"{GARAGE}/sums?department=Sales")["data"]

    for name in ("months", "models"):
        found = call(ada, "GET", f"{GARAGE}/{name}?department=Sales")
        assert (found["count"], found["data"]) == (len(sums[name]), sums[name])
    assert list(call(ada, "GET", f"{GARAGE}/months?color=red", status=422)["errors"]) == ["color"]


def test_sums_of_an_empty_garage_are_zero(ada: Person) -> None:
    sums = call(ada, "GET", f"{GARAGE}/sums")["data"]

    assert (sums["vehicles"], sums["cost_next_year"]["average"], sums["models"]) == (0, 0, [])


@pytest.mark.parametrize("table", ["vehicles", "services", "months", "models"])
def test_csv_tables_have_no_formulas(ada: Person, table: str) -> None:
    add(ada, nickname="=1+1", unit_number="@x", department="-2")

    text = call(ada, "GET", f"{GARAGE}/{table}?format=csv")

    rows = list(csv.DictReader(io.StringIO(text)))
    assert rows or table == "services"
    assert not any(cell.startswith(("=", "@", "+", "-")) for row in rows for cell in row.values())


def test_csv_has_every_page(ada: Person) -> None:
    add(ada), add(ada, F250)

    text = call(ada, "GET", f"{VEHICLES}?format=csv&per_page=1&sort=-odometer")

    assert len(list(csv.DictReader(io.StringIO(text)))) == 2


def test_test_and_live_garages_are_separate(ada: Person, owner: Person) -> None:
    add(ada)
    key = owner.keys("test").secret_key

    assert ada.client.get(VEHICLES, headers=bearer(key)).get_json()["data"] == []


def test_publishable_key_has_no_access(owner: Person) -> None:
    assert owner.client.get(VEHICLES, headers=bearer(owner.keys().public_key)).status_code == 403


def test_bills_are_recorded_listed_and_deleted(ada: Person, clock: FrozenClock) -> None:
    add(ada)
    bills = f"{VEHICLES}/{ACCORD}/bills"
    paid = {"on": f"{clock():%Y-%m-%d}", "total": 58.2, "title": "Two wheels aligned", "mileage": 80_900}
    recorded = call(ada, "POST", bills, paid, status=201)["data"]
    shape = {
        **dict.fromkeys(("id",), uuid),
        **dict.fromkeys(("on", "title"), str),
        **dict.fromkeys(("problem_identifier", "shop_name"), nullable(str)),
        "total": number,
        "mileage": nullable(int),
        "created_at": moment,
    }
    assert shaped(shape, recorded)
    assert call(ada, "GET", bills)["data"] == [recorded]
    assert call(ada, "GET", f"{bills}?format=csv").startswith("id,on,total,title")
    assert call(ada, "GET", f"{VEHICLES}/{ACCORD}")["data"]["cost_past_year"] == 58.2
    call(ada, "DELETE", f"{bills}/{recorded['id']}")
    call(ada, "DELETE", f"{bills}/{recorded['id']}", status=404)


def test_bill_with_bad_fields_is_rejected(ada: Person) -> None:
    add(ada)
    errors = call(ada, "POST", f"{VEHICLES}/{ACCORD}/bills", {"on": "soon", "total": 1.005}, status=422)
    assert set(errors["errors"]) == {"on", "total", "title"}
