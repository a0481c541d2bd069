"""The contract of the ports ``FleetVehicles``, ``Signals`` and ``RecallMarks``, on both databases."""

from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.threads import at_once

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.fleet import fleet_recall_marks, fleet_signals, fleet_vehicles
from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.signals import (
    SignalKind,
    SignalReading,
    SignalSource,
    TirePressures,
    TreadDepths,
    reading_of,
)
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.testing.builders import a_vehicle

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
LIVE, TEST = Environment.LIVE, Environment.TEST
MINE = FleetVehicle(
    id=UUID(int=1),
    environment=LIVE,
    owner_id=7,
    vin="1HGCV1F30JA000001",
    vehicle=a_vehicle(),
    created_at=NOW,
    is_registered=False,
)
EVERYTHING = SignalReading(
    odometer=81_234,
    fuel_level=0.0,
    battery_voltage=12.35,
    oil_life_percent=40.5,
    tire_pressures=TirePressures(front_left=33.5, rear_right=31),
    tire_depths=TreadDepths(front_left=6.5),
    brake_life_percent=55,
    dtc_codes=("P0420", "C1234"),
    inspection_expires_on=date(2026, 3, 1),
    registration_expires_on=date(2026, 2, 28),
    insurance_expires_on=date(2025, 12, 31),
    open_recalls=0,
)


def register(database: Database, vehicle: FleetVehicle = MINE) -> FleetVehicle:
    with work.open_work(database, write=True) as unit:
        unit.vehicles.add(vehicle.vehicle)
        return unit.fleet_vehicles.register(vehicle)


def add_signals(database: Database, reading: SignalReading, *, at: datetime = NOW) -> None:
    with work.open_work(database, write=True) as unit:
        unit.signals.add(MINE.id, reading, source=SignalSource.OWNER, at=at)


def test_register_stores_a_vehicle(database: Database) -> None:
    stored = register(database)
    assert stored == evolve(MINE, is_registered=True)
    with work.open_work(database, write=False) as unit:
        assert unit.fleet_vehicles.by_id(MINE.id, environment=LIVE, owner_id=7) == stored
        assert unit.fleet_vehicles.by_vin(MINE.vin, environment=LIVE, owner_id=7) == stored


def test_fleet_vehicles_of_other_owners_are_hidden(database: Database) -> None:
    register(database)
    with work.open_work(database, write=False) as unit:
        for environment, owner_id in ((LIVE, 8), (LIVE, 0), (TEST, 7)):
            assert unit.fleet_vehicles.by_id(MINE.id, environment=environment, owner_id=owner_id) is None
            assert unit.fleet_vehicles.by_vin(MINE.vin, environment=environment, owner_id=owner_id) is None
        assert unit.fleet_vehicles.by_vin(MINE.vin[:11], environment=LIVE, owner_id=7) is None


def test_register_again_returns_the_first_vehicle(database: Database) -> None:
    first = register(database)
    assert register(database, evolve(MINE, id=UUID(int=2))) == first
    others = register(database, evolve(MINE, id=UUID(int=3), owner_id=8))

    assert (others.id, others.owner_id) == (UUID(int=3), 8)


def test_register_by_concurrent_callers_stores_one_vehicle(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.vehicles.add(MINE.vehicle)
    result = at_once(4, lambda: register(database, evolve(MINE, id=uuid4())))

    assert len({vehicle.id for vehicle in result}) == 1


def test_register_half_a_vin_stores_one_vehicle(database: Database) -> None:
    half = evolve(MINE, vin=MINE.vin[:11])
    first = register(database, half)

    assert register(database, evolve(half, id=UUID(int=2))) == first
    assert register(database, evolve(MINE, id=UUID(int=3))) != first


def test_register_without_a_record_is_a_conflict(database: Database) -> None:
    with pytest.raises(Conflict), work.open_work(database, write=True) as unit:
        unit.fleet_vehicles.register(MINE)


def test_add_signals_stores_a_repeated_reading_once(database: Database) -> None:
    register(database)
    for _ in range(2):
        add_signals(database, EVERYTHING)
    for miles in (81_235, 81_234, 81_234):
        add_signals(database, SignalReading(odometer=miles))
    add_signals(database, SignalReading(odometer=81_234), at=NOW + timedelta(hours=1))
    with work.open_work(database, write=False) as unit:
        stored = unit.signals.page(MINE.id, kind=None, number=1, per_page=100)
        miles_kept = unit.signals.page(MINE.id, kind=SignalKind.ODOMETER, number=1, per_page=9)

    assert stored.total == len(list(EVERYTHING.reported())) + 3
    assert [signal.value for signal in miles_kept] == [81_234, 81_234, 81_235, 81_234]


def test_add_signals_stores_every_kind(database: Database) -> None:
    register(database)
    add_signals(database, EVERYTHING)
    with work.open_work(database, write=False) as unit:
        newest = unit.signals.newest(MINE.id)

    assert reading_of(newest) == EVERYTHING
    assert newest.keys() == set(SignalKind)
    assert {(signal.source, signal.at) for signal in newest.values()} == {(SignalSource.OWNER, NOW)}


def test_newest_signal_of_one_time_is_the_last_stored(database: Database) -> None:
    register(database)
    add_signals(database, EVERYTHING)
    add_signals(database, SignalReading(odometer=1), at=NOW - timedelta(days=1))
    add_signals(database, SignalReading(fuel_level=10.0), at=NOW + timedelta(days=1))
    add_signals(database, SignalReading(dtc_codes=()))
    add_signals(database, SignalReading())
    with work.open_work(database, write=False) as unit:
        result = reading_of(unit.signals.newest(MINE.id))
        assert result == evolve(EVERYTHING, fuel_level=10.0, dtc_codes=())
        assert unit.signals.newest(UUID(int=9)) == {}


def test_page_of_signals_is_newest_first_without_gaps(database: Database) -> None:
    register(database)
    for day in range(5):
        add_signals(database, SignalReading(odometer=day, open_recalls=day), at=NOW + timedelta(days=day % 3))
    with work.open_work(database, write=False) as unit:
        pages = [unit.signals.page(MINE.id, kind=None, number=n, per_page=3) for n in range(1, 6)]
        miles = unit.signals.page(MINE.id, kind=SignalKind.ODOMETER, number=1, per_page=9)
        none = unit.signals.page(UUID(int=9), kind=None, number=1, per_page=9)
    listed = [signal for page in pages for signal in page]

    assert {page.total for page in pages} == {len(listed)} == {10}
    assert [signal.at for signal in listed] == sorted((signal.at for signal in listed), reverse=True)
    assert [signal.value for signal in miles] == [2, 4, 1, 3, 0]
    assert (none.items, none.total) == ((), 0)


def test_recall_marks_are_set_once_and_removed(database: Database) -> None:
    register(database)
    with work.open_work(database, write=True) as unit:
        assert unit.recall_marks.mark(MINE.id, "24V901000", at=NOW)
        assert not unit.recall_marks.mark(MINE.id, "24V901000", at=NOW + timedelta(days=1))
        assert unit.recall_marks.of(MINE.id) == {"24V901000": NOW}
        assert unit.recall_marks.of(UUID(int=9)) == {}
        assert unit.recall_marks.unmark(MINE.id, "24V901000")
        assert not unit.recall_marks.unmark(MINE.id, "24V901000")
        assert unit.recall_marks.of(MINE.id) == {}


def test_deleting_a_vehicle_deletes_its_signals_and_marks(database: Database) -> None:
    register(database)
    add_signals(database, EVERYTHING)
    with work.open_work(database, write=True) as unit:
        unit.recall_marks.mark(MINE.id, "24V901000", at=NOW)
    with database.transaction() as connection:
        connection.execute(sa.delete(fleet_vehicles))
        for table in (fleet_signals, fleet_recall_marks):
            assert connection.execute(sa.select(table)).all() == []
