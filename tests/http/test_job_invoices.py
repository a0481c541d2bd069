"""Invoices of completed rides and appointments, which are compared with the prediction that led to the job."""

import json
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.http.partners import PartnerApp, after
from tests.http.rides import Maker, create_customer, mobile, tow

from repaircore.adapters.sql.schema.webhooks import events
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.paging import PageRequest
from repaircore.predictions.model import PredictByVin
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
EndJob = Callable[..., Any]


@pytest.fixture
def session_id(core: Core) -> str:
    request = PredictByVin(vin=ACCORD, zip_code="90210", problem_identifier="brake-pads-front")
    return str(core.predictions.predict(request, TEST).session_id)


def ride_job(maker: Maker) -> Callable[[PartnerApp, str | None], EndJob]:
    def create_job(app: PartnerApp, session_id: str | None) -> EndJob:
        ref = maker.in_progress(app, session_id=session_id)["ref"]
        return lambda **body: app.post(f"{maker.path}/{ref}/complete", body)

    return create_job


def appointment_job(app: PartnerApp, session_id: str | None) -> EndJob:
    data = {
        "mechanic_ref": app.get("/mechanics?state=OH").get_json()["data"][0]["ref"],
        "customer_ref": create_customer(app)["external_ref"],
        "date": "2026-01-05",
        "time": "09:00",
        "session_id": session_id,
    }
    appointment = app.post("/appointments", data).get_json()["data"]
    started = after(app, timedelta(days=4))
    return lambda **body: started.patch(
        f"/appointments/{appointment['ref']}", {"status": "completed", **body}
    )


every_job = pytest.mark.parametrize(
    "job", [ride_job(mobile), ride_job(tow), appointment_job], ids=["ride", "tow", "appointment"]
)


def stored_transactions(core: Core) -> list[Transaction]:
    return list(core.ledger.page(caller=TEST, request=PageRequest(per_page=10)))


def field_errors(response: Any) -> dict[str, list[str]]:
    error = response.get_json()["error"]
    assert (response.status_code, error["code"]) == (400, "INVALID_REQUEST")
    details: dict[str, list[str]] = error["details"]
    return details


@every_job
def test_job_invoice_is_stored_as_a_transaction_of_the_prediction(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., EndJob]
) -> None:
    job_view = job(partner, session_id)(invoice=INVOICE).get_json()["data"]
    (transaction,) = stored_transactions(core)
    estimated = core.past_predictions.page(caller=TEST).items[0]

    assert job_view["transaction_id"] == transaction.id
    assert job_view["invoice"] == {
        "currency": "USD",
        "parts_total": 65.1,
        "labor_total": 180.0,
        "total": 245.1,
    }
    assert job_view["estimate"]["session_id"] == session_id
    assert job_view["estimate"]["average"] == estimated.local_average / 100
    assert job_view["estimate"]["low"] < job_view["estimate"]["average"] < job_view["estimate"]["high"]
    assert (transaction.total, transaction.mileage) == (245_10, 91_000)
    assert transaction.notes == f"Job {job_view['ref']}"
    assert str(transaction.session_id) == session_id
    assert transaction.car is not None  # from the VIN of the prediction, which is not stored


@every_job
def test_job_invoice_counts_in_the_accuracy(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., EndJob]
) -> None:
    job(partner, session_id)(invoice=INVOICE)

    assert core.accuracy.report(TEST).invoices == 1
    assert core.accuracy.report(LOCAL).invoices == 0


@every_job
def test_job_without_an_invoice_stores_no_transaction(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., EndJob]
) -> None:
    job_view = job(partner, session_id)().get_json()["data"]

    assert (job_view["transaction_id"], job_view["invoice"], job_view["estimate"]) == (None, None, None)
    assert stored_transactions(core) == []


@every_job
def test_job_invoice_without_a_prediction_requires_vin_and_repair(
    core: Core, partner: PartnerApp, job: Callable[..., EndJob]
) -> None:
    end = job(partner, None)

    assert field_errors(end(invoice=INVOICE)) == {
        "invoice.vin": ["The vin field is required: no prediction led to this job."],
        "invoice.problem_identifier": [
            "The problem identifier field is required: no prediction led to this job."
        ],
    }

    job_view = end(invoice={**INVOICE, "vin": ACCORD, "problem_identifier": "brake-pads-front"}).get_json()[
        "data"
    ]
    (transaction,) = stored_transactions(core)

    assert (job_view["transaction_id"], job_view["estimate"]) == (transaction.id, None)
    assert transaction.prediction_id is None


@every_job
def test_job_invoice_of_another_repair_has_no_prediction(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., EndJob]
) -> None:
    job_view = job(partner, session_id)(invoice={**INVOICE, "problem_identifier": "oil-change"}).get_json()[
        "data"
    ]
    (transaction,) = stored_transactions(core)

    assert (job_view["transaction_id"], job_view["estimate"]) == (transaction.id, None)
    assert transaction.prediction_id is None


BAD: list[tuple[dict[str, Any], list[str]]] = [
    ({"total": 245.11}, ["total"]),
    ({"parts": [], "labor_hours": 0, "total": 0}, ["total"]),
    ({"parts_total": 65}, ["parts_total"]),
    ({"labor_hours": None}, ["labor_hours"]),
    ({"labor_rate": "120"}, ["labor_rate"]),
    ({"labor_hours": 1e9, "mileage": -1}, ["labor_hours", "mileage"]),
    ({"labor_rate": 1e300}, ["labor_rate"]),
    ({"labor_rate": 120.005}, ["labor_rate"]),
    ({"parts": [{"name": "Pads", "unit_price": 19.999}]}, ["parts.0.unit_price"]),
    ({"performed_on": "1890-01-01"}, ["performed_on"]),
    ({"performed_on": "yesterday"}, ["performed_on"]),
    ({"parts": [{"name": " ", "unit_price": -1}]}, ["parts.0.name", "parts.0.unit_price"]),
    (
        {
            "labor_hours": "1",
            "labor_rate": -1,
            "mileage": -5,
            "parts": [{"name": "", "unit_price": "x", "quantity": 0}],
        },
        ["labor_hours", "labor_rate", "mileage", "parts.0.name", "parts.0.quantity", "parts.0.unit_price"],
    ),
    ({"parts": [{"name": "Gold", "unit_price": 600_000}] * 2}, ["parts"]),
    ({"parts": [{"name": "Gold", "unit_price": 1_000_000, "quantity": 1_000}], "total": None}, ["parts"]),
    ({"problem_identifier": "no-such-repair"}, ["problem_identifier"]),
    ({"vin": "OIQ", "problem_identifier": ""}, ["problem_identifier", "vin"]),
]


@every_job
def test_bad_job_invoice_reports_its_fields_and_ends_nothing(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., EndJob]
) -> None:
    end = job(partner, session_id)
    for changes, fields in BAD:
        assert sorted(field_errors(end(invoice={**INVOICE, **changes}))) == [
            f"invoice.{name}" for name in fields
        ]

    assert stored_transactions(core) == []
    assert end(invoice=INVOICE).get_json()["data"]["status"] == "completed"


@every_job
def test_job_invoice_of_an_ended_job_is_a_conflict(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., EndJob]
) -> None:
    end = job(partner, session_id)

    assert end().status_code == 200
    assert end(invoice=INVOICE).status_code == 409
    assert stored_transactions(core) == []


def test_job_invoice_repeated_with_the_same_key_is_stored_once(
    core: Core, partner: PartnerApp, session_id: str
) -> None:
    ref = mobile.in_progress(partner, session_id=session_id)["ref"]
    first, again = (
        partner.post(f"/mobile-rides/{ref}/complete", {"invoice": INVOICE}, key="the end") for _ in range(2)
    )

    assert (first.status_code, first.data) == (200, again.data)
    assert len(stored_transactions(core)) == 1


@pytest.mark.parametrize(("maker", "outcome"), [(mobile, "unsuccessful"), (tow, "unsuccessful")])
def test_job_invoice_of_an_unsuccessful_ride_is_rejected(
    partner: PartnerApp, maker: Maker, outcome: str
) -> None:
    ref = maker.in_progress(partner)["ref"]
    response = partner.post(f"{maker.path}/{ref}/complete", {"outcome": outcome, "invoice": INVOICE})

    assert set(field_errors(response)) == {"invoice"}


def test_job_invoice_of_a_no_show_is_rejected(partner: PartnerApp) -> None:
    assert set(field_errors(appointment_job(partner, None)(status="no_show", invoice=INVOICE))) == {"invoice"}


def test_job_invoice_may_be_for_another_vehicle(core: Core, partner: PartnerApp, session_id: str) -> None:
    corolla = {**INVOICE, "vin": "2T1BURHE0JC123456", "performed_on": "2025-12-30"}
    job_view = ride_job(mobile)(partner, session_id)(invoice=corolla).get_json()["data"]
    (transaction,) = stored_transactions(core)

    assert job_view["estimate"] is None
    assert transaction.performed_on == date(2025, 12, 30)
    assert core.ledger.get_details(transaction.id, TEST).vehicle.specs.make == "Toyota"


@every_job
def test_completed_event_has_the_job_invoice(
    core: Core, partner: PartnerApp, session_id: str, job: Callable[..., EndJob]
) -> None:
    job_view = job(partner, session_id)(invoice=INVOICE).get_json()["data"]
    with core.storage.database.engine.connect() as connection:
        query = sa.select(events.c.payload).where(events.c.type.like("%.completed"))
        (payload,) = connection.execute(query).scalars()
    event = json.loads(payload)["data"]

    assert event["transaction_id"] == job_view["transaction_id"] is not None
    assert event["estimate"] == job_view["estimate"]
    assert event["invoice"] == job_view["invoice"]
