"""Invoices as admins read them: pages, details, price histories and the options of forms."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from attrs import evolve
from tests.unit.learning.test_service import TEST, USER, new_transaction

from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL
from repaircore.kernel.errors import Forbidden, Invalid, NotFound
from repaircore.kernel.paging import PageRequest
from repaircore.predictions.model import PredictByVin

VIN = "1HGCM82633A004352"


def test_details_of_an_invoice_have_its_shop_and_its_prediction(core: Core) -> None:
    vehicle = core.vehicles.resolve(VIN[:11])
    shop = core.facilities.create(CreateFacility(facility_name="Ada's", zip_code="90210"))
    session_id = core.predictions.predict(
        PredictByVin(vin=VIN, zip_code="90210", problem_identifier="101")
    ).session_id
    plain = core.transactions.record(new_transaction(vehicle.id))
    whole = core.transactions.record(new_transaction(vehicle.id, facility_id=shop.id, session_id=session_id))
    alone, found = (core.ledger.get_details(one.id) for one in (plain, whole))

    assert (alone.transaction, alone.facility, alone.prediction) == (plain, None, None)
    assert (found.transaction, found.vehicle.id, found.problem.id) == (whole, vehicle.id, 101)
    assert found.facility is not None
    assert found.facility.id == shop.id
    assert found.prediction is not None
    assert found.prediction.session_id == session_id


def test_missing_invoice_is_not_found(core: Core) -> None:
    recorded = core.transactions.record(new_transaction(core.vehicles.resolve(VIN[:11]).id))
    for number, caller in ((recorded.id + 1, LOCAL), (0, LOCAL), (2**70, LOCAL), (recorded.id, TEST)):
        for read in (core.ledger.get, core.ledger.get_details):
            with pytest.raises(NotFound):
                read(number, caller)


@pytest.mark.parametrize(
    "request_", [PageRequest(number=0), PageRequest(per_page=0), PageRequest(per_page=10**6)]
)
def test_impossible_page_is_refused(core: Core, request_: PageRequest) -> None:
    with pytest.raises(Invalid):
        core.ledger.page(request=request_)


def test_statistics_list_the_earliest_month_first(core: Core) -> None:
    vehicle_id = core.vehicles.resolve(VIN[:11]).id
    data = new_transaction(vehicle_id)
    for days in (0, 40, 80):
        core.transactions.record(evolve(data, performed_on=data.performed_on - timedelta(days=days)))

    assert [month.month for month in core.ledger.statistics().months] == ["2025-09", "2025-10", "2025-12"]


def test_options_of_a_form_are_repairs_shops_and_makes_on_invoices(core: Core) -> None:
    shop = core.facilities.create(CreateFacility(facility_name="Ada's", zip_code="90210"))
    core.transactions.record(new_transaction(core.vehicles.resolve(VIN[:11]).id))
    found = core.ledger.form_options()

    assert [one.id for one in found.problems] == [one.id for one in core.problems.list_all()]
    assert ([one.id for one in found.facilities], [*found.makes]) == ([shop.id], ["Honda"])


def test_price_history_is_that_of_a_repair_and_a_make(core: Core) -> None:
    recorded = core.transactions.record(new_transaction(core.vehicles.resolve(VIN[:11]).id))
    histories = core.price_histories
    every, honda, toyota = (histories.of(101, make=make) for make in (None, "HONDA", "Toyota"))

    assert (every.make, honda.make, toyota.make) == (None, "HONDA", "Toyota")
    assert every.paid == honda.paid
    assert every.paid is not None
    assert recorded.total == 245_00
    assert (toyota.paid, histories.of(101, caller=TEST).paid) == (None, None)
    refused: tuple[tuple[type[Exception], Callable[[], object]], ...] = (
        (NotFound, lambda: histories.of(2**70)),
        (NotFound, lambda: histories.of(1)),
        (Invalid, lambda: histories.of(101, make="")),
        (Invalid, lambda: histories.of(101, make="x" * 101)),
        (Forbidden, lambda: histories.of(101, caller=USER)),
    )
    for error, use in refused:
        with pytest.raises(error):
            use()
    assert histories.of(101, make="x" * 100).paid is None
