"""What a garage reads of its vehicles' past, on both databases."""

from datetime import date, timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.contracts.test_transactions import invoice
from tests.contracts.visits import a_visit

from repaircore.adapters.sql.engine.work import SqlWork
from repaircore.core import Core
from repaircore.fleet.signals import SignalReading, SignalSource
from repaircore.garage.expenses import PastCost
from repaircore.garage.model import GarageVehicle, VehicleRecords
from repaircore.garage.validation import AddGarageVehicle, SaveGarageSettings
from repaircore.kernel.callers import LOCAL, Caller, Environment, Role, owner_of
from repaircore.schedules.model import Status
from repaircore.schedules.validation import CreateSchedule, UpdateSchedule
from repaircore.shops.model import SaveShop
from repaircore.testing.builders import a_vehicle
from repaircore.transactions.car_numbers import car_of
from repaircore.vehicle_bills.validation import RecordBill
from repaircore.visits import lifecycle as visits

ACCORD, OTHER = "1HGCM82633A004352", "1FT7W2B60GEB96643"
SINCE = date(2025, 6, 1)
CAR = car_of(ACCORD)


def person(core: Core, name: str, role: Role = Role.USER) -> Caller:
    core.accounts.create_user(name=name, email=f"{name}@example.com", password="correct horse")
    if role is Role.ADMIN:
        core.accounts.set_role(f"{name}@example.com", role)
    return core.accounts.caller_for(f"{name}@example.com")


def add(core: Core, caller: Caller = LOCAL, vin: str = ACCORD, **fields: Any) -> GarageVehicle:
    return core.garage_additions.add(AddGarageVehicle(vin=vin, **fields), caller)


def load(core: Core, *vehicles: GarageVehicle, since: date = SINCE) -> list[VehicleRecords]:
    with core.storage.read() as work:
        found = work.garage_outlooks.load_records(vehicles, since=since)
    return [found[vehicle.id] for vehicle in vehicles]


def record(work: SqlWork, **changes: Any) -> None:
    usual = {"car": CAR, "performed_on": SINCE, "lesson": None}
    work.transactions.add(invoice(**{**usual, **changes}))


def test_invoices_of_a_car_count_since_a_day(core: Core) -> None:
    vehicle = add(core)
    with core.storage.transaction() as work:
        work.vehicles.add(a_vehicle())
        record(work, total=100_00)
        record(work, total=200_00, performed_on=SINCE - timedelta(days=1))
        record(work, total=300_00, car=None)
        record(work, total=400_00, car=car_of(OTHER))
        record(work, total=500_00, environment=Environment.TEST)

    (found,) = load(core, vehicle)

    assert found.paid.transactions == (PastCost(on=SINCE, amount=100_00, label="Front Brake Pads"),)
    assert [(one.slug, one.done.on, one.done.miles) for one in found.done] == [
        ("brake-pads-front", SINCE, 72_500)
    ]


def test_bills_and_visits_count_since_a_day(core: Core) -> None:
    vehicle, today = add(core), core.clock().date()
    for days in (9, 10):
        bill = RecordBill(on=today - timedelta(days=days), total=days, title="Wipers")
        core.vehicle_bills.record(ACCORD, bill)
    with core.storage.transaction() as work:
        for days in (9, 10):
            usual = a_visit(days, owner_id=owner_of(LOCAL), updated_at=core.clock() - timedelta(days=days))
            car = evolve(usual.estimate.vehicle, vin=ACCORD)
            visit = evolve(usual, estimate=evolve(usual.estimate, vehicle=car))
            work.visits.add(visit)
            stored = work.visits.find(visit.number, environment=LOCAL.environment, owner_id=visit.owner_id)
            assert stored is not None
            work.visits.update(stored, evolve(stored, status=visits.Status.INVOICED))

    def counted(days: int) -> tuple[int, int]:
        (found,) = load(core, vehicle, since=today - timedelta(days=days))
        return len(found.paid.bills), len(found.paid.visits)

    assert [counted(days) for days in (8, 9, 10)] == [(0, 0), (1, 1), (2, 2)]


@pytest.mark.parametrize(("role", "counted"), [(Role.USER, 0), (Role.ADMIN, 1)])
def test_invoices_are_those_of_admins(core: Core, role: Role, counted: int) -> None:
    vehicle = add(core, person(core, "ada", role))
    with core.storage.transaction() as work:
        work.vehicles.add(a_vehicle())
        record(work)

    (found,) = load(core, vehicle)

    assert len(found.paid.transactions) == len(found.done) == counted


def test_first_reading_since_a_day_and_the_newest_are_read(core: Core) -> None:
    vehicle, other = add(core), add(core, vin=OTHER)
    start = core.clock() - timedelta(days=100)
    with core.storage.transaction() as work:
        for day in range(4):
            reading = SignalReading(odometer=50_000 + day, brake_life_percent=80)
            work.signals.add(vehicle.id, reading, source=SignalSource.OWNER, at=start + timedelta(days=day))

    first = start.date()
    (found, none) = load(core, vehicle, other, since=first + timedelta(days=1))
    (newest,) = load(core, vehicle, since=first + timedelta(days=9))

    assert [(one.day, one.miles) for one in found.readings] == [
        (first + timedelta(days=1), 50_001),
        (first + timedelta(days=3), 50_003),
    ]
    assert [one.miles for one in newest.readings] == [50_003]
    assert none == VehicleRecords()


def test_of_readings_at_the_same_time_the_first_and_the_last_are_read(core: Core) -> None:
    vehicle, at = add(core), core.clock() - timedelta(days=9)
    with core.storage.transaction() as work:
        for miles in (50_000, 50_001, 50_002):
            work.signals.add(vehicle.id, SignalReading(odometer=miles), source=SignalSource.OWNER, at=at)

    (found,) = load(core, vehicle, since=at.date())

    assert [one.miles for one in found.readings] == [50_000, 50_002]


def test_planned_and_completed_services_are_read(core: Core) -> None:
    vehicle, other = add(core), add(core, vin=OTHER)
    today = core.clock().date()

    def plan(of: GarageVehicle = vehicle, **fields: Any) -> str:
        request = CreateSchedule(vehicle=str(of.id), due_on=today, **fields)
        return str(core.schedules.create(request, LOCAL).schedule.id)

    def end(number: str, status: Status, miles: int | None = None) -> None:
        core.schedules.update(number, UpdateSchedule(status=status, completed_mileage=miles), LOCAL)

    planned = plan(problem_identifier="tire-rotation")
    end(plan(problem_identifier="brake-pads-front"), Status.COMPLETED, 60_000)
    end(plan(title="Wash"), Status.COMPLETED)
    end(plan(problem_identifier="alternator"), Status.CANCELLED)
    plan(other, title="Wash")

    (found,) = load(core, vehicle)

    assert [str(one.id) for one in found.planned] == [planned]
    assert [(one.slug, one.done.on, one.done.miles) for one in found.done] == [
        ("brake-pads-front", today, 60_000)
    ]


def test_default_zip_is_that_of_the_garage_else_of_the_shop(core: Core) -> None:
    ada, eve, bob = (person(core, name) for name in ("ada", "eve", "bob"))
    for owner in (ada, eve):
        core.shops.save(SaveShop(name="Elm Street Garage", zip_code="10001"), owner)
    core.garage.save_settings(SaveGarageSettings(zip_code="60601"), ada)
    core.garage.save_settings(SaveGarageSettings(mail_reminders=True), eve)
    vehicles = [add(core, owner) for owner in (ada, eve, bob)]

    assert [found.default_zip for found in load(core, *vehicles)] == ["60601", "10001", None]
