"""The vehicles of an installation over HTTP: listed, created, updated and deleted, on both databases."""

import threading
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ACCORD, ASK, Person, bearer, promoted
from tests.http.prediction_shapes import FACTS
from tests.http.providers import with_provider
from tests.http.shape import CURSORS, nullable, shaped
from tests.http.watched import serve_core
from tests.writes import unwritten

from repaircore.adapters.sql.schema.predictions import predictions
from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL, Role
from repaircore.kernel.errors import Conflict, Forbidden
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.testing.clock import FrozenClock
from repaircore.transactions.model import TransactionPart

PATH = "/api/v1/admin/vehicles"
MASK = "1HGCM82633A"
INPUT: dict[str, Any] = {
    "vehicle_model_id": "2003-honda-accord",
    "vin_mask": MASK,
    "current_mileage": 120_000,
    "plate_no": "7ABC123",
    "motor_vehicle_type": "Sedan",
    "motor_vehicle_type_group": "Passenger",
}
NEW: dict[str, Any] = {
    "new_make": "Honda",
    "new_model": "Accord",
    "new_year": 2003,
    "vin_mask": MASK,
    "current_mileage": 0,
}
RECORD: dict[str, Any] = {
    "id": str,
    "vin_mask": nullable(str),
    "display_name": str,
    "make": str,
    "model": str,
    "year": int,
    "trim": nullable(str),
    **FACTS,
    "current_mileage": nullable(int),
    "plate_no": nullable(str),
    "plate_state": nullable(str),
    "motor_vehicle_type": nullable(str),
    "motor_vehicle_type_group": nullable(str),
    "seed_facility_id": nullable(str),
    "source": str,
    "created_at": str,
}


@pytest.fixture
def root(core: Core, eve: Person) -> Person:
    return promoted(core, eve)


def put(root: Person, vehicle_id: str, body: Any) -> Any:
    return root.client.put(f"{PATH}/{vehicle_id}", json=body, headers=bearer(root.token))


def create_vehicle(root: Person, **changes: Any) -> Any:
    answer = root.post(PATH, {**NEW, **changes})
    assert answer.status_code == 201, answer.text
    return answer.get_json()["data"]


def error_fields(answer: Any) -> set[str]:
    assert answer.status_code == 422, answer.text
    return set(answer.get_json()["errors"])


def test_create_stores_a_vehicle_of_the_catalog(root: Person, clock: FrozenClock) -> None:
    answer = root.post(PATH, INPUT)
    assert answer.status_code == 201, answer.text
    assert shaped({"success": True, "message": str, "data": RECORD}, answer.json)
    data = answer.get_json()["data"]
    UUID(data["id"])

    assert (
        data.items()
        >= {
            "vin_mask": MASK,
            "make": "Honda",
            "model": "Accord",
            "year": 2003,
            "current_mileage": 120_000,
            "plate_no": "7ABC123",
            "motor_vehicle_type": "Sedan",
            "motor_vehicle_type_group": "Passenger",
            "seed_facility_id": None,
            "source": "operator",
            "created_at": f"{clock():%Y-%m-%dT%H:%M:%SZ}",
        }.items()
    )
    assert root.get(f"{PATH}/{data['id']}").json == {"success": True, "data": data}


def test_create_completes_a_vehicle_from_the_catalog(root: Person) -> None:
    assert create_vehicle(root)["body"] == "car"
    unknown = create_vehicle(
        root, new_make="zastava", new_model="Yugo Koral", new_year=1988, vin_mask="VX1BA1217JK"
    )

    assert (unknown["make"], unknown["model"], unknown["body"]) == ("Zastava", "Yugo Koral", None)


def test_create_matches_vins_by_their_first_11_characters(root: Person) -> None:
    mine = create_vehicle(root, new_make="Honda", new_model="Accord Special")
    answer = root.post("/api/v1/predict", ASK).get_json()

    assert answer["vehicle"]["id"] == mine["id"]
    assert answer["vehicle"]["model"] == "Accord Special"


def test_predictions_show_no_more_of_a_vin_than_was_sent(root: Person, ada: Person) -> None:
    create_vehicle(root, vin_mask=ACCORD)

    assert ACCORD not in ada.post("/api/v1/predict", {**ASK, "vin": MASK}).text


@pytest.mark.parametrize(
    ("mask", "expected"),
    [("1hgcm82633a", MASK), ("1HGCM-82633-A 004352", ACCORD), ("1HGCM82633A******", "1HGCM82633A******")],
)
def test_create_normalizes_the_mask(root: Person, mask: str, expected: str) -> None:
    assert create_vehicle(root, vin_mask=mask)["vin_mask"] == expected


def test_create_reports_every_missing_field(root: Person) -> None:
    new = {"new_make", "new_model", "new_year"}

    assert error_fields(root.post(PATH, {})) == {"vin_mask", "current_mileage", *new}
    assert error_fields(root.post(PATH, {"vin_mask": MASK, "current_mileage": 0})) == new
    assert error_fields(root.post(PATH, {**NEW, "new_year": None, "new_model": " "})) == {
        "new_model",
        "new_year",
    }
    assert error_fields(root.post(PATH, {**INPUT, "vehicle_model_id": None})) == new
    assert error_fields(root.post(PATH, {**INPUT, "vin_mask": None, "current_mileage": None})) == {
        "vin_mask",
        "current_mileage",
    }


BAD: list[tuple[str, Any]] = [
    ("vehicle_model_id", "2003-honda-accordion"),
    ("vehicle_model_id", "3003-honda-accord"),
    ("vehicle_model_id", "accord"),
    ("vehicle_model_id", "7"),
    ("vehicle_model_id", 7),
    ("new_make", "x" * 256),
    ("new_make", 5),
    ("new_model", "x" * 256),
    ("new_year", 1899),
    ("new_year", 2101),
    ("new_year", "2003"),
    ("new_year", 2003.0),
    ("new_year", True),
    ("vin_mask", "1HGCM82633"),
    ("vin_mask", "1HGCM82633A0043522"),
    ("vin_mask", "1HGCM82633I"),
    ("vin_mask", "***********"),
    ("vin_mask", ""),
    ("vin_mask", None),
    ("current_mileage", -1),
    ("current_mileage", 0.5),
    ("current_mileage", "0"),
    ("current_mileage", None),
    ("plate_no", "x" * 21),
    ("plate_no", 7),
    ("motor_vehicle_type", "x" * 256),
    ("motor_vehicle_type_group", "x" * 256),
    ("motor_vehicle_type_group", []),
    ("seed_facility_id", "999"),
    ("seed_facility_id", "0"),
    ("seed_facility_id", "-1"),
    ("seed_facility_id", "x"),
    ("seed_facility_id", "٣"),
    ("seed_facility_id", "9" * 30),
    ("seed_facility_id", str(2**63)),
    ("seed_facility_id", 1),
]


@pytest.mark.parametrize(("field", "value"), BAD, ids=lambda one: str(one)[:30])
def test_create_reports_an_invalid_value_and_stores_nothing(
    root: Person, core: Core, field: str, value: Any
) -> None:
    assert error_fields(root.post(PATH, {**NEW, field: value})) == {field}
    assert core.stored_vehicles.page().total == 0
    assert core.audit.list_newest() == []


def test_create_accepts_values_at_their_bounds(root: Person) -> None:
    data = create_vehicle(
        root,
        new_make="M" * 255,
        new_model="m" * 255,
        new_year=2100,
        vin_mask=MASK + "00435Z",
        current_mileage=2**63 - 1,
        plate_no="p" * 20,
        motor_vehicle_type="t" * 255,
        motor_vehicle_type_group="g" * 255,
    )

    assert (data["year"], data["current_mileage"]) == (2100, 2**63 - 1)
    assert create_vehicle(root, vin_mask="1HGCM82643A", new_year=1900)["year"] == 1900


def test_create_accepts_a_group_without_a_type(root: Person) -> None:
    data = create_vehicle(root, motor_vehicle_type_group="Passenger")

    assert (data["motor_vehicle_type"], data["motor_vehicle_type_group"]) == (None, "Passenger")


def test_create_accepts_a_facility_id_as_text(root: Person, core: Core) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Corner garage"))
    data = create_vehicle(root, seed_facility_id=str(shop.id))

    assert data["seed_facility_id"] == str(shop.id)
    assert [one["id"] for one in root.get(f"{PATH}?facility_id={shop.id}").get_json()["data"]] == [data["id"]]
    assert root.get(f"{PATH}?facility_id={shop.id + 1}").get_json()["meta"]["total"] == 0


def test_second_record_of_the_same_11_characters_is_a_conflict(root: Person, core: Core) -> None:
    first = create_vehicle(root)
    answer = root.post(PATH, {**NEW, "vin_mask": "1HGCM82633A00****"})
    assert answer.status_code == 409
    assert shaped({"message": str}, answer.json)
    assert first["id"] in answer.get_json()["message"]
    assert core.stored_vehicles.page().total == 1
    whole = create_vehicle(root, vin_mask=ACCORD)
    answer = root.post(PATH, {**NEW, "vin_mask": ACCORD})

    assert answer.status_code == 409
    assert whole["id"] in answer.get_json()["message"]


def test_concurrent_creates_store_one_record(root: Person, core: Core) -> None:
    start, statuses = threading.Barrier(4), []
    headers = bearer(root.token)

    def make() -> None:
        client = serve_core(core).test_client()
        start.wait(10)
        statuses.append(client.post(PATH, json=NEW, headers=headers).status_code)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(statuses) == [201, 409, 409, 409]


# Updating


CHANGE: dict[str, Any] = {
    "vin_mask": MASK,
    "current_mileage": 130_000,
    "plate_no": "8XYZ999",
    "motor_vehicle_type": "Taxi",
    "motor_vehicle_type_group": "Commercial",
}


def test_update_changes_only_the_given_fields(root: Person) -> None:
    before = create_vehicle(root)
    answer = put(root, before["id"], {**CHANGE, "new_make": "Ford", "make": "Ford", "id": "x", "source": "x"})

    assert answer.status_code == 200, answer.text
    assert answer.get_json()["data"] == {**before, **CHANGE}
    assert root.get(f"{PATH}/{before['id']}").get_json()["data"] == {**before, **CHANGE}


def test_update_keeps_absent_fields_and_removes_null_ones(root: Person) -> None:
    one = create_vehicle(
        root, plate_no="7ABC123", motor_vehicle_type="Sedan", motor_vehicle_type_group="Passenger"
    )
    body = {"vin_mask": MASK, "current_mileage": 1}
    assert put(root, one["id"], body).get_json()["data"] == {**one, "current_mileage": 1}
    data = put(root, one["id"], {**body, "plate_no": None, "motor_vehicle_type": ""}).get_json()["data"]

    assert (data["plate_no"], data["motor_vehicle_type"]) == (None, None)
    assert data["motor_vehicle_type_group"] == "Passenger"


@pytest.mark.parametrize(
    ("field", "value"),
    [(field, value) for field, value in BAD if field in CHANGE],
    ids=lambda one: str(one)[:30],
)
def test_update_reports_an_invalid_value_and_changes_nothing(root: Person, field: str, value: Any) -> None:
    before = create_vehicle(root)

    assert error_fields(put(root, before["id"], {**CHANGE, field: value})) == {field}
    assert error_fields(put(root, before["id"], {})) == {"vin_mask", "current_mileage"}
    assert root.get(f"{PATH}/{before['id']}").get_json()["data"] == before


def test_update_rejects_the_mask_of_another_vehicle(root: Person) -> None:
    create_vehicle(root)
    other = create_vehicle(root, vin_mask="1HGCM82643A")

    assert put(root, other["id"], CHANGE).status_code == 409
    assert root.get(f"{PATH}/{other['id']}").get_json()["data"] == other


def test_concurrent_updates_conflict(core: Core, root: Person) -> None:
    create_vehicle(root)
    (stored,) = core.stored_vehicles.page()
    with core.storage.transaction() as work:
        work.vehicles.replace(stored, stored)
    with core.storage.transaction() as work, pytest.raises(Conflict):
        work.vehicles.replace(stored, stored)


def test_update_without_a_change_writes_nothing(root: Person, core: Core, database_url: str) -> None:
    one = create_vehicle(root)
    same = {name: one[name] for name in CHANGE}
    with unwritten(database_url):
        assert put(root, one["id"], same).status_code == 200

    assert len(core.audit.list_newest()) == 1


# Effects of a changed mask on answers and plates


def test_update_of_the_mask_applies_to_other_vins_at_once(
    root: Person, ada: Person, open_core: OpenCore
) -> None:
    one = create_vehicle(root, new_model="Accord Special")
    other = serve_core(open_core()).test_client()

    def model_of(vin: str) -> str:
        answer = other.post("/api/v1/predict", json={**ASK, "vin": vin}, headers=bearer(ada.token))
        assert answer.status_code == 200, answer.text
        model: str = answer.get_json()["vehicle"]["model"]
        return model

    assert model_of(ACCORD) == "Accord Special"
    assert put(root, one["id"], {**CHANGE, "vin_mask": "1HGCM82643A"}).status_code == 200
    assert model_of(ACCORD) == "Accord"
    assert model_of("1HGCM82643A") == "Accord Special"


def test_update_to_a_longer_mask_keeps_cached_answers(root: Person, ada: Person) -> None:
    one = create_vehicle(root)
    first = ada.post("/api/v1/predict", ASK).get_json()
    put(root, one["id"], {**CHANGE, "vin_mask": "1HGCM82633A00****"})
    again = ada.post("/api/v1/predict", ASK).get_json()

    assert (again["session_id"], again["memory_source"]) == (first["session_id"], "cached")


def test_update_to_a_whole_vin_matches_only_that_vin(root: Person, ada: Person) -> None:
    one = create_vehicle(root, new_model="Accord Special")
    sister = {**ASK, "vin": ACCORD[:-1] + "3"}
    assert ada.post("/api/v1/predict", sister).get_json()["vehicle"]["id"] == one["id"]
    put(root, one["id"], {**CHANGE, "vin_mask": ACCORD})

    assert ada.post("/api/v1/predict", sister).get_json()["vehicle"]["model"] == "Accord"
    assert ada.post("/api/v1/predict", ASK).get_json()["vehicle"]["id"] == one["id"]


def test_update_keeps_learned_samples(root: Person, core: Core) -> None:
    one = create_vehicle(root)
    core.transactions.record(
        CreateTransaction(
            vehicle_id=UUID(one["id"]),
            problem_id=101,
            performed_on=date(2025, 12, 1),
            labor_hours=1.5,
            labor_rate=120_00,
            parts=(TransactionPart(name="Front brake pad set", unit_price=80_00, quantity=1),),
        )
    )
    with core.storage.read() as work:
        before = work.samples.counts(LOCAL.environment)
    assert put(root, one["id"], {**CHANGE, "vin_mask": "1HGCM82643A"}).status_code == 200
    with core.storage.read() as work:
        assert work.samples.counts(LOCAL.environment) == before
    core.transactions.delete(1)
    with core.storage.read() as work:
        assert work.samples.counts(LOCAL.environment) == {}


def test_update_of_the_mask_deletes_plates_of_former_vins(root: Person, core: Core) -> None:
    with_plates = with_provider(core, core.lookups.sandbox)
    found = with_plates.lookups.find_by_plate("TEST123", "CA")
    one = str(found.vehicle.id)
    assert put(root, one, {**CHANGE, "vin_mask": found.vin}).status_code == 200
    with core.storage.read() as work:
        assert work.plates.find_newest(found.vin, environment=LOCAL.environment) is not None
    assert put(root, one, {**CHANGE, "vin_mask": "1FTEW1EP5JK"}).status_code == 200
    with core.storage.read() as work:
        assert work.plates.find_newest(found.vin, environment=LOCAL.environment) is None
    again = with_plates.lookups.find_by_plate("TEST123", "CA")

    assert str(again.vehicle.id) != one


# Deleting


def test_delete_removes_a_vehicle_without_references(root: Person) -> None:
    one = create_vehicle(root)
    answer = root.delete(f"{PATH}/{one['id']}")

    assert (answer.status_code, answer.get_json()["data"]) == (200, {"id": one["id"]})
    assert root.get(f"{PATH}/{one['id']}").status_code == 404
    assert root.delete(f"{PATH}/{one['id']}").status_code == 404
    assert create_vehicle(root)["id"] != one["id"]


def test_delete_reports_references_and_keeps_the_vehicle(root: Person, ada: Person, core: Core) -> None:
    found = with_provider(core, core.lookups.sandbox).lookups.find_by_plate("TEST123", "CA")
    ada.post("/api/v1/predict", {**ASK, "vin": found.vin})
    ada.post("/api/v1/predict", {**ASK, "vin": found.vin, "zip_code": "10001"})
    answer = root.delete(f"{PATH}/{found.vehicle.id}")
    assert answer.status_code == 409
    assert shaped({"message": str}, answer.json)
    message = answer.get_json()["message"]

    assert "1 plate" in message
    assert "2 predictions" in message
    assert root.get(f"{PATH}/{found.vehicle.id}").status_code == 200


def test_predictions_are_recomputed_after_the_vehicle_was_deleted(
    root: Person, ada: Person, core: Core
) -> None:
    one = create_vehicle(root, new_model="Accord Special")
    ada.post("/api/v1/predict", ASK)
    with (
        core.storage.transaction() as work
    ):  # as if its first session had not been stored yet when the vehicle was deleted
        work.connection.execute(predictions.delete())
        stored = work.vehicles.find(UUID(one["id"]))
        assert stored is not None
        work.vehicles.delete(stored)
    answer = ada.post("/api/v1/predict", ASK)

    assert answer.status_code == 200, answer.text
    assert answer.get_json()["vehicle"]["model"] == "Accord"


@pytest.mark.parametrize(
    "bad_id", ["1", "x", "%00", "00000000-0000-0000-0000-000000000000", "../x", "9" * 400]
)
def test_unknown_id_is_a_404(root: Person, bad_id: str) -> None:
    for answer in (root.get(f"{PATH}/{bad_id}"), put(root, bad_id, CHANGE), root.delete(f"{PATH}/{bad_id}")):
        assert answer.status_code == 404
        assert shaped({"message": str}, answer.json)


# Permissions and the audit log


def test_changes_are_audited_with_before_and_after(root: Person, core: Core) -> None:
    one = create_vehicle(root, plate_no="7ABC123")
    put(root, one["id"], CHANGE)
    root.delete(f"{PATH}/{one['id']}")
    removed, changed, added = core.audit.list_newest()
    assert [entry.action for entry in (added, changed, removed)] == [
        "vehicle.add",
        "vehicle.change",
        "vehicle.remove",
    ]
    assert {entry.subject for entry in (added, changed, removed)} == {f"vehicles/{one['id']}"}
    assert (added.before, removed.after) == (None, None)
    before, after = dict(changed.before or {}), dict(changed.after or {})

    assert before["plate_no"] == "7ABC123"
    assert before.keys() == after.keys()
    assert not before.items() & after.items()
    assert {**dict(added.after or {}), **after} == removed.before
    assert {**dict(removed.before or {}), **before} == added.after
    assert {entry.user_id for entry in (added, changed, removed)} == {root.id}


def test_test_key_may_only_read(root: Person, api: FlaskClient, core: Core) -> None:
    one = create_vehicle(root)
    test = bearer(root.keys("test").secret_key)
    path = f"{PATH}/{one['id']}"

    assert api.get(path, headers=test).status_code == 200
    assert api.post(PATH, json={**NEW, "vin_mask": "1HGCM82643A"}, headers=test).status_code == 403
    assert api.put(path, json=CHANGE, headers=test).status_code == 403
    assert api.delete(path, headers=test).status_code == 403
    assert api.get(path, headers=test).get_json()["data"] == one
    assert len(core.audit.list_newest()) == 1


# The list


@pytest.fixture
def vehicles(root: Person, clock: FrozenClock) -> list[dict[str, Any]]:
    """Create five vehicles, a second apart."""
    specs = [
        ("Honda", "Accord", 2003, "1HGCM82633A", "7ABC123"),
        ("Honda", "CR-V", 2015, "2HKRM4H57FH", None),
        ("Ford", "F-150", 2018, "1FTEW1EP5JK", "TRUCK 1"),
        ("Chevrolet", "Silverado 1500", 2018, "3GCUKREC9JG", None),
        ("Mercedes-Benz", "C-Class", 2003, "WDBRF61J23F", "S_%X"),
    ]
    created = []
    for make, model, year, mask, plate in specs:
        clock.advance(timedelta(seconds=1))
        created.append(
            create_vehicle(root, new_make=make, new_model=model, new_year=year, vin_mask=mask, plate_no=plate)
        )
    return created


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", [4, 3, 2, 1, 0]),
        ("make=honda", [1, 0]),
        ("make=HONDA&model=crv", [1]),
        ("make=chevy", [3]),
        ("make=mercedes", [4]),
        ("model=f150", [2]),
        ("year=2003", [4, 0]),
        ("year=2003&make=Honda", [0]),
        ("year=1", []),
        ("make=", []),
        ("search=honda", [1, 0]),
        ("search=hon+2015", [1]),
        ("search=f-150", [2]),
        ("search=silverado", [3]),
        ("search=benz", [4]),
        ("search=1HGCM8", [0]),
        ("search=1hgcm82633a", [0]),
        ("search=7abc123", [0]),
        ("search=truck", [2]),
        ("search=s_%25x", [4]),
        ("search=%25", [4, 3, 2, 1, 0]),
        ("search=2018", [3, 2]),
        ("search=nothing", []),
        ("search=honda+nothing", []),
    ],
)
def test_list_finds_vehicles(
    root: Person, vehicles: list[dict[str, Any]], query: str, found: list[int]
) -> None:
    answer = root.get(f"{PATH}?{query}").get_json()

    assert [one["id"] for one in answer["data"]] == [vehicles[number]["id"] for number in found]
    assert answer["meta"]["total"] == len(found)


@pytest.mark.usefixtures("vehicles")
def test_list_has_pages(root: Person) -> None:
    answer = root.get(f"{PATH}?page=2&per_page=2").get_json()
    assert shaped(
        {
            "success": True,
            "data": [RECORD],
            "meta": {"current_page": 2, "per_page": 2, "total": 5, "last_page": 3, **CURSORS},
        },
        answer,
    )
    assert len(answer["data"]) == 2
    for far in (4, 2**63 - 1):
        assert root.get(f"{PATH}?page={far}&per_page=100").get_json()["data"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("page=0", "page"),
        ("page=-1", "page"),
        ("page=x", "page"),
        ("page=99999999999999999999", "page"),
        ("per_page=0", "per_page"),
        ("per_page=101", "per_page"),
        ("year=x", "year"),
        ("facility_id=x", "facility_id"),
        ("search=" + "x" * 256, "search"),
        ("make=a&make=b", "make"),
    ],
)
def test_list_reports_invalid_parameters(root: Person, query: str, field: str) -> None:
    assert error_fields(root.get(f"{PATH}?{query}")) == {field}


@pytest.mark.usefixtures("vehicles")
def test_stats_count_everything(root: Person, clock: FrozenClock) -> None:
    data = root.get(f"{PATH}/stats").get_json()["data"]

    assert data["total"] == 5
    assert data["makes"][0] == {"make": "Honda", "count": 2}
    assert data["years"] == [
        {"year": 2018, "count": 2},
        {"year": 2015, "count": 1},
        {"year": 2003, "count": 2},
    ]
    assert data["sources"] == [{"source": "operator", "count": 5}]
    assert sum(one["count"] for one in data["motor_vehicle_types"]) == 5
    assert len(data["by_month"]) == 12
    assert data["by_month"][-1] == {"month": f"{clock():%Y-%m}", "count": 5}


def test_form_options_list_the_choices(root: Person, core: Core) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Corner garage"))
    create_vehicle(root, motor_vehicle_type="Taxi", motor_vehicle_type_group="Commercial")
    data = root.get(f"{PATH}/form-options").get_json()["data"]

    assert "Honda" in data["makes"]
    assert data["years"][0] > data["years"][-1] == 1984
    assert {"Taxi", "Pickup"} <= set(data["motor_vehicle_types"])
    assert {"Commercial", "Light truck"} <= set(data["motor_vehicle_type_groups"])
    assert data["facilities"] == [{"id": str(shop.id), "name": "Corner garage"}]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("q=HONDA+acc+2003", "2003-honda-accord"),
        ("q=f150+2015", "2015-ford-f150"),
        ("q=chevy+silv+2018", "2018-chevrolet-silverado1500"),
        ("q=cr-v+2015", "2015-honda-crv"),
        ("q=crv+2015", "2015-honda-crv"),
    ],
)
def test_search_models_matches_beginnings_of_words(root: Person, query: str, first: str) -> None:
    answer = root.get(f"{PATH}/search-models?{query}").get_json()
    one = {"id": str, "display_name": str, "make": str, "model": str, "year": int}

    assert shaped({"success": True, "count": len(answer["data"]), "data": [one]}, answer)
    assert answer["data"][0]["id"] == first
    assert root.post(PATH, {**INPUT, "vehicle_model_id": first}).status_code == 201


def test_search_models_respects_the_limit(root: Person) -> None:
    assert root.get(f"{PATH}/search-models?q=zzzz").get_json()["data"] == []
    assert len(root.get(f"{PATH}/search-models").get_json()["data"]) == 20
    assert len(root.get(f"{PATH}/search-models?q=honda&limit=3").get_json()["data"]) == 3
    assert error_fields(root.get(f"{PATH}/search-models?limit=0")) == {"limit"}
    assert error_fields(root.get(f"{PATH}/search-models?limit=101&q={'x' * 101}")) == {"limit", "q"}
    assert error_fields(root.get(f"{PATH}/search-models?limit=x")) == {"limit"}


# Plates entered by operators


def test_lookup_falls_back_to_the_entered_plate(root: Person) -> None:
    create_vehicle(root, vin_mask=ACCORD, plate_no="7abc-123", plate_state="ca")
    data = root.post("/api/v1/predict/vehicle-lookup", {"vin": ACCORD}).get_json()["data"]
    assert (data["plate_no"], data["plate_state"]) == ("7ABC123", "CA")
    test = root.keys("test").secret_key
    in_test = root.client.post("/api/v1/predict/vehicle-lookup", json={"vin": ACCORD}, headers=bearer(test))

    assert in_test.get_json()["data"]["plate_no"] is None


def test_lookup_returns_no_plate_of_another_vehicle(root: Person) -> None:
    create_vehicle(root, vin_mask=ACCORD, plate_no="7ABC123")
    for vin, plate in ((ACCORD, "7ABC123"), (ACCORD[:-1] + "3", None), (MASK, None)):
        data = root.post("/api/v1/predict/vehicle-lookup", {"vin": vin}).get_json()["data"]
        assert data["plate_no"] == plate


def test_lookup_returns_no_plate_of_a_mask(root: Person) -> None:
    create_vehicle(root, vin_mask="1HGCM82633A******", plate_no="7ABC123", plate_state="CA")
    for vin in (ACCORD, MASK):
        data = root.post("/api/v1/predict/vehicle-lookup", {"vin": vin}).get_json()["data"]
        assert (data["plate_no"], data["plate_state"]) == (None, None)
    answer = root.post("/api/v1/predict/plate-to-vin", {"plate": "7ABC123", "state": "CA"})

    assert answer.status_code == 422


def test_plate_lookup_finds_an_entered_plate(root: Person) -> None:
    one = create_vehicle(root, vin_mask=ACCORD, plate_no="7ABC123", plate_state="CA")
    create_vehicle(root, vin_mask=ACCORD[:-1] + "3", plate_no="STATELESS")
    found = root.post("/api/v1/predict/plate-to-vin", {"plate": "7abc 123", "state": "ca"}).get_json()
    assert (found["vin"], found["vehicle"]["id"]) == (ACCORD, one["id"])
    for plate, state in (("7ABC123", "NV"), ("STATELESS", "CA")):
        assert root.post("/api/v1/predict/plate-to-vin", {"plate": plate, "state": state}).status_code == 422
    test = root.keys("test").secret_key
    body = {"plate": "7ABC123", "state": "CA"}

    assert (
        root.client.post("/api/v1/predict/plate-to-vin", json=body, headers=bearer(test)).status_code == 422
    )


def test_create_rejects_an_unknown_state(root: Person) -> None:
    assert error_fields(root.post(PATH, {**NEW, "plate_no": "7ABC123", "plate_state": "ZZ"})) == {
        "plate_state"
    }
    assert error_fields(root.post(PATH, {**NEW, "plate_no": "?", "plate_state": "CA"})) == {"plate_state"}


def test_record_of_a_whole_vin_matches_no_other_vin(root: Person) -> None:
    mine = create_vehicle(root, vin_mask=ACCORD, new_model="Accord Special")
    body = {"zip_code": "90210", "problem_identifier": "brake-pads-front"}
    ids: dict[str, set[str]] = {}
    for vin in (ACCORD[:-1] + "3", ACCORD, MASK):
        for _ in range(2):
            answer = root.post("/api/v1/predict", {**body, "vin": vin}).get_json()
            ids.setdefault(vin, set()).add(answer["vehicle"]["id"])

    assert ids[ACCORD] == {mine["id"]}
    assert mine["id"] not in ids[MASK] | ids[ACCORD[:-1] + "3"]
    assert ids[MASK] == ids[ACCORD[:-1] + "3"]


def test_lookup_prefers_the_providers_plate(root: Person, core: Core) -> None:
    found = with_provider(core, core.lookups.sandbox).lookups.find_by_plate("TEST123", "CA")
    body = {"vin_mask": found.vin, "current_mileage": 0, "plate_no": "OTHER1"}
    assert put(root, str(found.vehicle.id), body).status_code == 200
    data = root.post("/api/v1/predict/vehicle-lookup", {"vin": found.vin}).get_json()["data"]

    assert data["plate_no"] == "TEST123"


def test_update_and_delete_require_an_admin(core: Core) -> None:
    somebody = evolve(LOCAL, role=Role.USER)
    with pytest.raises(Forbidden):
        core.stored_vehicles.update(UUID(int=1), {"current_mileage": 0}, somebody)
    with pytest.raises(Forbidden):
        core.stored_vehicles.delete(UUID(int=1), somebody)
