"""Invoices linked to predictions: what is reported, and how they tune later predictions."""

from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ASK, Person, bearer
from tests.http.test_predictions import with_models

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Caller, Environment, Role
from repaircore.kernel.errors import Forbidden, Invalid
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.testing.clock import FrozenClock
from repaircore.transactions.model import Transaction, TransactionPart

TEST = evolve(LOCAL, environment=Environment.TEST)
ZIPS = [f"902{number}" for number in range(10, 13)] + ["10001", "60601", "77001", "02108", "94103"]


def predict(api: FlaskClient, token: str, **changes: Any) -> Any:
    answer = api.post("/api/v1/predict", json={**ASK, **changes}, headers=bearer(token))

    assert answer.status_code == 200, answer.text
    return answer.json


def record_invoice(
    core: Core,
    prediction: Any,
    dollars: int,
    caller: Caller = LOCAL,
    *,
    problem_id: int | None = None,
    session_id: str | None = None,
) -> Transaction:
    """Record an invoice for a prediction."""
    sale = CreateTransaction(
        vehicle_id=UUID(prediction["vehicle"]["id"]),
        problem_id=problem_id or prediction["problem"]["id"],
        performed_on=date(2026, 1, 2),
        labor_hours=1.0,
        labor_rate=150_00,
        parts=(TransactionPart(name="Front brake pad set", unit_price=dollars * 100 - 150_00, quantity=1),),
        session_id=UUID(session_id or prediction["session_id"]),
    )
    return core.transactions.record(sale, caller)


def test_invoice_stores_its_prediction(api: FlaskClient, core: Core, ada: Person) -> None:
    result = predict(api, ada.token)
    stored = record_invoice(core, result, 250)

    assert stored.prediction_id is not None
    assert core.ledger.get(stored.id) == stored


def test_past_predictions_are_compared_with_invoices(api: FlaskClient, core: Core, ada: Person) -> None:
    result = [predict(api, ada.token, zip_code=code) for code in ZIPS[:3]]
    for prediction in result:
        average = prediction["local_prediction"]["average_total_estimate"]
        record_invoice(core, prediction, round(average / 1.25))
    dear = predict(api, ada.token, problem_identifier="brake-pads-rear")
    record_invoice(core, dear, 2000)
    report = core.accuracy.report()

    assert (report.invoices, report.environment) == (4, "live")
    pads, rear = report.problems

    assert (pads.slug, pads.invoices) == ("brake-pads-front", 3)
    assert pads.accuracy.inside == 100
    assert pads.accuracy.local.median_error == pytest.approx(25, abs=0.6)
    assert pads.accuracy.model_a.pairs == pads.accuracy.together.pairs == 3
    assert (rear.slug, rear.accuracy.inside) == ("brake-pads-rear", 0)
    assert rear.accuracy.local.median_bias is not None
    assert rear.accuracy.local.median_bias < -80
    assert core.accuracy.report(TEST).invoices == 0


def test_accuracy_ignores_the_price_adjustment(api: FlaskClient, core: Core, ada: Person) -> None:
    core.predictions.adjust_prices(400)
    result = predict(api, ada.token)
    record_invoice(core, result, round(result["local_prediction"]["average_total_estimate"] / 5))

    assert core.accuracy.report().overall.local.median_error == pytest.approx(0, abs=0.5)


def test_invoices_correct_the_models_until_they_are_deleted(
    open_core: OpenCore, core: Core, ada: Person, clock: FrozenClock
) -> None:
    models = with_models(open_core, 500_00, 250_00)
    before = [predict(models, ada.token, zip_code=code) for code in ZIPS]
    stored = [record_invoice(core, one, 250) for one in before]
    clock.advance(timedelta(days=4))
    after = predict(models, ada.token, zip_code=ZIPS[0])

    assert after["model_a_prediction"]["ai_average_estimate"] == 500  # the model's own figure is unchanged
    assert 250 <= after["aggregated_ai_average"] < before[0]["aggregated_ai_average"] - 20
    (step,) = [step for step in after["explanation"] if step["step"] == "models"]

    assert "8 later invoices" in step["text"]
    for one in stored:
        core.transactions.delete(one.id)
    clock.advance(timedelta(days=4))
    again = predict(models, ada.token, zip_code=ZIPS[0])

    assert again["aggregated_ai_average"] == before[0]["aggregated_ai_average"]
    assert core.accuracy.report().invoices == 0


def test_environments_are_tuned_separately(
    open_core: OpenCore, core: Core, ada: Person, clock: FrozenClock
) -> None:
    models = with_models(open_core, 500_00, 250_00)
    before = predict(models, ada.token, zip_code="33101")
    test = ada.keys("test").secret_key
    for code in ZIPS:
        record_invoice(core, predict(models, test, zip_code=code), 250, TEST)
    clock.advance(timedelta(days=4))
    after = predict(models, ada.token, zip_code="33101")

    assert after["aggregated_ai_average"] == before["aggregated_ai_average"]


def test_invoice_needs_a_prediction_of_the_same_repair_and_environment(
    api: FlaskClient, core: Core, ada: Person
) -> None:
    result = predict(api, ada.token)
    for change in ({"session_id": str(UUID(int=7))}, {"problem_id": 102}, {"caller": TEST}):
        with pytest.raises(Invalid) as caught:
            record_invoice(core, result, 250, **change)

        assert set(caught.value.fields) == {"session_id"}

    assert core.accuracy.report().invoices == 0


def test_only_admins_read_the_report(core: Core) -> None:
    with pytest.raises(Forbidden):
        core.accuracy.report(evolve(LOCAL, role=Role.USER))
