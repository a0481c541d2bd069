"""Fleet vehicles over HTTP, over both databases: signals, health, recalls, tires and coverage."""

import json
from collections.abc import Collection
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ACCORD, Person, bearer, person
from tests.http.shape import moment, nullable, number, shaped, uuid
from tests.http.watched import serve_core
from typing_extensions import override

from repaircore.core import Core
from repaircore.kernel.callers import Role
from repaircore.recalls.errors import RecallSourceUnavailable
from repaircore.recalls.model import Recall, RecallSource
from repaircore.recalls.ports import LiveRecalls
from repaircore.testing.builders import a_campaign, a_recalled_vehicle
from repaircore.testing.clock import FrozenClock
from repaircore.testing.upstream import Body, MisbehavingUpstream, Status

VEHICLES = "/api/v1/fleet/vehicles"
RECALLS = "/api/v1/fleet/compliance/recalls"
TIRES = "/api/v1/fleet/tires/estimate"
FACTOR = {
    "name": str,
    "value": lambda value: number(value) or type(value) is str,
    "weight": number,
    "effect": number,
}
VEHICLE = {
    "id": nullable(uuid),
    "vin": str,
    "display_name": str,
    "year": int,
    "make": str,
    "model": str,
}
HEALTH = {
    "score": nullable(number),
    "grade": nullable(str),
    "coverage": number,
    "cap": nullable(str),
    "components": [
        {
            "name": str,
            "value": nullable(number),
            "weight": number,
            "effect": nullable(number),
            "as_of": nullable(moment),
            "basis": str,
        }
    ],
    "factors": [FACTOR],
    "basis": str,
    "sample_size": int,
    "as_of": moment,
}
RECALL = {
    "campaign": str,
    "component": nullable(str),
    "summary": nullable(str),
    "consequence": nullable(str),
    "remedy": nullable(str),
    "park_it": nullable(bool),
    "park_outside": nullable(bool),
    "reported_on": nullable(str),
    "named": {"make": str, "model": str, "year": nullable(int)},
    "confirmed_for_vin": False,
    "dealt_with": bool,
    "dealt_with_at": nullable(moment),
    "sources": [str],
}


class ScriptedRecalls(LiveRecalls):
    """A scripted recall service, which counts its calls."""

    def __init__(self, *data: Recall, fails: bool = False) -> None:
        self.data, self.fails, self.calls = data, fails, 0

    @override
    def of(self, *, make: str, model: str, year: int) -> tuple[Recall, ...]:
        self.calls += 1
        if self.fails:
            raise RecallSourceUnavailable("The recall service failed: no connection.")
        return self.data


def live_recall(number: str, **changes: Any) -> Recall:
    campaign = a_campaign(campaign=number, source=RecallSource.API, **changes)
    return Recall(campaign=campaign, vehicle=a_recalled_vehicle(campaign=number))


def import_campaigns(core: Core, *numbers: str, years: Collection[int] | None = None, **changes: Any) -> None:
    with core.storage.transaction() as work:
        work.recalls.save_campaigns([a_campaign(campaign=one, **changes) for one in numbers])
        work.recalls.save_vehicles([a_recalled_vehicle(campaign=one) for one in numbers])
        work.recalls.cover_years(range(1990, 2051) if years is None else years)


def with_live(core: Core, live: LiveRecalls) -> Core:
    recalls = evolve(core.vehicle_recalls, live=live)
    scores = evolve(core.health_scores, recalls=recalls)
    return core.replacing(
        vehicle_recalls=recalls,
        health_scores=scores,
        compliance=evolve(core.compliance, scores=scores),
        coverage=evolve(core.coverage, scores=scores),
    )


def record(person: Person, vehicle: str = ACCORD, **signals: Any) -> Any:
    answer = person.post(f"{VEHICLES}/{vehicle}/compliance", signals)
    assert answer.status_code == 200, answer.text
    return answer.get_json()["data"]


def health(person: Person, vin: str = ACCORD) -> Any:
    answer = person.get(f"{VEHICLES}/{vin}/health")
    assert answer.status_code == 200, answer.text
    data = {"vin": str, "vehicle": VEHICLE, **HEALTH, "warnings": [str]}
    assert shaped({"success": True, "data": data}, answer.json)
    return answer.get_json()["data"]


def part(data: Any, name: str) -> Any:
    return next(one for one in data["components"] if one["name"] == name)


def recalls_of(person: Person, vin: str = ACCORD) -> Any:
    answer = person.get(f"{RECALLS}/{vin}")
    assert answer.status_code == 200, answer.text
    data = {
        "vin": str,
        "vehicle": VEHICLE,
        "open_count": nullable(int),
        "park_it": bool,
        "park_outside": bool,
        "recalls": [RECALL],
        "coverage": str,
        "campaign_years": {"needed": [int], "covered": [int], "missing": [int]},
        "sources": {"imported": str, "live": str},
        "as_of": moment,
        "warnings": [str],
    }
    assert shaped({"success": True, "message": str, "data": data}, answer.json)
    return answer.get_json()["data"]


# Signals

EVERYTHING: dict[str, Any] = {
    "odometer": 81_234,
    "fuel_level": 8,
    "battery_voltage": 12.6,
    "oil_life_percent": 12.5,
    "tire_pressures": {"front_left": 33, "front_right": 20, "rear_left": 33.5},
    "tire_depths": {"front_left": 4, "front_right": 8},
    "brake_life_percent": 60,
    "dtc_codes": ["p0420", "P0420", "C1234"],
    "open_recalls": 1,
}


def test_record_rates_each_signal_and_the_vehicle(ada: Person, clock: FrozenClock) -> None:
    today = clock().date()
    data = record(
        ada,
        **EVERYTHING,
        inspection_expires_on=str(today + timedelta(days=31)),
        registration_expires_on=str(today + timedelta(days=30)),
        insurance_expires_on=str(today - timedelta(days=1)),
    )

    assert shaped(
        {
            "vin": ACCORD,
            "vehicle": VEHICLE,
            "recorded": [str],
            "compliance": "non_compliant",
            "signals": dict,
            "health": HEALTH,
            "warnings": [str],
        },
        data,
    )
    assert {name: one["status"] for name, one in data["signals"].items()} == {
        "odometer": "ok",
        "fuel_level": "low",
        "battery_voltage": "ok",
        "oil_life_percent": "due",
        "tire_pressures": "low",
        "tire_depths": "due",
        "brake_life_percent": "ok",
        "dtc_codes": "critical",
        "inspection_expires_on": "ok",
        "registration_expires_on": "due",
        "insurance_expires_on": "expired",
        "open_recalls": "check",
    }
    assert data["signals"]["tire_pressures"]["by_tire"] == {
        "front_left": "ok",
        "front_right": "low",
        "rear_left": "ok",
    }
    assert data["signals"]["dtc_codes"]["value"] == ["P0420", "C1234"]
    assert set(data["recorded"]) == set(data["signals"])


@pytest.mark.parametrize("kind", ["tire_depths", "tire_pressures"])
def test_record_rejects_an_unknown_wheel(ada: Person, kind: str) -> None:
    answer = ada.post(f"{VEHICLES}/{ACCORD}/compliance", {kind: {"front_left": 30, "front_lft": 5}})

    assert answer.status_code == 422
    assert list(answer.get_json()["errors"]) == [f"{kind}.front_lft"]
    assert "front_right, rear_left" in answer.get_json()["message"]


def test_record_of_a_flat_tire_caps_the_health(ada: Person) -> None:
    data = record(ada, tire_pressures={"front_left": 12, "front_right": 34})

    assert data["signals"]["tire_pressures"]["by_tire"] == {"front_left": "critical", "front_right": "ok"}
    assert data["health"]["score"] <= 50


def test_record_counts_the_newest_of_each_kind(ada: Person, clock: FrozenClock) -> None:
    record(ada, odometer=80_000, dtc_codes=["P0420"])
    clock.advance(timedelta(days=1))
    data = record(ada, odometer=79_000, dtc_codes=[])

    assert data["recorded"] == ["dtc_codes"]
    assert data["signals"]["odometer"]["status"] == "check"  # it would run backwards
    assert data["signals"]["odometer"]["value"] == 80_000
    assert data["warnings"] == ["odometer_runs_backwards"]
    assert record(ada, odometer=80_000)["warnings"] == []
    assert data["signals"]["dtc_codes"]["status"] == "ok"
    assert part(data["health"], "trouble_codes")["value"] == 1
    assert data["compliance"] == "incomplete"


def test_record_of_valid_documents_is_compliant(ada: Person, clock: FrozenClock) -> None:
    names = ("inspection_expires_on", "registration_expires_on", "insurance_expires_on")
    later, soon = (str(clock().date() + timedelta(days=days)) for days in (90, 0))

    assert record(ada, **dict.fromkeys(names, later))["compliance"] == "compliant"
    assert record(ada, insurance_expires_on=soon)["compliance"] == "due"


def test_vehicle_is_found_by_id_and_by_vin(ada: Person) -> None:
    vehicle_id = record(ada, odometer=80_000)["vehicle"]["id"]

    assert record(ada, vehicle_id, fuel_level=50)["vehicle"]["id"] == vehicle_id
    assert record(ada, ACCORD.lower(), oil_life_percent=50)["vehicle"]["id"] == vehicle_id
    assert part(health(ada, vehicle_id), "service")["value"] == 1


@pytest.mark.parametrize(
    ("signals", "fields"),
    [
        ({"odometer": -1}, ["odometer"]),
        ({"odometer": 2_000_001}, ["odometer"]),
        ({"odometer": 5.5}, ["odometer"]),
        ({"odometer": "80000", "fuel_level": 101}, ["odometer", "fuel_level"]),
        ({"battery_voltage": 21}, ["battery_voltage"]),
        ({"oil_life_percent": -0.1}, ["oil_life_percent"]),
        ({"brake_life_percent": True}, ["brake_life_percent"]),
        ({"tire_pressures": 33}, ["tire_pressures"]),
        ({"tire_pressures": {"front_left": "33", "rear_left": 33}}, ["tire_pressures.front_left"]),
        ({"tire_pressures": {"front_left": 151, "rear_right": -1}}, ["tire_pressures.front_left", "tire_pressures.rear_right"]),
        ({"tire_depths": {"rear_left": 33}}, ["tire_depths.rear_left"]),
        ({"dtc_codes": ["P0420", "engine", 5]}, ["dtc_codes.1", "dtc_codes.2"]),
        ({"dtc_codes": ["P0420", "engine", "P042"]}, ["dtc_codes.1", "dtc_codes.2"]),
        ({"dtc_codes": ["P0420"] * 101}, ["dtc_codes"]),
        ({"inspection_expires_on": "2026-02-30"}, ["inspection_expires_on"]),
        ({"registration_expires_on": "1900-01-01"}, ["registration_expires_on"]),
        ({"insurance_expires_on": 20260101}, ["insurance_expires_on"]),
        ({"open_recalls": 101}, ["open_recalls"]),
    ],
    ids=repr,
)  # fmt: skip
def test_record_reports_bad_signals_and_stores_nothing(ada: Person, signals: Any, fields: list[str]) -> None:
    answer = ada.post(f"{VEHICLES}/{ACCORD}/compliance", {"fuel_level": 50, **signals})

    assert answer.status_code == 422, answer.text
    assert set(answer.get_json()["errors"]) == set(fields)
    assert ada.get(f"{VEHICLES}/{ACCORD}/signals").get_json()["meta"]["total"] == 0
    assert health(ada)["vehicle"]["id"] is None


def test_record_ignores_null_and_empty_signals(ada: Person) -> None:
    data = record(ada, odometer=None, tire_pressures={"front_left": None}, dtc_codes=None)

    assert (data["recorded"], data["signals"]) == ([], {})


def test_signals_are_listed_newest_first(ada: Person, clock: FrozenClock) -> None:
    for day in range(3):
        record(ada, odometer=80_000 + day, fuel_level=50)
        clock.advance(timedelta(days=1))
    answer = ada.get(f"{VEHICLES}/{ACCORD}/signals?kind=odometer&per_page=2").get_json()
    signal = {"kind": "odometer", "value": int, "source": "owner", "as_of": moment}
    meta = {"current_page": 1, "per_page": 2, "total": 3, "last_page": 2}
    assert shaped({"success": True, "data": [signal], "meta": meta}, answer)
    assert [one["value"] for one in answer["data"]] == [80_002, 80_001]
    assert ada.get(f"{VEHICLES}/{ACCORD}/signals").get_json()["meta"]["total"] == 6
    bad = ada.get(f"{VEHICLES}/{ACCORD}/signals?kind=color&page=0")

    assert (bad.status_code, set(bad.get_json()["errors"])) == (422, {"kind", "page"})


# Ownership


def test_vehicle_of_another_owner_is_not_found(core: Core, ada: Person, eve: Person) -> None:
    import_campaigns(core, "24V901000")
    core.accounts.set_role(eve.email, Role.ADMIN)
    adas = record(ada, odometer=80_000)["vehicle"]["id"]
    unknown = str(UUID(int=7))
    for method, path in (
        ("POST", f"{VEHICLES}/{{}}/compliance"),
        ("GET", f"{VEHICLES}/{{}}/signals"),
        ("GET", f"{VEHICLES}/{{}}/health"),
        ("GET", f"{VEHICLES}/{{}}/coverage"),
        ("GET", f"{RECALLS}/{{}}"),
        ("POST", f"{VEHICLES}/{{}}/recalls/24V901000/resolve"),
    ):
        answers = [
            eve.client.open(path.format(which), method=method, headers=bearer(eve.token))
            for which in (adas, unknown)
        ]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].data == answers[1].data == b'{"message":"Vehicle not found."}'


def test_signals_of_another_owner_do_not_count(ada: Person, eve: Person) -> None:
    before = {path: eve.get(f"{VEHICLES}/{ACCORD}/{path}").data for path in ("health", "coverage", "signals")}
    record(ada, **EVERYTHING)

    assert {path: eve.get(f"{VEHICLES}/{ACCORD}/{path}").data for path in before} == before


def test_test_and_live_signals_are_separate(api: FlaskClient, ada: Person) -> None:
    record(ada, odometer=80_000)
    key = ada.keys("test").secret_key
    data = api.get(f"{VEHICLES}/{ACCORD}/signals", headers=bearer(key)).get_json()

    assert data["data"] == []


@pytest.mark.parametrize("path", [f"{VEHICLES}/{{}}/health", f"{VEHICLES}/{{}}/coverage", f"{RECALLS}/{{}}"])
def test_unknown_vin_is_a_404_and_a_bad_vin_a_422(ada: Person, path: str) -> None:
    unknown = ada.get(path.format("ZZZ00000000"))
    assert unknown.status_code == 404, unknown.text
    assert shaped({"success": False, "message": str, "error_code": "VEHICLE_NOT_FOUND"}, unknown.json)
    for bad in ("1HGCM82633AOO4352", "x", "1" * 5000, "%00", "Ä"):
        answer = ada.get(path.format(bad))
        assert answer.status_code in {404, 422}
        if answer.status_code == 422:
            assert set(answer.get_json()["errors"]) == {"vin"}


# Recalls


def test_recalls_without_a_source_are_a_503(ada: Person) -> None:
    answer = ada.get(f"{RECALLS}/{ACCORD}")
    assert answer.status_code == 503
    data = {"success": False, "message": str, "error_code": "RECALL_SOURCE_UNAVAILABLE"}

    assert shaped(data, answer.json)
    assert part(health(ada), "recalls")["value"] is None


def test_recalls_are_newest_first_and_not_confirmed(core: Core, ada: Person) -> None:
    import_campaigns(core, "20V100000", reported_on=date(2020, 3, 1), park_outside=True)
    import_campaigns(core, "24V901000", park_it=True)
    data = recalls_of(ada)

    assert [one["campaign"] for one in data["recalls"]] == ["24V901000", "20V100000"]
    assert (data["open_count"], data["park_it"], data["park_outside"]) == (2, True, True)
    assert data["sources"] == {"imported": "answered", "live": "not_asked"}
    assert "not confirmed for this VIN" in ada.get(f"{RECALLS}/{ACCORD}").get_json()["message"]


def test_recalls_include_a_campaign_without_a_model_year(core: Core, ada: Person) -> None:
    import_campaigns(core)
    with core.storage.transaction() as work:
        work.recalls.save_campaigns([a_campaign(campaign="24V901000")])
        work.recalls.save_vehicles([a_recalled_vehicle(campaign="24V901000", year=None)])

    (recall,) = recalls_of(ada)["recalls"]

    assert recall["named"]["year"] is None


def test_recalls_with_missing_years_have_no_open_count(core: Core, ada: Person) -> None:
    import_campaigns(core, years=range(2020, 2027))
    without_recalls, unknown = recalls_of(ada), health(ada)
    import_campaigns(core, "24V901000", years=())
    found, known = recalls_of(ada), health(ada)

    assert (without_recalls["coverage"], without_recalls["open_count"]) == ("partial", None)
    assert without_recalls["campaign_years"]["missing"] == list(range(2002, 2020))
    assert "recalls_partly_covered" in without_recalls["warnings"]
    assert "2002–2019" in ada.get(f"{RECALLS}/{ACCORD}").get_json()["message"]
    assert part(unknown, "recalls")["value"] is None
    assert (found["coverage"], found["open_count"]) == ("partial", 1)
    assert known["coverage"] > unknown["coverage"]


def test_recalls_with_every_year_covered_can_be_none(core: Core, ada: Person) -> None:
    import_campaigns(core)
    data = recalls_of(ada)

    assert (data["coverage"], data["open_count"], data["campaign_years"]["missing"]) == ("full", 0, [])
    assert part(health(ada), "recalls")["value"] == 1


def test_recalls_of_a_vehicle_newer_than_the_import_are_a_503(core: Core, ada: Person) -> None:
    import_campaigns(core, years=range(1990, 2002))
    answer = ada.get(f"{RECALLS}/{ACCORD}")

    assert (answer.status_code, answer.get_json()["error_code"]) == (503, "RECALL_SOURCE_UNAVAILABLE")
    assert "1990–2001" in answer.get_json()["message"]


def test_recalls_merge_live_and_imported_campaigns(core: Core, ada: Person) -> None:
    import_campaigns(core, "20V100000", "24V901000", reported_on=None, remedy=None, park_it=None)
    live = ScriptedRecalls(
        live_recall("24V901000", remedy="A new pump.", park_it=True), live_recall("26V001000")
    )
    api = serve_core(with_live(core, live)).test_client()
    data = recalls_of(evolve(ada, client=api))
    assert {one["campaign"]: one["sources"] for one in data["recalls"]} == {
        "20V100000": ["nhtsa_flat_file"],
        "24V901000": ["nhtsa_flat_file", "nhtsa_api"],
        "26V001000": ["nhtsa_api"],
    }
    merged = next(one for one in data["recalls"] if one["campaign"] == "24V901000")

    assert (merged["remedy"], merged["park_it"], merged["reported_on"]) == ("A new pump.", True, "2024-01-15")


def test_recalls_report_a_failing_service_and_retry_it(core: Core, ada: Person) -> None:
    live = ScriptedRecalls(live_recall("26V001000"), fails=True)
    with_live_source = evolve(ada, client=serve_core(with_live(core, live)).test_client())
    failed = with_live_source.get(f"{RECALLS}/{ACCORD}")
    assert (failed.status_code, failed.get_json()["error_code"]) == (503, "RECALL_SOURCE_UNAVAILABLE")
    import_campaigns(core, "24V901000")
    data = recalls_of(with_live_source)
    assert data["sources"] == {"imported": "answered", "live": "unavailable"}
    assert data["warnings"] == ["live_recall_source_unavailable"]
    live.fails = False

    assert len(recalls_of(with_live_source)["recalls"]) == 2
    assert live.calls == 3


def test_recalls_call_the_configured_service(open_core: OpenCore) -> None:
    path, row = "/recalls/recallsByVehicle", {"NHTSACampaignNumber": "24V901000", "parkOutSide": True}
    with MisbehavingUpstream() as upstream:
        upstream.behave(path, Status(404), Body(json.dumps({"Count": 1, "results": [row]}).encode()))
        api = serve_core(open_core(recalls_url=upstream.url)).test_client()
        ada = person(api, "Ada")
        failed = ada.get(f"{RECALLS}/{ACCORD}")
        assert failed.get_json()["message"].startswith(
            "The recall service is not responding. No recalls were imported"
        )
        data = recalls_of(ada)
        request = upstream.received()[-1]

    assert (data["sources"]["live"], data["park_outside"]) == ("answered", True)
    assert request.query == "make=Honda&model=Accord&modelYear=2003"


def test_recalls_with_a_test_key_call_no_service(core: Core, ada: Person) -> None:
    live = ScriptedRecalls(live_recall("26V001000"))
    api = serve_core(with_live(core, live)).test_client()
    headers = bearer(ada.keys("test").secret_key)
    assert api.get(f"{RECALLS}/{ACCORD}", headers=headers).status_code == 503
    for path in ("health", "coverage"):
        assert api.get(f"{VEHICLES}/{ACCORD}/{path}", headers=headers).status_code == 200
    import_campaigns(core, "24V901000")

    assert api.get(f"{RECALLS}/{ACCORD}", headers=headers).get_json()["data"]["open_count"] == 1
    assert live.calls == 0


def test_resolve_marks_a_campaign_as_done(core: Core, ada: Person, eve: Person) -> None:
    import_campaigns(core, "24V901000", park_it=True)
    worse = health(ada)
    resolve = f"{VEHICLES}/{ACCORD}/recalls/24v901/resolve"
    for _ in range(2):
        answer = ada.post(resolve)
        assert answer.status_code == 200, answer.text
        data = {"vin": ACCORD, "vehicle": VEHICLE, "recall": RECALL}
        assert shaped({"success": True, "message": str, "data": data}, answer.json)
        assert answer.get_json()["data"]["recall"]["dealt_with"]
    found = recalls_of(ada)
    assert (found["open_count"], found["park_it"], found["recalls"][0]["dealt_with"]) == (0, False, True)
    assert recalls_of(eve)["open_count"] == 1
    assert worse["cap"] == "open_recall" or worse["score"] < 70
    assert part(health(ada), "recalls")["value"] == 1
    ada.post(resolve, {"dealt_with": False})
    assert recalls_of(ada)["open_count"] == 1
    with core.storage.read() as work:
        entries = work.audit.list_newest(limit=10)

    assert [entry.action for entry in entries] == ["recall.reopened", "recall.dealt_with"]
    assert all(ACCORD not in entry.subject for entry in entries)


def test_resolve_rejects_a_campaign_of_another_vehicle(core: Core, ada: Person) -> None:
    import_campaigns(core, "24V901000")
    answer = ada.post(f"{VEHICLES}/{ACCORD}/recalls/23V123000/resolve")
    assert (answer.status_code, set(answer.get_json())) == (404, {"message"})
    bad = ada.post(f"{VEHICLES}/{ACCORD}/recalls/24V901000/resolve", {"dealt_with": "yes"})

    assert (bad.status_code, set(bad.get_json()["errors"])) == (422, {"dealt_with"})


# Health


def test_health_has_its_components(core: Core, ada: Person) -> None:
    import_campaigns(core, "24V901000")
    data = record(ada, **EVERYTHING)["health"]
    shown = health(ada)
    assert {name: shown[name] for name in data} == data
    assert sum(one["weight"] for one in data["components"]) == pytest.approx(1)
    known = [one for one in data["components"] if one["value"] is not None]

    assert data["coverage"] == pytest.approx(sum(one["weight"] for one in known))
    assert [one["name"] for one in data["factors"]] == [one["name"] for one in known]
    assert data["score"] <= 70
    assert data["sample_size"] == len(EVERYTHING)


def test_health_counts_a_reported_recall_count_instead_of_the_list(core: Core, ada: Person) -> None:
    import_campaigns(core, "20V100000", "24V901000", park_it=True)
    data = record(ada, open_recalls=0)["health"]

    assert part(data, "recalls")["value"] == 1
    assert data["cap"] is None


@pytest.mark.parametrize(("signal", "cap"), [("brake_life_percent", "brakes"), ("tire_depths", "tires")])
def test_health_is_capped_by_worn_brakes_and_tires(ada: Person, signal: str, cap: str) -> None:
    worn: Any = 0 if signal == "brake_life_percent" else {"front_left": 2}
    good: dict[str, Any] = {
        "odometer": 1,
        "battery_voltage": 12.7,
        "dtc_codes": [],
        "oil_life_percent": 100,
        "open_recalls": 0,
    }
    data = record(ada, **good, **{signal: worn})["health"]

    assert data["score"] <= 50
    assert data["cap"] in {cap, None}


# Tires


def test_tires_are_estimated_without_storing_anything(ada: Person, clock: FrozenClock) -> None:
    body: dict[str, Any] = {
        "depths": {"front_left": 6, "front_right": 6, "rear_left": 8, "rear_right": 8},
        "pressures": {"front_left": 35},
        "ages": {"rear_left": 9.5},
        "mileage": 20_000,
    }
    answer = ada.post(TIRES, body)
    tire = {
        "health": number,
        "tread": number,
        "age": number,
        "pressure": number,
        "miles_left": int,
        "status": str,
    }
    data = {
        "health": number,
        "miles_left": 10_000,
        "replace_by": str((clock() + timedelta(days=182)).date()),
        "limited_by": "age",
        "worst": str,
        "uneven": False,
        "tires": dict.fromkeys(body["depths"], tire),
        "factors": [FACTOR],
        "basis": str,
        "sample_size": 4,
        "as_of": moment,
    }
    assert shaped({"success": True, "data": data}, answer.json)
    found = answer.get_json()["data"]

    assert found["health"] == pytest.approx(100 + sum(one["effect"] for one in found["factors"]), abs=0.2)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["depths"]),
        ({"depths": {}}, ["depths"]),
        ({"depths": {"front_left": None}}, ["depths"]),
        ({"depths": {"front_left": -1, "rear_left": 33}}, ["depths.front_left", "depths.rear_left"]),
        ({"depths": {"front_left": "6"}}, ["depths.front_left"]),
        ({"depths": {"front_left": 6}, "pressures": {"front_left": 151}}, ["pressures.front_left"]),
        ({"depths": {"front_left": 6}, "ages": {"rear_left": -1}, "mileage": -1}, ["ages.rear_left", "mileage"]),
        ({"depths": {"front_left": 6}, "new_depth": 0}, ["new_depth"]),
        ({"depths": {"front_left": 6}, "recommended_pressure": 0}, ["recommended_pressure"]),
        ({"depths": {"front_left": 6}, "miles_per_year": 0}, ["miles_per_year"]),
        ({"depths": {"front_left": 6}, "miles_per_year": None}, ["miles_per_year"]),
    ],
    ids=repr,
)  # fmt: skip
def test_tires_with_bad_figures_are_rejected(ada: Person, body: Any, fields: list[str]) -> None:
    answer = ada.post(TIRES, body)

    assert answer.status_code == 422, answer.text
    assert set(answer.get_json()["errors"]) == set(fields)


# Coverage


def test_coverage_names_the_source_of_each_answer(core: Core, ada: Person) -> None:
    answered = {one["name"]: one["answered"] for one in _coverage(ada)["answers"]}
    others = (
        "vehicle",
        "health",
        "tires",
        "valuation",
        "insurance_risk",
        "repair_lifecycle",
        "repair_sequence",
    )
    assert answered == {"recalls": False, "compliance": False, **dict.fromkeys(others, True)}
    import_campaigns(core, "24V901000")
    record(ada, odometer=80_000)
    data = _coverage(ada)

    assert {one["name"] for one in data["answers"] if one["answered"]} == set(answered)
    assert data["signals"]["told"] == ["odometer"]
    assert "odometer" not in data["signals"]["missing"]


def _coverage(person: Person) -> Any:
    answer = person.get(f"{VEHICLES}/{ACCORD}/coverage")
    assert answer.status_code == 200, answer.text
    one = {"name": str, "answered": bool, "source": nullable(str), "detail": str}
    signals = {"told": [str], "missing": [str]}
    data = {"vin": ACCORD, "vehicle": VEHICLE, "answers": [one], "signals": signals, "warnings": [str]}
    assert shaped({"success": True, "data": data}, answer.json)
    return answer.get_json()["data"]
