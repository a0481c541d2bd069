"""The contract of the records of bills, on both databases, and their use in the garage."""

from datetime import date, timedelta
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.conftest import OpenCore
from tests.threads import at_once

from repaircore.adapters.sql.schema.garage import vehicle_bills
from repaircore.adapters.sql.vehicle_bills import BILLS
from repaircore.core import Core
from repaircore.garage.errors import NotInGarage
from repaircore.garage.validation import AddGarageVehicle
from repaircore.kernel.callers import LOCAL
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import PageRequest
from repaircore.vehicle_bills.errors import NoSuchBill, TooManyBills
from repaircore.vehicle_bills.model import MOST_BILLS, VehicleBill
from repaircore.vehicle_bills.validation import RecordBill

ACCORD = "1HGCM82633A004352"


@pytest.fixture
def core(open_core: OpenCore) -> Core:
    core = open_core()
    core.garage_additions.add(AddGarageVehicle(vin=ACCORD, zip_code="60601", odometer=81_000), LOCAL)
    return core


def bill(core: Core, *, days_ago: int = 10, total: float = 120.5, **fields: object) -> VehicleBill:
    on = core.clock().date() - timedelta(days=days_ago)
    return core.vehicle_bills.record(ACCORD, RecordBill(on=on, total=total, **{"title": "Wipers", **fields}))  # type: ignore[arg-type]


def listed(core: Core, sort: str = "") -> list[UUID]:
    return [one.id for one in core.vehicle_bills.page(ACCORD, PageRequest(sort=sort))]


def test_bills_are_listed_from_the_newest_or_by_their_totals(core: Core) -> None:
    old, dear, new = bill(core, days_ago=90), bill(core, days_ago=40, total=900), bill(core, days_ago=2)
    assert listed(core) == [new.id, dear.id, old.id]
    assert listed(core, "-total")[0] == dear.id
    with pytest.raises(Invalid):
        listed(core, "shop_name")


def test_bill_counts_as_paid_until_it_is_deleted(core: Core) -> None:
    recorded = bill(core, total=412.5, shop_name="Elm Street Garage")
    report = core.garage.get(ACCORD)
    assert report.listed.past_year == 412_50
    assert [(cost.amount, cost.label) for cost in report.paid] == [(412_50, "Wipers, Elm Street Garage")]

    assert core.vehicle_bills.remove(ACCORD, str(recorded.id)) == recorded
    assert core.garage.get(ACCORD).listed.past_year == 0
    for gone in (str(recorded.id), "12"):
        with pytest.raises(NoSuchBill):
            core.vehicle_bills.remove(ACCORD, gone)


def test_repair_of_a_bill_counts_as_done(core: Core) -> None:
    def due_on() -> date:
        services = core.garage.get(ACCORD).services
        return next(one.due_on for one in services if one.name == "tire-rotation")

    before = due_on()
    paid = bill(core, title=None, problem_identifier="tire-rotation", mileage=80_900)
    assert paid.title
    assert due_on() > before


def test_bills_are_hidden_from_other_owners(core: Core) -> None:
    recorded = bill(core)
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    ada = core.accounts.caller_for("ada@example.com")
    core.garage_additions.add(AddGarageVehicle(vin=ACCORD, zip_code="60601"), ada)
    assert core.vehicle_bills.page(ACCORD, PageRequest(), ada).total == 0
    with pytest.raises(NoSuchBill):
        core.vehicle_bills.remove(ACCORD, str(recorded.id), ada)
    core.garage.remove(ACCORD)
    with pytest.raises(NotInGarage):
        core.vehicle_bills.page(ACCORD, PageRequest())


def test_concurrent_bills_do_not_exceed_the_limit(core: Core, database_url: str) -> None:
    first = bill(core)
    engine = sa.create_engine(database_url)
    with engine.begin() as connection:
        rows = [BILLS.write(evolve(first, id=uuid4())) for _ in range(MOST_BILLS - 3)]
        connection.execute(sa.insert(vehicle_bills), rows)
    engine.dispose()

    def try_to_record() -> bool:
        try:
            bill(core)
        except TooManyBills:
            return False
        return True

    assert sum(at_once(6, try_to_record)) == 2


def test_bill_reports_every_bad_field(core: Core) -> None:
    tomorrow = core.clock().date() + timedelta(days=2)
    wrong = RecordBill(on=tomorrow, total=0, title=" ", problem_identifier=None, mileage=-1)
    with pytest.raises(Invalid) as refused:
        core.vehicle_bills.record(ACCORD, wrong)
    assert set(refused.value.fields) == {"on", "total", "title", "mileage"}
    with pytest.raises(Invalid) as refused:
        core.vehicle_bills.record(
            ACCORD, evolve(wrong, on=date(2020, 1, 1), total=5, mileage=1, problem_identifier="x")
        )
    assert set(refused.value.fields) == {"problem_identifier"}
