"""Invoices of partners' jobs, with and without the prediction that led to the job."""

from typing import Any
from uuid import UUID

import pytest
from attrs import evolve

from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.errors import Invalid
from repaircore.predictions.model import PredictByVin
from repaircore.transactions.job_invoice import JobBill, JobInvoice
from repaircore.transactions.model import Transaction, TransactionPart

VIN, OTHER_VIN = "1HGCM82633A004352", "2HGFC2F53JH000001"
INVOICE = JobInvoice(
    labor_hours=1.5,
    labor_rate=100_00,
    parts=(TransactionPart(name="Pads", unit_price=40_00, quantity=2),),
)


def _predicted(core: Core) -> UUID:
    query = PredictByVin(vin=VIN, zip_code="90210", problem_identifier="brake-pads-front")
    return core.predictions.predict(query).session_id


def _billed(core: Core, session_id: UUID | None = None, **changes: Any) -> tuple[JobBill, Transaction]:
    with core.storage.transaction() as work:
        bill = core.job_invoices.record(
            work,
            evolve(INVOICE, **changes),
            job="R-1",
            session_id=session_id,
            environment=Environment.LIVE,
        )
    return bill, core.ledger.get(bill.transaction_id)


def _errors(core: Core, session_id: UUID | None = None, **changes: Any) -> dict[str, str]:
    with pytest.raises(Invalid) as caught:
        _billed(core, session_id, **changes)
    return {name: texts[0] for name, texts in caught.value.fields.items()}


def test_invoice_of_a_predicted_job_is_for_the_predicted_repair_and_vehicle(core: Core) -> None:
    session_id = _predicted(core)
    bill, transaction = _billed(core, session_id)
    expected = core.past_predictions.get(session_id).record.entry

    assert (bill.parts_total, bill.labor_total, bill.total) == (80_00, 150_00, 230_00)
    assert bill.estimate is not None
    assert (bill.estimate.session_id, bill.estimate.average) == (session_id, expected.local_average)
    assert transaction.session_id == session_id
    assert transaction.performed_on == core.clock().date()
    assert transaction.notes == "Job R-1"
    assert transaction.car is not None
    assert transaction.vehicle_id == core.vehicles.resolve(VIN[:11]).id


@pytest.mark.parametrize(
    ("changes", "car_is_known"),
    [
        ({"problem_identifier": "battery-replacement"}, True),
        ({"vin": OTHER_VIN}, True),
        ({"vin": OTHER_VIN[:11]}, False),
    ],
)
def test_invoice_for_another_repair_or_vehicle_is_not_linked(
    core: Core, *, changes: dict[str, str], car_is_known: bool
) -> None:
    bill, transaction = _billed(core, _predicted(core), **changes)

    assert (bill.estimate, transaction.session_id) == (None, None)
    assert (transaction.car is not None) is car_is_known


def test_invoice_that_repeats_what_was_predicted_is_linked(core: Core) -> None:
    session_id = _predicted(core)
    for changes in ({"problem_identifier": "101"}, {"problem_identifier": "brake-pads-front"}, {"vin": VIN}):
        bill, transaction = _billed(core, session_id, **changes)

        assert bill.estimate is not None
        assert transaction.session_id == session_id


def test_invoice_without_a_prediction_needs_a_repair_and_a_vehicle(core: Core) -> None:
    repair, vehicle = "invoice.problem_identifier", "invoice.vin"
    needed = {
        repair: "The problem identifier field is required: no prediction led to this job.",
        vehicle: "The vin field is required: no prediction led to this job.",
    }

    assert _errors(core) == needed
    assert _errors(core, vin=VIN) == {repair: needed[repair]}
    assert _errors(core, problem_identifier="101") == {vehicle: needed[vehicle]}
    for unknown in ("no-such-repair", "1", "?"):
        assert _errors(core, vin=VIN, problem_identifier=unknown) == {
            repair: "The problem identifier field must be the id or the slug of a repair."
        }
    assert _errors(core, vin="ZZZZZZZZZZZ", problem_identifier="101") == {
        vehicle: "No vehicle with this VIN is known."
    }
    assert [*_errors(core, vin="short", problem_identifier="101")] == [vehicle]
    bill, transaction = _billed(core, vin=OTHER_VIN, problem_identifier="101")

    assert bill.estimate is None
    assert transaction.vehicle_id == core.vehicles.resolve(OTHER_VIN[:11]).id


def test_total_of_an_invoice_must_be_its_sum_and_not_zero(core: Core) -> None:
    session_id = _predicted(core)

    assert _billed(core, session_id, total=230_00)[0].total == 230_00
    for total in (229_99, 230_01):
        assert _errors(core, session_id, total=total) == {
            "invoice.total": "The total field must be the sum of parts and labor, $230.00."
        }
    nothing: dict[str, Any] = {"parts": (), "labor_hours": 0}

    assert _errors(core, session_id, **nothing) == {
        "invoice.total": "The invoice must total at least $0.01; omit it if nothing was charged."
    }
    assert _billed(core, session_id, **nothing, parts_total=1)[0].total == 1
    assert core.ledger.page().total == 2  # a refused invoice is not recorded


def test_shop_of_a_job_is_left_out_if_it_was_deleted(core: Core) -> None:
    session_id = _predicted(core)
    shop = core.facilities.create(CreateFacility(facility_name="Ada's", zip_code="90210")).id

    assert _billed(core, session_id, facility_id=shop)[1].facility_id == shop
    assert _billed(core, session_id, facility_id=shop + 1)[1].facility_id is None


@pytest.mark.parametrize(("zip_code", "state"), [(None, "CA"), ("10001", "NY")])
def test_place_of_a_job_is_its_zip_code_else_that_of_the_prediction(
    core: Core, zip_code: str | None, state: str
) -> None:
    _, transaction = _billed(core, _predicted(core), zip_code=zip_code)

    assert transaction.lesson is not None
    assert transaction.lesson.evidence.here is not None
    assert transaction.lesson.evidence.here.place.state == state


def test_lesson_keeps_the_place_of_the_job_when_the_invoice_is_changed(core: Core) -> None:
    _, transaction = _billed(core, vin=VIN, problem_identifier="101", zip_code="10001")
    shop = core.facilities.create(CreateFacility(facility_name="Ada's", zip_code="90210")).id

    def state(**changes: Any) -> str | None:
        changed = core.transactions.update(transaction.id, LOCAL, **changes)
        assert changed.lesson is not None
        here = changed.lesson.evidence.here
        return None if here is None else here.place.state

    assert state(labor_hours=2.0) == "NY"
    assert state(facility_id=shop) == "CA"
    # The place of a shop does not stay when the shop is removed from the invoice.
    assert state(facility_id=None) == ""
