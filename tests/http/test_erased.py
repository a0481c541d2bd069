"""Erased people lose access with the next request."""

from datetime import date

from flask.testing import FlaskClient
from tests.http.people import ASK, Person, bearer

from repaircore.core import Core
from repaircore.kernel.paging import PageRequest
from repaircore.learning.transaction_rows import CreateTransaction

UNKNOWN = {"message": "Unauthenticated."}


def test_every_credential_of_an_erased_person_is_rejected_at_once(
    api: FlaskClient, core: Core, ada: Person, eve: Person
) -> None:
    keys = ada.keys()
    tokens = (ada.token, keys.public_key, keys.secret_key)
    for token in tokens:
        assert api.post("/api/v1/predict", json=ASK, headers=bearer(token)).status_code == 200
    core.persons.erase(ada.email)
    for token in tokens:
        refused = api.post("/api/v1/predict", json=ASK, headers=bearer(token))
        assert (refused.status_code, refused.get_json()) == (401, UNKNOWN)
    account = {"email": ada.email, "password": "correct horse"}
    assert api.post("/api/v1/auth/login", json=account).status_code == 401
    assert eve.post("/api/v1/predict", ASK).status_code == 200


def test_prediction_of_an_erased_person_is_kept_anonymously(
    api: FlaskClient, core: Core, ada: Person, eve: Person
) -> None:
    session = ada.post("/api/v1/predict", ASK).get_json()["session_id"]
    core.persons.erase(ada.email)
    assert eve.get("/api/v1/predict/history").get_json()["data"] == []
    (entry,) = core.past_predictions.page(request=PageRequest(number=1, per_page=15))
    assert str(entry.session_id) == session
    assert ASK["vin"] not in repr(entry)
    assert api.get("/healthz").status_code == 200


def test_erasing_a_person_deletes_only_their_cars_and_signals(core: Core, ada: Person, eve: Person) -> None:
    vins = [f"1HGCM82633A00435{number}" for number in range(3)]
    fields = {"odometer": 81_234, "dtc_codes": ["P0420"]}
    for owner in (ada, eve):
        answers = [owner.post(f"/api/v1/fleet/vehicles/{vin}/compliance", fields) for vin in vins]
        assert [answer.status_code for answer in answers] == [200, 200, 200]
    ids = [answer.get_json()["data"]["vehicle"]["id"] for answer in answers]
    assert {name: len(rows) for name, rows in core.persons.export(ada.email).own.items()}.items() >= {
        "fleet_vehicles": 3,
        "fleet_signals": 6,
    }.items()
    erasure = core.persons.erase(ada.email)
    assert erasure.traces == ()
    assert (erasure.removed["fleet_vehicles"], erasure.removed["fleet_signals"]) == (3, 6)
    for vehicle_id in ids:
        health = eve.get(f"/api/v1/fleet/vehicles/{vehicle_id}/health").get_json()["data"]
        assert (health["vin"], health["sample_size"]) == (vins[0][:11], 2)


def test_erasing_a_person_deletes_intervals_and_unlinks_invoices(
    core: Core, ada: Person, eve: Person
) -> None:
    sale = CreateTransaction(
        vehicle_id=core.vehicles.resolve(ASK["vin"]).id,
        problem_id=101,
        performed_on=date(2025, 12, 1),
        labor_hours=1.1,
        labor_rate=150_00,
        vin=ASK["vin"],
    )
    invoice = core.transactions.record(sale)
    interval = {"vin": ASK["vin"], "problem_identifier": "brake-pads-front"}
    for owner in (ada, eve):
        assert owner.post("/api/v1/predict/repair-lifecycle", interval).status_code == 200
    erasure = core.persons.erase(ada.email)
    assert erasure.traces == ()
    assert erasure.removed["lifecycle_predictions"] == 1
    assert core.ledger.get(invoice.id).car is None
    (entry,) = eve.get("/api/v1/predict/repair-lifecycle/history").get_json()["data"]
    assert entry["vin"] == ASK["vin"][:11]
