"""Valuation and insurance risk of a vehicle, over both databases."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.http.people import ACCORD, Person, bearer
from tests.http.shape import moment, money, nullable, number, shaped

from repaircore.core import Core
from repaircore.fleet.signals import SignalReading, SignalSource
from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.testing.clock import FrozenClock

FACTOR = {"name": str, "value": lambda _: True, "weight": number, "effect": number}
COMMON = {
    "vin": ACCORD,
    "vehicle": {
        "id": nullable(str),
        "vin": ACCORD,
        "display_name": str,
        "year": 2003,
        "make": "Honda",
        "model": "Accord",
    },
    "as_of": "2026-01-02",
    "warnings": [str],
}
VALUATION: dict[str, Any] = {
    **COMMON,
    "value": {"low": money, "mid": money, "high": money},
    "mileage_adjustment": number,
    "odometer": nullable({"miles": number, "source": str, "at": moment}),
    "price_trend": [{"month": str, "value": money, "projected": bool}],
    "basis": "editorial_levels",
    "sample_size": int,
    "factors": [FACTOR],
}
INSURANCE_RISK: dict[str, Any] = {
    **COMMON,
    "score": number,
    "band": str,
    "basis": "editorial_weights",
    "sample_size": 0,
    "factors": [FACTOR],
}


def path(view: str, vin: str = ACCORD) -> str:
    return f"/api/v1/fleet/vehicles/{vin}/{view}"


def data(person: Person, view: str = "valuation", query: str = "") -> Any:
    answer = person.client.get(path(view) + query, headers=bearer(person.token))
    assert answer.status_code == 200, answer.text
    assert shaped(
        {"success": True, "data": VALUATION if view == "valuation" else INSURANCE_RISK}, answer.json
    )
    return answer.get_json()["data"]


def drive(core: Core, person: Person, miles: int, clock: FrozenClock) -> None:
    """Record the odometer of a person's own Accord."""
    caller = Caller(
        user_id=person.id, role=Role.USER, environment=Environment.LIVE, credential=Credential.SESSION
    )
    vehicle = core.fleet.register(ACCORD, caller)
    with core.storage.transaction() as work:
        work.signals.add(vehicle.id, SignalReading(odometer=miles), source=SignalSource.OWNER, at=clock())


def test_valuation_uses_the_owners_odometer(core: Core, ada: Person, eve: Person, clock: FrozenClock) -> None:
    before = data(eve)
    drive(core, ada, 120_000, clock)
    found = data(ada)

    assert found["odometer"] == {"miles": 120_000, "source": "owner", "at": "2026-01-02T03:04:05Z"}
    assert found["value"] == data(eve, query="?mileage=120000")["value"]
    assert data(eve) == before
    assert data(ada, query="?mileage=90000")["odometer"]["source"] == "query"


def test_valuation_is_the_sum_of_its_factors(ada: Person) -> None:
    found = data(ada, query="?mileage=150000")

    assert found["value"]["low"] < found["value"]["mid"] < found["value"]["high"]
    assert sum(one["effect"] for one in found["factors"]) == pytest.approx(found["value"]["mid"])
    assert [one["name"] for one in found["factors"]] == [
        *("segment", "make_tier", "make", "model", "market", "age", "mileage")
    ]
    assert found["odometer"]["source"] == "query"


def test_valuation_trend_covers_a_year_back_and_ahead(ada: Person) -> None:
    trend = data(ada)["price_trend"]

    assert [one["month"] for one in (trend[0], trend[12], trend[-1])] == ["2025-01", "2026-01", "2027-01"]
    assert [one["projected"] for one in trend] == [False] * 13 + [True] * 12


def test_valuation_falls_with_miles(ada: Person) -> None:
    little, much = (data(ada, query=f"?mileage={miles}")["value"]["mid"] for miles in (50_000, 250_000))

    assert much < little


def test_insurance_risk_rates_only_the_vehicle(ada: Person, eve: Person) -> None:
    found = data(ada, "insurance-risk")

    assert [one["name"] for one in found["factors"]] == ["segment", "parts_cost", "value", "health"]
    assert data(eve, "insurance-risk") == found


@pytest.mark.parametrize("view", ["valuation", "insurance-risk"])
@pytest.mark.parametrize(
    ("vin", "query", "fields"),
    [
        ("1HGCM82633O004352", "", {"vin"}),
        ("12345", "?mileage=-1", {"vin", "mileage"}),
        (ACCORD, "?mileage=2000001", {"mileage"}),
        (ACCORD, "?mileage=many", {"mileage"}),
        (ACCORD, "?mileage=1&mileage=2", {"mileage"}),
    ],
)
def test_valuation_reports_bad_fields(ada: Person, view: str, vin: str, query: str, fields: set[str]) -> None:
    answer = ada.client.get(path(view, vin) + query, headers=bearer(ada.token))

    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == fields


@pytest.mark.parametrize("view", ["valuation", "insurance-risk"])
def test_valuation_of_an_unknown_vin_is_not_found(api: FlaskClient, ada: Person, view: str) -> None:
    answer = api.get(path(view, "00000000000"), headers=bearer(ada.token))

    assert (answer.status_code, answer.get_json()["error_code"]) == (404, "VEHICLE_NOT_FOUND")
