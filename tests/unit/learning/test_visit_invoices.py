"""Invoices of visits and jobs move the labor rate of their place and no other."""

from typing import Any
from uuid import UUID

import pytest
from attrs import evolve

from repaircore.core import Core
from repaircore.documents.actuals import ActualLine
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.paging import PageRequest
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.predictions.model import PredictByVin
from repaircore.transactions.evidence import NOWHERE, Place
from repaircore.transactions.job_invoice import JobInvoice
from repaircore.transactions.model import Transaction, TransactionPart
from repaircore.visits.lifecycle import Action
from repaircore.visits.model import Visit
from repaircore.visits.requests import CreateVisit, VisitLineInput

VIN = "1HGCM82633A004352"
HOME, NASHVILLE, JACKSON = "90210", "37203", "39201"
ZIP_CODES = (HOME, NASHVILLE, JACKSON, "10001", "59001", "00601")
JOB = "brake-pads-front"
BEVERLY_HILLS = Place(state="CA", area="902")


def approved_visit(core: Core, **changes: Any) -> Visit:
    """Return a visit whose only line is approved, ready to be invoiced."""
    request = CreateVisit(vin=VIN, zip_code=HOME, lines=[VisitLineInput(problem_identifier=JOB)], **changes)
    visit = core.visits.create(request, LOCAL)
    visit = core.documents.send(visit.number, LOCAL, version=visit.version, by_mail=False).visit
    visit = core.documents.approve(visit.number, LOCAL, version=visit.version, name="Grace Hopper")
    return core.visits.act(visit.number, Action.BEGIN, LOCAL, version=visit.version)


def estimates(core: Core, zip_codes: tuple[str, ...] = ZIP_CODES) -> list[tuple[int, int, str]]:
    """Return the labor rate, average and rate source of the same job in each place."""
    about = core.vehicles.resolve(VIN[:11]).specs
    problem = core.problems.get(JOB).id
    found = []
    for zip_code in zip_codes:
        _, rate, answers = core.computation.local(Environment.LIVE, zip_code, about, [problem])
        found.append((rate.rate, answers[problem].estimate.average, rate.text))
    return found


def only_transaction(core: Core) -> Transaction:
    (transaction,) = core.ledger.page(request=PageRequest(per_page=5))
    return core.ledger.get(transaction.id)


def place_of(transaction: Transaction) -> Place:
    assert transaction.lesson is not None
    assert transaction.lesson.evidence.here is not None
    return transaction.lesson.evidence.here.place


def test_invoice_as_estimated_moves_nothing_anywhere(core: Core) -> None:
    before = estimates(core)
    core.visit_invoices.invoice(approved_visit(core).number, LOCAL)
    after = estimates(core)

    assert place_of(only_transaction(core)) == BEVERLY_HILLS
    for (rate, average, _), (rate_then, average_then, _) in zip(before, after, strict=True):
        assert rate_then == pytest.approx(rate, abs=1)
        assert average_then == pytest.approx(average, rel=0.005)
    assert "from 1 invoice in your area" in after[0][2]
    assert all(text.endswith("None of your shops near here has a rate yet.") for _, _, text in after[1:])
    assert not any("elsewhere" in text for _, _, text in after)


def test_more_hours_move_the_job_by_less_than_the_invoice_and_no_rate(core: Core) -> None:
    before = estimates(core)
    visit = approved_visit(core)
    hours = round(1.45 * visit.lines[0].hours, 2)
    core.visit_invoices.invoice(visit.number, LOCAL, lines=[ActualLine(line=1, labor_hours=hours)])
    ratio = only_transaction(core).total / before[0][1]
    for (rate, average, _), (rate_then, average_then, _) in zip(before, estimates(core), strict=True):
        assert rate_then == pytest.approx(rate, abs=1)
        assert average < average_then < ratio * average


def test_invoice_of_a_visit_at_a_shop_belongs_to_the_shop(core: Core) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Ada's Garage", zip_code="90211"))
    core.visit_invoices.invoice(approved_visit(core, facility_id=shop.id).number, LOCAL)

    assert only_transaction(core).facility_id == shop.id
    assert place_of(only_transaction(core)) == evolve(BEVERLY_HILLS, shop=shop.id)


def test_invoice_is_compared_with_the_entered_rate_of_the_nearest_shop(
    core: Core,
) -> None:
    core.facilities.create(
        CreateFacility(facility_name="Ada's Garage", zip_code="90210", avg_labor_rate=120.0)
    )
    before = estimates(core, (HOME,))
    core.visit_invoices.invoice(approved_visit(core).number, LOCAL)
    ((rate, average, _),) = estimates(core, (HOME,))

    assert rate == 120_00
    assert average == pytest.approx(before[0][1], rel=0.005)


def predicted(core: Core) -> UUID:
    ask = PredictByVin(vin=VIN, zip_code=HOME, problem_identifier=JOB)
    return core.predictions.predict(ask).session_id


def new_transaction(core: Core, rate: int, session_id: UUID | None) -> CreateTransaction:
    return CreateTransaction(
        vehicle_id=core.vehicles.resolve(VIN[:11]).id,
        problem_id=core.problems.get(JOB).id,
        performed_on=core.clock().date(),
        labor_hours=1.2,
        labor_rate=rate,
        parts_total=100_00,
        session_id=session_id,
    )


def test_invoice_of_a_prediction_has_its_place(core: Core) -> None:
    before = [rate for rate, *_ in estimates(core)]
    recorded = core.transactions.record(new_transaction(core, before[0], predicted(core)))
    changed = core.transactions.update(recorded.id, labor_hours=1.3)

    assert [place_of(recorded), place_of(changed)] == [BEVERLY_HILLS] * 2
    assert [rate for rate, *_ in estimates(core)] == pytest.approx(before, abs=1)


def test_invoice_of_another_repair_than_predicted_has_the_place_of_its_job(core: Core) -> None:
    invoice = JobInvoice(
        labor_hours=1,
        labor_rate=190_00,
        parts=(TransactionPart(name="Battery", unit_price=150_00, quantity=1),),
        problem_identifier="battery-replacement",
    )
    session_id = predicted(core)
    with core.storage.transaction() as work:
        core.job_invoices.record(
            work, invoice, job="R-1", session_id=session_id, environment=Environment.LIVE
        )

    assert only_transaction(core).session_id is None
    assert place_of(only_transaction(core)) == BEVERLY_HILLS


def test_one_invoice_without_a_place_hardly_moves_a_rate_and_many_do(core: Core) -> None:
    before = [rate for rate, *_ in estimates(core)]
    recorded = core.transactions.record(new_transaction(core, before[0], None))
    after = estimates(core)

    assert place_of(recorded) == NOWHERE
    for (rate, _, text), rate_before in zip(after, before, strict=True):
        assert rate == pytest.approx(rate_before, rel=0.003)
        assert f"raised by {100 * (rate / rate_before - 1):.1f}% by 1 invoice from elsewhere" in text
    core.transactions.delete(recorded.id)

    assert [rate for rate, *_ in estimates(core)] == before
