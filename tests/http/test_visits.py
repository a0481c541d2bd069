"""Visits over HTTP: several repairs in one estimate, stored, changed by several writers, and kept apart by owner."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from typing import Any

import pytest
from tests.http.people import ACCORD, Person, bearer
from tests.http.test_bad_input import UNREADABLE
from tests.writes import unwritten
from werkzeug.test import TestResponse

from repaircore.book.fit import FitOutcome, check_fit
from repaircore.core import Core
from repaircore.visits.lifecycle import Action

ESTIMATE = "/api/v1/predict/visit"
PATH = "/api/v1/visits"
TESLA = "5YJ3E1EA7KF317000"
PADS, ROTORS = "brake-pads-front", "brake-rotors-front"

VEHICLES: dict[str, dict[str, Any]] = {
    "accord v6": {"vin": ACCORD},
    "camry": {"year": 2016, "make": "Toyota", "model": "Camry"},
    "f-150": {"year": 2014, "make": "Ford", "model": "F-150", "engine": "5.0"},
    "civic": {"year": 2014, "make": "Honda", "model": "Civic"},
    "odyssey": {"year": 2012, "make": "Honda", "model": "Odyssey"},
    "silverado": {"year": 2015, "make": "Chevrolet", "model": "Silverado 1500", "engine": "5.3"},
    "bmw 3 series": {"year": 2013, "make": "BMW", "model": "328i"},
    "outback": {"year": 2011, "make": "Subaru", "model": "Outback"},
    "corolla": {"year": 2010, "make": "Toyota", "model": "Corolla"},
    "jetta": {"year": 2013, "make": "Volkswagen", "model": "Jetta"},
    "grand cherokee": {"year": 2015, "make": "Jeep", "model": "Grand Cherokee"},
    "altima": {"year": 2013, "make": "Nissan", "model": "Altima"},
}
PAIRS = [
    (PADS, ROTORS),
    ("brake-rotors-front", "wheel-bearing-front"),
    ("brake-caliper-front", "brake-fluid-flush"),
    ("timing-belt", "water-pump"),
    ("struts-front", "wheel-alignment"),
    ("spark-plugs", "ignition-coil"),
    ("serpentine-belt", "alternator"),
    ("radiator", "radiator-hose"),
    ("thermostat", "coolant-flush"),
    ("tie-rod-end-outer", "wheel-alignment"),
    ("cv-axle", "wheel-bearing-front"),
    ("oxygen-sensor-downstream", "catalytic-converter"),
    ("ac-compressor", "ac-recharge"),
    ("tire-rotation", "tire-replacement-set"),
]


def body(*slugs: str, **changes: Any) -> dict[str, Any]:
    lines = [{"problem_identifier": slug} for slug in slugs]
    return {"vin": ACCORD, "zip_code": "90210", "lines": lines, "sales_tax": False, **changes}


def estimate_visit(person: Person, *slugs: str, **changes: Any) -> Any:
    answer = person.post(ESTIMATE, body(*slugs, **changes))
    assert answer.status_code == 200, answer.text
    return answer.get_json()["data"]


def create_visit(person: Person, *slugs: str, **changes: Any) -> Any:
    answer = person.post(PATH, body(*slugs, **changes))
    assert answer.status_code == 201, answer.text
    return answer.get_json()["data"]


def put(person: Person, number: str, data: object) -> TestResponse:
    return person.client.put(f"{PATH}/{number}", json=data, headers=bearer(person.token))


def errors(answer: TestResponse) -> dict[str, list[str]]:
    assert answer.status_code == 422, answer.text
    found: dict[str, list[str]] = answer.get_json()["errors"]
    return found


# Combined costs


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize("vehicle", VEHICLES)
def test_pairs_cost_less_together_than_apart_and_no_less_than_the_dearer(ada: Person, vehicle: str) -> None:
    specs = {"vin": None, **VEHICLES[vehicle], "force": True}
    saving = 0
    for one, other in PAIRS:
        alone = [estimate_visit(ada, slug, **specs)["totals"]["average_total"] for slug in (one, other)]
        forth = estimate_visit(ada, one, other, **specs)["totals"]
        back = estimate_visit(ada, other, one, **specs)["totals"]

        assert forth == back
        together = forth["average_total"]
        assert max(alone) - 0.005 <= together <= sum(alone) + 0.005, (one, other)
        assert round(together + forth["saved"], 2) == round(sum(alone), 2)
        assert forth["low_total"] <= together <= forth["high_total"]
        saving += together < sum(alone) - 0.005
    assert saving >= 10


def test_saving_has_the_other_line_and_the_reason(ada: Person) -> None:
    data = estimate_visit(ada, PADS, ROTORS)

    pads, rotors = data["lines"]
    (saving,) = pads["savings"]
    assert (saving["with_line"], pads["average_total"]) == (rotors["id"], 0)
    assert saving["reason"] == "Front Brake Rotors and Pads already includes new pads and their labor."
    assert round(saving["labor"] + saving["parts"], 2) == pads["saved"] == pads["alone_total"]
    assert data["totals"]["average_total"] == rotors["alone_total"]


def test_range_of_the_sum_is_narrower_than_the_sum_of_ranges(ada: Person) -> None:
    slugs = ("battery-replacement", "wiper-blades", "door-lock-actuator", "muffler")
    data = estimate_visit(ada, *slugs)

    assert data["totals"]["low_total"] > sum(line["low_total"] for line in data["lines"])
    assert data["totals"]["high_total"] < sum(line["high_total"] for line in data["lines"])


def test_totals_add_up_with_everything(ada: Person) -> None:
    data = estimate_visit(
        ada,
        PADS,
        zip_code="10001",
        lines=[
            {"problem_identifier": PADS, "parts_tier": "OEM", "quantity": 2},
            {"kind": "part", "description": "Bolts", "price": 3.5, "quantity": 4},
            {"kind": "labor", "description": "Rust", "labor_hours": 0.5},
            {"kind": "fee", "description": "Towing", "price": 80},
        ],
        shop_supplies={},
        discount={"percent": 10},
        sales_tax=True,
    )

    totals = data["totals"]
    tax = totals["sales_tax"]
    assert tax["state"] == "NY"
    assert tax["low"] < tax["amount"] < tax["high"]
    assert totals["subtotal"] == round(sum(line["average_total"] for line in data["lines"]), 2)
    assert totals["average_total"] == round(
        totals["subtotal"] + totals["shop_supplies"] - totals["discount"] + tax["amount"], 2
    )
    assert data["lines"][0]["parts_tier"] == "oem"
    assert data["lines"][1]["parts_total"] == 14
    assert data["lines"][2]["labor_total"] == round(data["region"]["labor_rate"] / 2, 2)
    single = estimate_visit(ada, zip_code="10001", lines=[{"problem_identifier": PADS, "parts_tier": "oem"}])[
        "lines"
    ][0]
    assert data["lines"][0]["average_total"] == round(2 * single["average_total"], 2)


def test_oregon_has_no_sales_tax_and_a_given_rate_replaces_the_average(ada: Person) -> None:
    oregon = estimate_visit(ada, PADS, zip_code="97201", sales_tax=True)["totals"]
    known = estimate_visit(ada, PADS, sales_tax=True, sales_tax_percent=9.5)["totals"]

    assert oregon["sales_tax"]["amount"] == 0
    assert known["sales_tax"]["percent"] == 9.5
    assert known["sales_tax"]["taxable"] == known["parts"]


def test_military_zip_code_has_no_known_tax(ada: Person) -> None:
    data = estimate_visit(ada, PADS, zip_code="09012", sales_tax=True)

    assert data["totals"]["sales_tax"] is None
    assert "sales_tax_unknown" in data["warnings"]


def test_misfit_reports_the_line(ada: Person) -> None:
    answer = ada.post(ESTIMATE, body(PADS, "oil-change", vin=TESLA))

    assert answer.status_code == 422
    assert answer.get_json()["error_code"] == "PROBLEM_DOES_NOT_FIT"
    assert answer.get_json()["message"].startswith("Line 2: ")
    assert answer.get_json()["problem"]["slug"] == "oil-change"
    forced = estimate_visit(ada, PADS, "oil-change", vin=TESLA, force=True)
    assert forced["lines"][1]["fit"] == "does_not_fit"
    assert "problem_does_not_fit_vehicle" in forced["warnings"]


def test_estimate_writes_nothing(ada: Person, core: Core) -> None:
    estimate_visit(ada, PADS, ROTORS)
    with unwritten(core.storage.url):
        estimate_visit(ada, PADS, ROTORS)


def test_publishable_key_estimates_and_stores_nothing(ada: Person) -> None:
    keys = ada.keys()

    estimate = ada.client.post(ESTIMATE, json=body(PADS), headers=bearer(keys.public_key))
    store = ada.client.post(PATH, json=body(PADS), headers=bearer(keys.public_key))

    assert (estimate.status_code, store.status_code) == (200, 403)


@pytest.mark.parametrize(("shop", "days"), [({"name": "Ada's Garage", "valid_days": 7}, 7), (None, 30)])
def test_create_uses_the_validity_of_the_shop(
    ada: Person, eve: Person, shop: dict[str, Any] | None, days: int
) -> None:
    if shop is not None:
        ada.client.put("/api/v1/shop", json=shop, headers=bearer(ada.keys().secret_key))

    visit = create_visit(ada, PADS)

    assert _days_valid(visit) == days
    assert _days_valid(create_visit(eve, PADS)) == 30
    assert create_visit(ada, PADS, valid_until="2199-12-31")["valid_until"] == "2199-12-31"


def _days_valid(visit: dict[str, Any]) -> int:
    until, start = date.fromisoformat(visit["valid_until"]), datetime.fromisoformat(visit["created_at"])
    return (until - start.date()).days


# Bad input


def test_every_bad_field_is_reported_at_once(ada: Person) -> None:
    found = errors(
        ada.post(
            ESTIMATE,
            {
                "zip_code": "00000",
                "lines": [
                    {"problem_identifier": "no-such"},
                    {"problem_identifier": PADS, "price": 5, "parts_tier": "gold"},
                    {"problem_identifier": "101"},
                    {"description": "  ", "price": -1},
                    {"description": "Rust", "labor_hours": 1},
                    {"kind": "repair"},
                ],
                "shop_supplies": {"amount": 5, "percent": 7},
                "discount": {},
                "sales_tax_percent": 99,
            },
        )
    )

    assert found.keys() == {
        "vin",
        "zip_code",
        "lines.0.problem_identifier",
        "lines.1.price",
        "lines.1.parts_tier",
        "lines.2.problem_identifier",
        "lines.3.description",
        "lines.3.price",
        "lines.4.labor_hours",
        "lines.5.problem_identifier",
        "shop_supplies.percent",
        "discount.percent",
        "sales_tax_percent",
    }
    assert found["lines.2.problem_identifier"] == [
        "The lines.2.problem identifier field is already on line 2; increase the quantity there."
    ]


@pytest.mark.parametrize("lines", [[], None, {}, "x", [None], [[]], [{}], [{"quantity": 0}], [{"id": 2**40}]])
def test_invalid_lines_are_rejected(ada: Person, lines: object) -> None:
    assert any(name.startswith("lines") for name in errors(ada.post(ESTIMATE, body(lines=lines))))


@pytest.mark.parametrize("text", [*UNREADABLE, "x" * 20_000, "\u202e", "🚗" * 300, "a\tb"])
@pytest.mark.parametrize("field", ["notes", "description", "name", "vin", "make"])
def test_odd_text_causes_no_server_error(ada: Person, field: str, text: object) -> None:
    by_field: dict[str, dict[str, Any]] = {
        "notes": {"notes": text},
        "description": {"lines": [{"description": text, "price": 1}]},
        "name": {"customer": {"name": text}},
        "vin": {"vin": text},
        "make": {"vin": None, "year": 2016, "make": text, "model": "Camry"},
    }

    answer = ada.post(PATH, body(PADS, **by_field[field]))

    assert answer.status_code in {201, 404, 422, 400}, answer.text


@pytest.mark.parametrize(
    "changes",
    [
        {"facility_id": 99},
        {"facility_id": 2**70},
        {"valid_until": "tomorrow"},
        {"valid_until": "9999-99-99"},
        {"customer": {"email": "nobody"}},
        {"customer": []},
        {"mileage": -1},
        {"mileage": 1e300},
        {"discount": {"amount": 1e300}},
        {"shop_supplies": {"percent": "7"}},
        {"year": 2016, "vin": None},
        {"lines": [{"problem_identifier": PADS, "id": 1}]},
    ],
)
def test_bad_visit_is_rejected(ada: Person, changes: dict[str, Any]) -> None:
    assert ada.post(PATH, body(PADS, **changes)).status_code in {400, 422}


# Stored visits


def test_stored_visit_has_a_number_and_is_found_again(ada: Person) -> None:
    visit = create_visit(
        ada, PADS, ROTORS, customer={"name": "Bo", "email": "bo@example.org"}, notes="Call first."
    )

    assert visit["number"].startswith("V-20")
    assert (visit["status"], visit["version"]) == ("draft", 1)
    assert visit["allowed_actions"] == [
        "update",
        "send",
        "approve",
        "approve_partly",
        "decline",
        "ask",
        "cancel",
    ]
    assert [step["action"] for step in visit["timeline"]] == ["create"]
    assert ada.get(f"{PATH}/{visit['number']}").get_json()["data"] == visit
    listed = ada.get(f"{PATH}?search=bo&status=draft").get_json()
    assert [one["number"] for one in listed["data"]] == [visit["number"]]
    assert listed["data"][0]["total"] == visit["totals"]["average_total"]
    assert listed["meta"]["total"] == 1


def test_visits_of_others_are_not_found(ada: Person, eve: Person) -> None:
    number = create_visit(ada, PADS)["number"]

    assert eve.get(f"{PATH}/{number}").status_code == 404
    assert put(eve, number, {**body(PADS), "version": 1}).status_code == 404
    assert eve.client.delete(f"{PATH}/{number}", headers=bearer(eve.token)).status_code == 404
    assert eve.get(PATH).get_json()["data"] == []
    test_key = bearer(ada.keys("test").secret_key)
    assert ada.client.get(f"{PATH}/{number}", headers=test_key).status_code == 404


def test_update_replaces_the_visit_and_keeps_line_ids(ada: Person) -> None:
    visit = create_visit(ada, PADS, "oil-change")

    answer = put(
        ada,
        visit["number"],
        {
            **body(),
            "lines": [{"problem_identifier": "oil-change", "id": 2}, {"description": "Towing", "price": 80}],
            "version": 1,
        },
    )

    changed = answer.get_json()["data"]
    assert answer.status_code == 200, answer.text
    assert [line["id"] for line in changed["lines"]] == [2, 3]
    assert changed["version"] == 2
    assert changed["timeline"][-1]["action"] == "update"
    assert changed["timeline"][-1]["detail"]["total_after"] == changed["totals"]["average_total"]


def test_older_version_is_a_conflict_with_the_current_one(ada: Person) -> None:
    visit = create_visit(ada, PADS)
    put(ada, visit["number"], {**body(PADS), "notes": "first", "version": 1})

    answer = put(ada, visit["number"], {**body(PADS), "notes": "second", "version": 1})

    assert answer.status_code == 409
    assert answer.get_json()["version"] == 2
    assert "version 2" in answer.get_json()["message"]
    assert ada.get(f"{PATH}/{visit['number']}").get_json()["data"]["notes"] == "first"
    assert errors(put(ada, visit["number"], body(PADS))).keys() == {"version"}


def test_concurrent_updates_of_ten_visits_lose_nothing(ada: Person) -> None:
    numbers = [create_visit(ada, "wiper-blades")["number"] for _ in range(10)]

    def change(task: tuple[str, str]) -> tuple[str, str, int]:
        number, note = task
        data = {**body("wiper-blades"), "notes": note, "version": 1}
        return number, note, put(ada, number, data).status_code

    tasks = [(number, f"{writer} {number}") for number in numbers for writer in ("ada", "bo")]
    with ThreadPoolExecutor(4) as pool:
        results = [*pool.map(change, tasks)]

    for number in numbers:
        outcomes = {note: status for one, note, status in results if one == number}
        assert sorted(outcomes.values()) == [200, 409]
        stored = ada.get(f"{PATH}/{number}").get_json()["data"]
        assert outcomes[stored["notes"]] == 200
        assert stored["version"] == 2
        assert [step["action"] for step in stored["timeline"]] == ["create", "update"]


def test_two_hundred_lines_are_one_visit(ada: Person, core: Core) -> None:
    slugs = _fitting(core)[:150]
    own = [{"kind": "part", "description": f"Part {number}", "price": number} for number in range(50)]
    lines = [*({"problem_identifier": slug} for slug in slugs), *own]

    visit = create_visit(ada, lines=lines)

    assert len(visit["lines"]) == 200
    totals = visit["totals"]
    assert totals["subtotal"] == round(sum(line["average_total"] for line in visit["lines"]), 2)
    assert totals["saved"] > 0
    assert errors(ada.post(PATH, body(lines=[*lines, own[0]]))).keys() == {"lines"}


def _fitting(core: Core) -> list[str]:
    specs = core.vehicles.decode(ACCORD)
    with core.storage.read() as work:
        problems = work.problems.list_all()
    return [one.slug for one in problems if check_fit(one, specs.profile).outcome is FitOutcome.FITS]


def test_only_an_unapproved_visit_can_be_deleted(ada: Person, core: Core) -> None:
    draft, approved = (create_visit(ada, PADS)["number"] for _ in range(2))
    core.visits.act(approved, Action.APPROVE)

    def delete(number: str, query: str = "") -> TestResponse:
        return ada.client.delete(f"{PATH}/{number}{query}", headers=bearer(ada.token))

    assert delete(draft, "?version=9").get_json()["version"] == 1
    assert delete(draft).status_code == 200
    assert ada.get(f"{PATH}/{draft}").status_code == 404
    refused = delete(approved)
    assert refused.status_code == 409
    assert refused.get_json()["status"] == "approved"
    assert refused.get_json()["message"].endswith("cancel it first.")
    core.visits.act(approved, Action.BEGIN)
    core.visits.act(approved, Action.INVOICE)
    assert delete(approved).get_json()["message"] == "Cannot delete a visit that is invoiced."


def test_visit_in_progress_cannot_be_changed(ada: Person, core: Core) -> None:
    visit = create_visit(ada, PADS)
    core.visits.act(visit["number"], Action.APPROVE)
    in_progress = core.visits.act(visit["number"], Action.BEGIN)

    answer = put(ada, visit["number"], {**body(PADS), "version": in_progress.version})

    assert answer.status_code == 409
    assert answer.get_json()["allowed"] == ["invoice", "cancel"]
