"""Vehicles by VIN and by plate, over both databases."""

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ACCORD, Person, bearer
from tests.http.prediction_shapes import FACTS
from tests.http.providers import with_provider
from tests.http.shape import nullable, shaped, uuid
from tests.http.watched import serve_core
from tests.threads import at_once
from tests.writes import rows, unwritten
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.testing.clock import FrozenClock
from repaircore.testing.plate_provider import PlateServer
from repaircore.testing.plates import ScriptedPlates
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.model import MotorType, Plate, Registration

BY_VIN, BY_PLATE = "/api/v1/predict/vehicle-lookup", "/api/v1/predict/plate-to-vin"
PLATE = {"plate": "7ABC123", "state": "CA"}
SANDBOX = {"plate": "TEST123", "state": "CA"}
STORED_PLATE = Plate(state="CA", number="7ABC123")
TESLA = "5YJ3E1EA8KF000001"
UNKNOWN_VIN = "ZZZZZZZZ4ZZ000001"

VIN_ANSWER: dict[str, Any] = {
    "success": True,
    "data": {
        "vin": str,
        "display_name": str,
        "make": str,
        "model": str,
        "year": int,
        "trim": nullable(str),
        **FACTS,
        "plate_no": nullable(str),
        "plate_state": nullable(str),
    },
    "warnings": [str],
}
PLATE_ANSWER: dict[str, Any] = {
    "success": True,
    "vin": str,
    "plate": str,
    "state": str,
    "vehicle": {
        "id": uuid,
        "display_name": str,
        "motor_vehicle_type": nullable(str),
        "motor_vehicle_type_group": nullable(str),
    },
    "message": str,
}


@pytest.fixture
def live(ada: Person) -> str:
    return ada.keys("live").secret_key


@pytest.fixture
def test_key(ada: Person) -> str:
    return ada.keys("test").secret_key


@pytest.fixture
def provider() -> ScriptedPlates:
    return ScriptedPlates({STORED_PLATE: Registration(vin=ACCORD)})


@pytest.fixture
def with_plates(core: Core, provider: ScriptedPlates) -> FlaskClient:
    """Return the client of a service whose live keys use the scripted provider."""
    return serve_core(with_provider(core, provider)).test_client()


def post(api: FlaskClient, path: str, body: object, token: str) -> TestResponse:
    return api.post(path, json=body, headers=bearer(token))


def find_by_vin(api: FlaskClient, token: str, vin: str = ACCORD) -> Any:
    answer = post(api, BY_VIN, {"vin": vin}, token)
    assert answer.status_code == 200, answer.text
    assert shaped(VIN_ANSWER, answer.json)
    return answer.json


def find_by_plate(api: FlaskClient, token: str, body: object = PLATE) -> Any:
    answer = post(api, BY_PLATE, body, token)
    assert answer.status_code == 200, answer.text
    assert shaped(PLATE_ANSWER, answer.json)
    return answer.json


def rejection(answer: TestResponse) -> str:
    assert answer.status_code == 422, answer.text
    assert shaped({"success": False, "message": str}, answer.json)
    message: str = answer.get_json()["message"]
    return message


# By VIN


def test_lookup_decodes_and_stores_an_unknown_vin_once(
    api: FlaskClient, live: str, database_url: str
) -> None:
    assert find_by_vin(api, live) == {
        "success": True,
        "data": {
            "vin": ACCORD,
            "display_name": "2003 Honda Accord EX-V6",
            "make": "Honda",
            "model": "Accord",
            "year": 2003,
            "trim": "EX-V6",
            "engine": {
                "name": "3.0L V6 (J-series V6)",
                "displacement_l": 3.0,
                "cylinders": 6,
                "layout": "v",
                "valve_train": "sohc",
                "aspiration": "natural",
                "cam_drive": "belt",
                "fuel": "gasoline",
                "horsepower": 240,
                "battery_kwh": None,
                "family": "J-series V6",
                "code": "J30A4",
                "spark_plugs": 6,
            },
            "possible_engines": [],
            "powertrain": "gas",
            "drive": "fwd",
            "possible_drives": [],
            "transmission": "automatic",
            "body": "car",
            "doors": 2,
            "weight_class": "1C",
            "brakes": None,
            "power_steering": "hydraulic",
            "plate_no": None,
            "plate_state": None,
        },
        "warnings": [],
    }
    with unwritten(database_url):
        find_by_vin(api, live)

    assert rows(database_url)["vehicles"] == 1


@pytest.mark.parametrize("length", range(11, 18))
def test_lookup_accepts_11_to_17_characters(
    api: FlaskClient, live: str, length: int, database_url: str
) -> None:
    result = find_by_vin(api, live, f" {ACCORD[:3].lower()}-{ACCORD[3:length]} ")

    assert (result["data"]["vin"], result["data"]["model"]) == (ACCORD[:length], "Accord")
    assert find_by_vin(api, live)["data"]["make"] == "Honda"
    assert rows(database_url)["vehicles"] == 1


def test_lookup_warns_about_a_wrong_check_digit(api: FlaskClient, live: str) -> None:
    assert find_by_vin(api, live, ACCORD[:8] + "4" + ACCORD[9:])["warnings"] == ["vin_check_digit"]
    assert find_by_vin(api, live, ACCORD[:16])["warnings"] == []


@pytest.mark.parametrize("vin", ["ZZZZZZZZZZZ", "00000000000", "ZZZZZZZZZZZ00", UNKNOWN_VIN])
def test_lookup_rejects_an_undecodable_vin(api: FlaskClient, live: str, vin: str, database_url: str) -> None:
    before = rows(database_url)

    assert rejection(post(api, BY_VIN, {"vin": vin}, live)) == "This VIN cannot be decoded."
    assert rows(database_url) == before


@pytest.mark.parametrize(
    "vin",
    ["", "1HGCM82633", "1HGCM82633A0043521", "1HGCM82633AOO", "1HGCM82633Ä", "x" * 900_000, None, 11, []],
)
def test_lookup_rejects_a_malformed_vin(api: FlaskClient, live: str, vin: object) -> None:
    answer = post(api, BY_VIN, {"vin": vin}, live)

    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {"vin": [str]}}, answer.json)
    assert len(answer.data) < 1000


def test_concurrent_lookups_store_one_vehicle(core: Core, live: str, database_url: str) -> None:
    app = serve_core(core)
    result = at_once(20, lambda: find_by_vin(app.test_client(), live))

    assert len({str(one) for one in result}) == 1
    assert rows(database_url)["vehicles"] == 1


def test_lookup_is_unavailable_while_the_remote_decoder_is_down(open_core: OpenCore, live: str) -> None:
    api = serve_core(open_core(vin_decoder_url="http://127.0.0.1:1")).test_client()
    answer = post(api, BY_VIN, {"vin": UNKNOWN_VIN}, live)

    assert answer.status_code == 503
    assert shaped({"success": False, "message": str, "error_code": str}, answer.json)
    assert find_by_vin(api, live)["data"]["make"] == "Honda"


# By plate


def test_plate_lookup_stores_the_vehicle(
    with_plates: FlaskClient, live: str, provider: ScriptedPlates, database_url: str
) -> None:
    result = find_by_plate(with_plates, live, {"plate": " 7abc-123", "state": "ca"})
    assert (result["vin"], result["plate"], result["state"]) == (ACCORD, "7ABC123", "CA")
    assert result["vehicle"] == {
        "id": result["vehicle"]["id"],
        "display_name": "2003 Honda Accord EX-V6",
        "motor_vehicle_type": "Passenger car",
        "motor_vehicle_type_group": "Passenger",
    }
    with unwritten(database_url):
        assert find_by_plate(with_plates, live) == result

    assert provider.lookups == (STORED_PLATE,)
    assert rows(database_url)["vehicles"] == 1


def test_lookup_returns_the_plate_of_a_whole_vin(with_plates: FlaskClient, live: str) -> None:
    assert find_by_vin(with_plates, live)["data"]["plate_no"] is None
    find_by_plate(with_plates, live)

    assert find_by_vin(with_plates, live)["data"]["plate_no"] == "7ABC123"


def test_vehicle_of_the_same_build_does_not_share_the_plate(with_plates: FlaskClient, live: str) -> None:
    find_by_plate(with_plates, live)

    assert find_by_vin(with_plates, live, ACCORD[:11] + "999999")["data"]["plate_no"] is None
    assert find_by_vin(with_plates, live, ACCORD[:11])["data"]["plate_no"] is None
    assert find_by_vin(with_plates, live, ACCORD[:16])["data"]["plate_no"] is None


def test_predictions_never_show_a_whole_vin_from_a_plate(
    with_plates: FlaskClient, live: str, database_url: str
) -> None:
    find_by_plate(with_plates, live)
    body = {"vin": ACCORD[:11], "zip_code": "90210", "problem_identifier": "brake-pads-front"}
    result = post(with_plates, "/api/v1/predict", body, live)

    assert result.get_json()["vehicle"]["vin"] == ACCORD[:11]
    assert rows(database_url)["vehicles"] == 1


def test_plate_lookup_enriches_the_vehicle(
    with_plates: FlaskClient, live: str, provider: ScriptedPlates
) -> None:
    find_by_vin(with_plates, live)
    provider.known[STORED_PLATE] = Registration(vin=ACCORD, motor_type=MotorType(name="Coupe"))
    for _ in range(2):
        kind = find_by_plate(with_plates, live)["vehicle"]
        assert (kind["motor_vehicle_type"], kind["motor_vehicle_type_group"]) == ("Coupe", "Passenger")


def test_plate_lookup_keeps_a_concurrent_change(core: Core) -> None:
    vehicle = core.lookups.find_by_vin(ACCORD).vehicle
    with core.storage.transaction() as work:
        work.vehicles.replace(vehicle, evolve(vehicle, current_mileage=88_000))
    enriched = core.lookups._with_motor_type(vehicle, MotorType(name="Coupe"))

    assert (enriched.motor_type, enriched.current_mileage) == (MotorType(name="Coupe"), 88_000)
    assert core.lookups.find_by_vin(ACCORD).vehicle == enriched


def test_plate_lookup_stores_the_providers_specs_of_an_undecodable_vin(
    with_plates: FlaskClient, live: str, provider: ScriptedPlates
) -> None:
    about = VehicleSpecs(make="Zenith", model="Zephyr", year=2004, source="plates")
    provider.known[STORED_PLATE] = Registration(vin=UNKNOWN_VIN, specs=about)

    assert find_by_plate(with_plates, live)["vehicle"]["display_name"] == "2004 Zenith Zephyr"
    assert find_by_vin(with_plates, live, UNKNOWN_VIN)["data"]["plate_no"] == "7ABC123"


def test_plate_lookup_rejects_a_vehicle_without_specs(
    with_plates: FlaskClient, live: str, provider: ScriptedPlates, database_url: str
) -> None:
    provider.known[STORED_PLATE] = Registration(vin=UNKNOWN_VIN)
    before = rows(database_url)

    assert "cannot be decoded" in rejection(post(with_plates, BY_PLATE, PLATE, live))
    assert rows(database_url) == before


def test_plate_lookup_rejects_an_unknown_plate(
    with_plates: FlaskClient, live: str, provider: ScriptedPlates, database_url: str
) -> None:
    before = rows(database_url)
    message = rejection(post(with_plates, BY_PLATE, {**PLATE, "state": "NV"}, live))

    assert message == "No vehicle was found for this plate."
    assert rows(database_url) == before
    assert len(provider.lookups) == 1


def test_stored_plates_are_found_without_a_provider(core: Core, with_plates: FlaskClient, live: str) -> None:
    without_provider = serve_core(with_provider(core, None)).test_client()
    assert "no plate provider is configured" in rejection(post(without_provider, BY_PLATE, PLATE, live))
    result = find_by_plate(with_plates, live)

    assert find_by_plate(without_provider, live) == result


def test_unavailable_provider_is_a_503_with_its_own_code(
    with_plates: FlaskClient, live: str, provider: ScriptedPlates
) -> None:
    provider.down = True
    answer = post(with_plates, BY_PLATE, PLATE, live)

    assert answer.status_code == 503
    assert shaped({"success": False, "message": str, "error_code": "PLATE_SOURCE_UNAVAILABLE"}, answer.json)
    assert "7ABC123" not in answer.text


@pytest.mark.parametrize("days", [0, 179])
def test_stored_plate_is_used_for_half_a_year(
    *, with_plates: FlaskClient, live: str, provider: ScriptedPlates, clock: FrozenClock, days: int
) -> None:
    result = find_by_plate(with_plates, live)
    provider.known.clear()
    clock.advance(timedelta(days=days))

    assert find_by_plate(with_plates, live) == result
    assert len(provider.lookups) == 1


def test_moved_plate_is_detected_after_half_a_year(
    with_plates: FlaskClient, live: str, provider: ScriptedPlates, clock: FrozenClock
) -> None:
    find_by_plate(with_plates, live)
    provider.known[STORED_PLATE] = Registration(vin=TESLA)
    clock.advance(timedelta(days=180))

    assert find_by_plate(with_plates, live)["vin"] == TESLA
    assert find_by_vin(with_plates, live, TESLA)["data"]["plate_no"] == "7ABC123"
    assert find_by_vin(with_plates, live)["data"]["plate_no"] is None


def test_plate_lookup_deletes_a_plate_that_the_provider_no_longer_knows(
    with_plates: FlaskClient, live: str, provider: ScriptedPlates, clock: FrozenClock, database_url: str
) -> None:
    find_by_plate(with_plates, live)
    provider.known.clear()
    clock.advance(timedelta(days=200))

    assert (
        post(
            with_plates, BY_PLATE, {"plate": STORED_PLATE.number, "state": STORED_PLATE.state}, live
        ).status_code
        == 422
    )
    assert find_by_vin(with_plates, live)["data"]["plate_no"] is None
    assert rows(database_url)["plates"] == 0


def test_old_stored_plate_is_used_while_the_provider_is_down(
    with_plates: FlaskClient, live: str, provider: ScriptedPlates, clock: FrozenClock
) -> None:
    result = find_by_plate(with_plates, live)
    provider.down = True
    clock.advance(timedelta(days=400))

    assert find_by_plate(with_plates, live) == result
    assert len(provider.lookups) == 2


def test_concurrent_plate_lookups_store_one_vehicle_and_one_plate(
    core: Core, live: str, provider: ScriptedPlates, database_url: str
) -> None:
    provider.known[STORED_PLATE] = Registration(vin=ACCORD, motor_type=MotorType(name="Coupe"))
    app = serve_core(with_provider(core, provider))
    result = at_once(20, lambda: find_by_plate(app.test_client(), live))
    assert len({str(one) for one in result}) == 1
    counts = rows(database_url)

    assert (counts["vehicles"], counts["plates"]) == (1, 1)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"plate", "state"}),
        ({"plate": "", "state": "XX"}, {"plate", "state"}),
        ({"plate": 7, "state": "XX"}, {"plate", "state"}),
        ({"plate": "7ABC123", "state": "California"}, {"state"}),
        ({"plate": "../../etc", "state": "CA"}, {"plate"}),
        ({"plate": ["7ABC123"], "state": None}, {"plate", "state"}),
    ],
)
def test_plate_lookup_reports_every_bad_field_without_calling_the_provider(
    *,
    with_plates: FlaskClient,
    live: str,
    provider: ScriptedPlates,
    body: dict[str, object],
    fields: set[str],
) -> None:
    answer = post(with_plates, BY_PLATE, body, live)

    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {name: [str] for name in fields}}, answer.json)
    assert provider.lookups == ()


# Test keys


def test_test_key_uses_only_the_sandbox(
    with_plates: FlaskClient, test_key: str, provider: ScriptedPlates
) -> None:
    assert find_by_plate(with_plates, test_key, SANDBOX)["vin"] == ACCORD
    assert "sandbox" in rejection(post(with_plates, BY_PLATE, PLATE, test_key))
    down = post(with_plates, BY_PLATE, {**SANDBOX, "plate": "TESTDOWN"}, test_key)

    assert (down.status_code, down.get_json()["error_code"]) == (503, "PLATE_SOURCE_UNAVAILABLE")
    assert provider.lookups == ()


def test_live_key_does_not_use_the_sandbox(api: FlaskClient, live: str) -> None:
    rejection(post(api, BY_PLATE, SANDBOX, live))


def test_test_and_live_plates_are_separate(with_plates: FlaskClient, live: str, test_key: str) -> None:
    find_by_plate(with_plates, live)
    rejection(post(with_plates, BY_PLATE, PLATE, test_key))
    assert find_by_vin(with_plates, test_key)["data"]["plate_no"] is None
    find_by_plate(with_plates, test_key, SANDBOX)

    assert find_by_vin(with_plates, test_key)["data"]["plate_no"] == "TEST123"
    assert find_by_vin(with_plates, live)["data"]["plate_no"] == "7ABC123"


def test_sandbox_data_is_not_stored_in_shared_records(
    core: Core, live: str, test_key: str, database_url: str
) -> None:
    about = VehicleSpecs(make="Zenith", model="Zephyr", year=2004, source="plates")
    invented = ScriptedPlates(
        {
            STORED_PLATE: Registration(vin=ACCORD, motor_type=MotorType(name="Spaceship")),
            Plate(state="NV", number="1"): Registration(vin=UNKNOWN_VIN, specs=about),
        }
    )
    lookups = evolve(
        core.lookups, sandbox=invented, provider=ScriptedPlates({STORED_PLATE: Registration(vin=ACCORD)})
    )
    api = serve_core(core.replacing(lookups=lookups)).test_client()
    find_by_plate(api, test_key)
    rejection(post(api, BY_PLATE, {"plate": "1", "state": "NV"}, test_key))

    assert find_by_plate(api, live)["vehicle"]["motor_vehicle_type"] == "Passenger car"
    assert rows(database_url)["vehicles"] == 1


# The configured provider, and limits


def test_plate_lookup_calls_the_configured_provider(open_core: OpenCore, live: str) -> None:
    result = {"vin": ACCORD, "vehicle_type": "Coupe", "vehicle_type_group": "Passenger"}
    with PlateServer({STORED_PLATE: result}, key="sesame") as server:
        api = serve_core(open_core(plates_url=server.url, plates_api_key="sesame")).test_client()
        assert find_by_plate(api, live)["vehicle"]["motor_vehicle_type"] == "Coupe"
        assert server.lookups == [STORED_PLATE]
        wrong = serve_core(open_core(plates_url=server.url, plates_api_key="x")).test_client()
        answer = post(wrong, BY_PLATE, {**PLATE, "plate": "8XYZ"}, live)

    assert answer.status_code == 503
    assert answer.get_json()["error_code"] == "PLATE_SOURCE_UNAVAILABLE"


@pytest.mark.parametrize(("path", "body"), [(BY_VIN, {"vin": ACCORD}), (BY_PLATE, PLATE)])
def test_lookups_of_a_publishable_key_are_limited(
    *,
    open_core: OpenCore,
    ada: Person,
    provider: ScriptedPlates,
    path: str,
    body: dict[str, str],
) -> None:
    api = serve_core(with_provider(open_core(predictions_per_minute=2), provider)).test_client()
    keys = ada.keys("live")

    assert [post(api, path, body, keys.public_key).status_code for _ in range(3)] == [200, 200, 429]
    assert post(api, path, body, keys.secret_key).status_code == 200
