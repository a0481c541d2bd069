"""From an estimate to the road and to the invoice: what a job came to answers the prediction that led to it."""

import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.http.partners import PartnerApp
from tests.http.rides import Maker, customer_of, mobile, tow

from repaircore.adapters.sql.schema.webhooks import events
from repaircore.bootstrap import Core
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.predictions.model import Ask
from repaircore.transactions.listing import TransactionFilterInput
from repaircore.transactions.model import Transaction

TEST = evolve(LOCAL, environment=Environment.TEST)
ACCORD = "1HGCM82633A004352"
INVOICE: dict[str, Any] = {
    "parts": [{"name": "Front brake pad set", "unit_price": 65.1}],
    "labor_hours": 1.5,
    "labor_rate": 120,
    "total": 245.1,
    "mileage": 91_000,
}
End = Callable[..., Any]


@pytest.fixture
def session_id(core: Core) -> str:
    ask = Ask(vin=ACCORD, zip_code="90210", problem_identifier="brake-pads-front")
    return str(core.predictions.predict(ask, TEST).session_id)


def of_ride(maker: Maker) -> Callable[[PartnerApp, str | None], End]:
    def ended(app: PartnerApp, session_id: str | None) -> End:
        ref = maker.in_progress(app, session_id=session_id)["ref"]
        return lambda **told: app.post(f"{maker.path}/{ref}/complete", told)

    return ended


def of_appointment(app: PartnerApp, session_id: str | None) -> End:
    booking = {
        "mechanic_ref": app.get("/mechanics?state=OH").get_json()["data"][0]["ref"],
        "customer_ref": customer_of(app)["external_ref"],
        "date": "2026-01-05",
        "time": "09:00",
        "session_id": session_id,
    }
    made = app.post("/appointments", booking).get_json()["data"]
    return lambda **told: app.patch(f"/appointments/{made['ref']}", {"status": "completed", **told})


every_job = pytest.mark.parametrize(
    "job", [of_ride(mobile), of_ride(tow), of_appointment], ids=["ride", "tow", "appointment"]
)


def kept(core: Core) -> list[Transaction]:
    return list(core.ledger.page(number=1, per_page=10, caller=TEST, **TransactionFilterInput()))


def bad(answer: Any) -> dict[str, list[str]]:
    error = answer.get_json()["error"]
    assert (answer.status_code, error["code"]) == (400, "INVALID_REQUEST")
    details: dict[str, list[str]] = error["details"]
    return details


@every_job
def test_an_invoice_becomes_a_transaction_that_answers_the_prediction(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., End]
) -> None:
    told = job(partner, session_id)(invoice=INVOICE).get_json()["data"]
    (transaction,) = kept(core)
    estimated = core.past_predictions.page(caller=TEST).items[0]

    assert told["transaction_id"] == transaction.id
    assert told["invoice"] == {"currency": "USD", "parts_total": 65.1, "labor_total": 180.0, "total": 245.1}
    assert told["estimate"]["session_id"] == session_id
    assert told["estimate"]["average"] == estimated.local_average / 100
    assert told["estimate"]["low"] < told["estimate"]["average"] < told["estimate"]["high"]
    assert (transaction.total, transaction.mileage) == (245_10, 91_000)
    assert transaction.notes == f"Job {told['ref']}"
    assert str(transaction.session_id) == session_id
    assert transaction.car is not None  # of the VIN that was asked for, which is not kept


@every_job
def test_accuracy_counts_it(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., End]
) -> None:
    job(partner, session_id)(invoice=INVOICE)
    assert core.accuracy.report(TEST).invoices == 1
    assert core.accuracy.report(LOCAL).invoices == 0


@every_job
def test_a_job_without_an_invoice_teaches_nothing(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., End]
) -> None:
    told = job(partner, session_id)().get_json()["data"]
    assert (told["transaction_id"], told["invoice"], told["estimate"]) == (None, None, None)
    assert kept(core) == []


@every_job
def test_without_a_prediction_the_vin_and_the_repair_are_told(
    core: Core, partner: PartnerApp, job: Callable[..., End]
) -> None:
    end = job(partner, None)
    assert set(bad(end(invoice=INVOICE))) == {"invoice.vin", "invoice.problem_identifier"}
    told = end(invoice={**INVOICE, "vin": ACCORD, "problem_identifier": "brake-pads-front"}).get_json()[
        "data"
    ]
    (transaction,) = kept(core)
    assert (told["transaction_id"], told["estimate"]) == (transaction.id, None)
    assert transaction.prediction_id is None


@every_job
def test_another_repair_than_the_predicted_one_answers_nothing(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., End]
) -> None:
    told = job(partner, session_id)(invoice={**INVOICE, "problem_identifier": "oil-change"}).get_json()[
        "data"
    ]
    (transaction,) = kept(core)
    assert (told["transaction_id"], told["estimate"]) == (transaction.id, None)
    assert transaction.prediction_id is None


BAD: list[tuple[dict[str, Any], list[str]]] = [
    ({"total": 245.11}, ["total"]),
    ({"parts": [], "labor_hours": 0, "total": 0}, ["total"]),
    ({"parts_total": 65}, ["parts_total"]),
    ({"labor_hours": None}, ["labor_hours"]),
    ({"labor_rate": "120"}, ["labor_rate"]),
    ({"labor_hours": 1e9, "mileage": -1}, ["labor_hours", "mileage"]),
    ({"labor_rate": 1e300}, ["labor_rate"]),
    ({"performed_on": "1890-01-01"}, ["performed_on"]),
    ({"performed_on": "yesterday"}, ["performed_on"]),
    ({"parts": [{"name": " ", "unit_price": -1}]}, ["parts.0.name", "parts.0.unit_price"]),
    ({"parts": [{"name": "Gold", "unit_price": 600_000}] * 2}, ["parts"]),
    ({"parts": [{"name": "Gold", "unit_price": 1_000_000, "quantity": 1_000}], "total": None}, ["parts"]),
    ({"problem_identifier": "no-such-repair"}, ["problem_identifier"]),
    ({"vin": "OIQ", "problem_identifier": ""}, ["problem_identifier", "vin"]),
]


@every_job
def test_a_bad_invoice_ends_nothing_and_names_its_fields(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., End]
) -> None:
    end = job(partner, session_id)
    for changes, fields in BAD:
        assert sorted(bad(end(invoice={**INVOICE, **changes}))) == [f"invoice.{name}" for name in fields]
    assert kept(core) == []
    assert end(invoice=INVOICE).get_json()["data"]["status"] == "completed"


@every_job
def test_what_is_over_is_billed_no_more(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., End]
) -> None:
    end = job(partner, session_id)
    assert end().status_code == 200
    assert end(invoice=INVOICE).status_code == 409
    assert kept(core) == []


def test_a_lost_answer_asked_for_again_bills_once(core: Core, partner: PartnerApp, session_id: str) -> None:
    ref = mobile.in_progress(partner, session_id=session_id)["ref"]
    first, again = (
        partner.post(f"/mobile-rides/{ref}/complete", {"invoice": INVOICE}, key="the end") for _ in range(2)
    )
    assert (first.status_code, first.data) == (200, again.data)
    assert len(kept(core)) == 1


@pytest.mark.parametrize(("maker", "outcome"), [(mobile, "unsuccessful"), (tow, "unsuccessful")])
def test_what_was_not_completed_has_no_invoice(partner: PartnerApp, maker: Maker, outcome: str) -> None:
    ref = maker.in_progress(partner)["ref"]
    answer = partner.post(f"{maker.path}/{ref}/complete", {"outcome": outcome, "invoice": INVOICE})
    assert set(bad(answer)) == {"invoice"}


def test_an_appointment_that_goes_on_has_no_invoice(partner: PartnerApp) -> None:
    assert set(bad(of_appointment(partner, None)(status="no_show", invoice=INVOICE))) == {"invoice"}


def test_an_unpredicted_vehicle_may_be_told(core: Core, partner: PartnerApp, session_id: str) -> None:
    corolla = {**INVOICE, "vin": "2T1BURHE0JC123456", "performed_on": "2025-12-30"}
    told = of_ride(mobile)(partner, session_id)(invoice=corolla).get_json()["data"]
    (transaction,) = kept(core)
    assert told["estimate"] is None
    assert transaction.performed_on == date(2025, 12, 30)
    assert core.ledger.details(transaction.id, TEST).vehicle.specs.make == "Toyota"


@every_job
def test_the_event_tells_the_bill(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., End]
) -> None:
    told = job(partner, session_id)(invoice=INVOICE).get_json()["data"]
    with core.storage.database.engine.connect() as connection:
        ended = sa.select(events.c.payload).where(events.c.type.like("%.completed"))
        (payload,) = connection.execute(ended).scalars()
    event = json.loads(payload)["data"]
    assert event["transaction_id"] == told["transaction_id"] is not None
    assert event["estimate"] == told["estimate"]
    assert event["invoice"] == told["invoice"]
