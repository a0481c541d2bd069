"""The contract of the garage's ports, and its use cases over stored records, on both databases."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.conftest import OpenCore
from tests.contracts.visits import a_visit
from tests.threads import at_once

from repaircore.adapters.sql.schema.garage import (
    garage_outlooks,
    garage_reminders,
    garage_services,
    garage_vehicles,
)
from repaircore.adapters.sql.schema.operations import messages
from repaircore.adapters.sql.schema.webhooks import events
from repaircore.core import Core
from repaircore.external_settings import MailSettings
from repaircore.fleet.signals import SignalReading, SignalSource
from repaircore.garage.errors import (
    MOST_VEHICLES,
    GarageFull,
    GarageVehicleChanged,
    NoSuchService,
    NotInGarage,
)
from repaircore.garage.model import DueFilter, GarageFilter, GarageVehicle, Labels
from repaircore.garage.validation import (
    AddGarageVehicle,
    CompleteService,
    FilterGarage,
    RecordOdometer,
    SaveGarageSettings,
)
from repaircore.json_text import decode
from repaircore.kernel.callers import LOCAL, Caller, Environment, Role, owner_of
from repaircore.kernel.paging import PageRequest
from repaircore.schedules.validation import CreateSchedule
from repaircore.testing.builders import a_campaign, a_recalled_vehicle
from repaircore.testing.clock import FrozenClock
from repaircore.visits.lifecycle import Status

ACCORD, OTHER = "1HGCM82633A004352", "1FT7W2B60GEB96643"
ALL = FilterGarage()


@pytest.fixture
def core(open_core: OpenCore) -> Core:
    return open_core(mail=MailSettings(url="smtp://127.0.0.1:1", sender="garage@example.com"))


@pytest.fixture
def ada(core: Core) -> Caller:
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    return core.accounts.caller_for("ada@example.com")


def add(core: Core, caller: Caller, vin: str = ACCORD, **fields: Any) -> GarageVehicle:
    request = AddGarageVehicle(**{"vin": vin, "zip_code": "60601", "odometer": 81_000, **fields})
    return core.garage_additions.add(request, caller)


def test_concurrent_changes_do_not_overwrite_each_other(core: Core, ada: Caller) -> None:
    vehicle = add(core, ada)
    changed = evolve(vehicle, labels=Labels(nickname="Blue"))
    with core.storage.transaction() as work:
        assert work.garage.update(vehicle, changed).version == 2
    with core.storage.transaction() as work, pytest.raises(GarageVehicleChanged):
        work.garage.update(vehicle, changed)
    core.garage.remove(ACCORD, ada)
    with core.storage.transaction() as work, pytest.raises(NotInGarage):
        work.garage.update(vehicle, changed)


def test_concurrent_additions_store_a_vehicle_once(core: Core, ada: Caller) -> None:
    def try_to_add() -> bool:
        try:
            add(core, ada)
        except Exception:  # noqa: BLE001 - which of them is first does not matter
            return False
        return True

    assert sorted(at_once(3, try_to_add)) == [False, False, True]
    assert core.garage.page(ALL, ada).total == 1


def test_garage_holds_a_limited_number_of_vehicles(core: Core, ada: Caller) -> None:
    held = MOST_VEHICLES - 1

    @contextmanager
    def transaction() -> Iterator[Any]:
        with core.storage.transaction() as work:
            work.garage.count = lambda **_: held  # type: ignore[method-assign]
            yield work

    additions = evolve(core.garage_additions, transaction=transaction)
    with pytest.raises(GarageFull):
        additions.add_many([{"vin": ACCORD}, {"vin": OTHER}], ada)
    assert core.garage.page(ALL, ada).total == 0

    results = additions.add_many([{"vin": ACCORD}, {"vin": "1HG"}, {"vin": "1HG"}], ada)
    assert [result.vehicle is not None for result in results] == [True, False, False]
    additions.add(AddGarageVehicle(vin=OTHER), ada)
    held += 1
    with pytest.raises(GarageFull):
        additions.add(AddGarageVehicle(vin="5YJ3E1EA7JF053140"), ada)


def test_sums_count_vehicles_by_the_first_service_that_is_due(
    core: Core, ada: Caller, clock: FrozenClock
) -> None:
    add(core, ada), add(core, ada, OTHER, zip_code=None)
    before = core.garage.sums(ALL, ada)
    _add_later_reading(core, ada, clock)
    after = core.garage.sums(ALL, ada)
    today = clock().date()
    services = core.garage.services(ALL, ada, request=PageRequest(per_page=100))

    assert (before.counts.vehicles, before.counts.overdue, before.counts.priced) == (2, 0, 1)
    assert (before.due_now.services, before.due_now.month) == (0, "2026-01")
    overdue = {one.vin for one in services if one.service.due_on < today}
    assert ACCORD in overdue
    assert (after.counts.overdue, after.counts.due) == (len(overdue), len({one.vin for one in services}))
    assert after.due_now.services > 0


def test_services_are_listed_up_to_their_day(core: Core, ada: Caller, clock: FrozenClock) -> None:
    add(core, ada)
    until = clock().date() + timedelta(days=365)
    days = [one.service.due_on for one in core.garage.services(ALL, ada, due_by=until)]

    for by, first in ((days[0], True), (days[0] - timedelta(days=1), False)):
        assert (core.garage.services(ALL, ada, due_by=by).total > 0) is first


def _add_later_reading(core: Core, caller: Caller, clock: FrozenClock) -> None:
    clock.advance(timedelta(days=60))
    core.garage.record_odometer(ACCORD, RecordOdometer(miles=86_000), caller)
    core.garage_outlooks.refresh_all()


def test_tracking_begins_with_the_first_reading(core: Core, ada: Caller) -> None:
    vehicle = add(core, ada, odometer=None)
    core.garage.record_odometer(ACCORD, RecordOdometer(miles=50_000), ada)
    core.garage.get(ACCORD, ada)
    core.garage.record_odometer(ACCORD, RecordOdometer(miles=50_100), ada)
    core.garage.get(ACCORD, ada)

    with core.storage.read() as work:
        found = work.garage.find(str(vehicle.id), environment=ada.environment, owner_id=owner_of(ada))
    assert found is not None
    assert found.tracked_miles == 50_000


@pytest.mark.parametrize("change", ["signal", "schedule", "recall", "visit", "labels"])
def test_change_of_an_input_outdates_an_outlook(core: Core, ada: Caller, change: str) -> None:
    vehicle = add(core, ada)
    core.garage.get(ACCORD, ada)
    today = core.clock().date()

    def is_valid() -> bool:
        with core.storage.read() as work:
            return work.garage_outlooks.is_valid(vehicle.id, on=today)

    assert is_valid()
    with core.storage.transaction() as work:
        match change:
            case "signal":
                reading = SignalReading(brake_life_percent=5)
                work.signals.add(vehicle.id, reading, source=SignalSource.OWNER, at=core.clock())
            case "recall":
                work.recall_marks.mark(vehicle.id, "24V901000", at=core.clock())
            case "labels":
                work.garage.update(vehicle, evolve(vehicle, labels=Labels(zip_code="10001")))
            case "visit":
                _invoice(work, _visit(ada))
            case _:
                pass
    if change == "schedule":
        core.garage.complete(ACCORD, "tire-rotation", CompleteService(), ada)

    assert not is_valid()


def test_service_that_was_planned_just_now_is_completed(core: Core, ada: Caller) -> None:
    add(core, ada)
    core.garage.get(ACCORD, ada)
    today = core.clock().date()
    request = CreateSchedule(vehicle=ACCORD, title="Wash", due_on=today, interval_months=1)
    planned = core.schedules.create(request, ada).schedule

    done = core.garage.complete(ACCORD, str(planned.id), CompleteService(miles=81_000), ada)

    assert (done.schedule.id, done.status, done.schedule.completed_on) == (
        planned.id,
        "completed",
        today,
    )
    with pytest.raises(NoSuchService):
        core.garage.complete(ACCORD, str(planned.id), CompleteService(), ada)


def _visit(owner: Caller, **changes: Any) -> Any:
    visit = a_visit(owner_id=owner_of(owner), environment=owner.environment)
    vehicle = evolve(visit.estimate.vehicle, vin=ACCORD)
    return evolve(visit, estimate=evolve(visit.estimate, vehicle=vehicle, mileage=80_500), **changes)


def _invoice(work: Any, visit: Any) -> None:
    assert work.visits.add(visit)
    stored = work.visits.find(visit.number, environment=visit.environment, owner_id=visit.owner_id)
    work.visits.update(stored, evolve(stored, status=Status.INVOICED))


def test_invoiced_visits_count_as_paid_and_done(core: Core, ada: Caller, clock: FrozenClock) -> None:
    add(core, ada)
    with core.storage.transaction() as work:
        _invoice(work, _visit(ada, updated_at=clock()))
        assert work.visits.add(
            _visit(ada, number="V-20260102-AAAAAA", status=Status.DRAFT, updated_at=clock())
        )

    report = core.garage.get(ACCORD, ada)

    total = _visit(ada).estimate.totals.total
    assert [cost.amount for cost in report.paid] == [total]
    assert report.past_months == {f"{clock():%Y-%m}": total}
    pads = next(service for service in report.services if service.name == "brake-pads-front")
    assert (pads.basis.value, pads.due_mileage) == ("history", 80_500 + 45_000)
    assert core.garage.sums(ALL, ada).past_months == report.past_months


def test_another_owners_visits_are_not_counted(core: Core, ada: Caller, clock: FrozenClock) -> None:
    core.accounts.create_user(name="Eve", email="eve@example.com", password="correct horse")
    eve = core.accounts.caller_for("eve@example.com")
    add(core, ada)
    with core.storage.transaction() as work:
        _invoice(work, _visit(eve, updated_at=clock()))

    assert core.garage.get(ACCORD, ada).paid == []


def test_recalls_on_file_are_counted_with_their_coverage(core: Core, ada: Caller) -> None:
    with core.storage.transaction() as work:
        work.recalls.save_campaigns([a_campaign(campaign="24V901000")])
        work.recalls.save_vehicles(
            [a_recalled_vehicle(campaign="24V901000", make="HONDA", model="ACCORD", year=2003)]
        )
        work.recalls.cover_years(range(2002, 2027))
    add(core, ada)

    (listed,) = core.garage.page(FilterGarage(recalls=True), ada)

    assert (listed.open_recalls, listed.recall_coverage) == (1, "full")
    assert core.garage.sums(ALL, ada).counts.with_recalls == 1


def test_nightly_job_updates_outlooks_of_earlier_days(core: Core, ada: Caller, clock: FrozenClock) -> None:
    add(core, ada), add(core, LOCAL, OTHER)
    assert core.garage_outlooks.refresh_all() == 0
    clock.advance(timedelta(days=1))

    assert core.garage_outlooks.refresh_all() == 2
    assert core.garage_outlooks.refresh_all() == 0


def test_outlook_of_a_removed_vehicle_is_not_stored(core: Core, ada: Caller) -> None:
    vehicle = add(core, ada)
    core.garage.remove(ACCORD, ada)

    core.garage_outlooks.compute(vehicle)

    with core.storage.read() as work:
        assert work.connection.execute(sa.select(garage_services)).all() == []


# Lists


@pytest.mark.parametrize(
    "sort", ["unit_number", "next_due_on", "health", "-cost", "-cost_per_mile", "-odometer", "-value"]
)
def test_unknown_values_are_last_in_the_usual_order(core: Core, ada: Caller, sort: str) -> None:
    known, unknown = add(core, ada, unit_number="~"), add(core, ada, OTHER)
    extreme = {"health": 100.0, "planned": 0.0, "unplanned": 0.0, "cost_per_mile": 0.0, "odometer": 0}
    extreme["value_middle"] = 0
    with core.storage.transaction() as work:
        for vehicle, values in ((known, extreme), (unknown, dict.fromkeys(extreme))):
            this = garage_outlooks.c.fleet_vehicle_id == str(vehicle.id)
            work.connection.execute(sa.update(garage_outlooks).where(this).values(values))
        services = garage_services.c.fleet_vehicle_id == str(unknown.id)
        work.connection.execute(sa.delete(garage_services).where(services))
    mine = GarageFilter(environment=ada.environment, owner_id=owner_of(ada))

    def fetch(order: str) -> list[Any]:
        with core.storage.read() as work:
            step = PageRequest(per_page=1, sort=order)
            first = work.garage.page(mine, step, today=core.clock().date())
            after = evolve(step, cursor=first.next_cursor)
            second = work.garage.page(mine, after, today=core.clock().date())
        assert second.next_cursor is None
        return [one.id for page in (first, second) for one in page]

    assert fetch(sort) == [known.id, unknown.id]
    assert fetch(sort.removeprefix("-") if sort.startswith("-") else f"-{sort}") == [unknown.id, known.id]


@pytest.mark.parametrize(
    ("days", "found"),
    [
        (-1, {DueFilter.OVERDUE, DueFilter.DUE}),
        (0, {DueFilter.DUE}),
        (30, {DueFilter.DUE}),
        (31, {DueFilter.NONE}),
    ],
)
def test_vehicles_are_filtered_by_the_day_of_their_next_service(
    core: Core, ada: Caller, days: int, found: set[DueFilter]
) -> None:
    vehicle, today = add(core, ada), core.clock().date()
    with core.storage.transaction() as work:
        services = garage_services.c.fleet_vehicle_id == str(vehicle.id)
        due_on = (today + timedelta(days=days)).isoformat()
        work.connection.execute(sa.update(garage_services).where(services).values(due_on=due_on))
    mine = GarageFilter(environment=ada.environment, owner_id=owner_of(ada))

    with core.storage.read() as work:
        matching = {
            due
            for due in DueFilter
            if work.garage.page(evolve(mine, due=due), PageRequest(), today=today).total
        }
    assert matching == found


def test_vehicles_are_filtered_by_health_and_recalls(core: Core, ada: Caller) -> None:
    vehicle = add(core, ada)

    def total(**wanted: Any) -> int:
        return core.garage.page(FilterGarage(**wanted), ada).total or 0

    for recalls, is_open in ((None, False), (0, False), (1, True)):
        with core.storage.transaction() as work:
            this = garage_outlooks.c.fleet_vehicle_id == str(vehicle.id)
            values = {"open_recalls": recalls, "health": 60.0}
            work.connection.execute(sa.update(garage_outlooks).where(this).values(values))
        assert (total(recalls=True), total(recalls=False)) == (is_open, not is_open)
    assert (total(health_below=60), total(health_below=61)) == (0, 1)


def test_cursor_of_services_survives_a_new_outlook(core: Core, ada: Caller, clock: FrozenClock) -> None:
    vehicle, until = add(core, ada), clock().date() + timedelta(days=365)

    def fetch(**request: Any) -> Any:
        return core.garage.services(ALL, ada, due_by=until, request=PageRequest(**request))

    whole = [one.service.name for one in fetch(per_page=100)]
    first = fetch(per_page=2)
    core.garage_outlooks.compute(vehicle)
    rest = fetch(per_page=100, cursor=first.next_cursor)

    assert len(whole) > 2
    assert [one.service.name for one in (*first, *rest)] == whole


# Reminders


def _rows(core: Core, table: sa.Table) -> list[Any]:
    with core.storage.read() as work:
        return list(work.connection.execute(sa.select(table)).all())


def _add_due_vehicle(core: Core, caller: Caller, clock: FrozenClock) -> None:
    """Add a vehicle that has a service due."""
    add(core, caller)
    clock.advance(timedelta(days=60))
    core.garage.record_odometer(ACCORD, RecordOdometer(miles=83_600), caller)
    core.garage_outlooks.refresh_all()


def test_owner_is_reminded_of_each_service_once(core: Core, ada: Caller, clock: FrozenClock) -> None:
    core.garage.save_settings(SaveGarageSettings(mail_reminders=True), ada)
    _add_due_vehicle(core, ada, clock)

    first, second = core.garage_reminders.send(), core.garage_reminders.send()

    assert (first.services > 0, first.mails) == (True, 1)
    assert (second.services, second.mails) == (0, 0)
    found = _rows(core, events)
    assert {event.type for event in found} == {"vehicle.service_due"}
    assert len(found) == first.services == len(_rows(core, garage_reminders))
    (mail,) = _rows(core, messages)
    assert mail.recipient == "ada@example.com"
    assert "2003 Honda Accord EX-V6" in mail.body
    assert "/console/garage/settings" in mail.body
    data = decode(found[0].payload)["data"]
    assert (data["vin"], data["service"] != "") == (ACCORD, True)


def test_next_due_service_gets_another_reminder(core: Core, ada: Caller, clock: FrozenClock) -> None:
    _add_due_vehicle(core, ada, clock)
    core.garage_reminders.send()
    core.garage.complete(ACCORD, "tire-rotation", CompleteService(miles=83_600), ada)
    core.garage_outlooks.refresh_all()
    assert core.garage_reminders.send().services == 0
    clock.advance(timedelta(days=170))
    core.garage_outlooks.refresh_all()
    core.garage_reminders.send()

    names = [mark.name for mark in _rows(core, garage_reminders)]
    assert names.count("tire-rotation") == 2


def test_nobody_is_mailed_by_default(core: Core, ada: Caller, clock: FrozenClock) -> None:
    _add_due_vehicle(core, ada, clock)

    done = core.garage_reminders.send()

    assert (done.services > 0, done.mails, _rows(core, messages)) == (True, 0, [])


def test_installation_and_locked_accounts_are_not_reminded(
    core: Core, ada: Caller, clock: FrozenClock
) -> None:
    _add_due_vehicle(core, ada, clock)
    add(core, LOCAL, OTHER)
    clock.advance(timedelta(days=400))
    core.garage_outlooks.refresh_all()
    core.user_administration.lock("ada@example.com")

    assert core.garage_reminders.send().services == 0


def test_concurrent_runs_remind_once(core: Core, ada: Caller, clock: FrozenClock) -> None:
    _add_due_vehicle(core, ada, clock)

    counts = at_once(2, core.garage_reminders.send)

    assert (
        len(_rows(core, events))
        == sum(count.services for count in counts)
        == len(_rows(core, garage_reminders))
    )


def test_erasure_deletes_a_garage(core: Core, ada: Caller, clock: FrozenClock) -> None:
    core.garage.save_settings(SaveGarageSettings(zip_code="60601", mail_reminders=True), ada)
    _add_due_vehicle(core, ada, clock)
    core.garage_reminders.send()

    exported = core.persons.export("ada@example.com")
    core.persons.erase("ada@example.com")

    tables = {name for name in str(exported) if name}
    assert tables
    for table in (garage_vehicles, garage_services, garage_reminders):
        assert _rows(core, table) == []


def test_test_environment_is_separate(core: Core, ada: Caller) -> None:
    add(core, ada)
    in_test = evolve(ada, environment=Environment.TEST, role=Role.USER)

    assert core.garage.page(ALL, in_test).total == 0
    assert core.garage.sums(ALL, in_test).counts.vehicles == 0
