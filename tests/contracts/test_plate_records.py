"""The contract of the port ``PlateRecords``, and how vehicles are replaced, on both databases."""

from datetime import timedelta
from uuid import UUID

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.conftest import NOW
from tests.threads import at_once

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.testing.builders import a_vehicle
from repaircore.vehicles.model import MotorType, Plate, StoredPlate, Vehicle

VIN, OTHER_VIN = "1HGCV1F34JA000001", "1HGCV1F34JA000002"
PLATE = Plate(state="CA", number="7ABC123")
TEST, LIVE = Environment.TEST, Environment.LIVE


@pytest.fixture
def vehicle(database: Database) -> Vehicle:
    with work.open_work(database, write=True) as unit:
        return unit.vehicles.add(a_vehicle())


@pytest.fixture
def stored_plate(database: Database, vehicle: Vehicle) -> StoredPlate:
    one = StoredPlate(
        environment=LIVE, plate=PLATE, vin=VIN, vehicle_id=vehicle.id, source="provider", reported_at=NOW
    )
    save(database, one)
    return one


def save(database: Database, one: StoredPlate) -> None:
    with work.open_work(database, write=True) as unit:
        unit.plates.save(one)


def find(database: Database, plate: Plate = PLATE, environment: Environment = LIVE) -> StoredPlate | None:
    with work.open_work(database, write=False) as unit:
        return unit.plates.find(plate, environment=environment)


def newest(database: Database, vin: str = VIN, environment: Environment = LIVE) -> Plate | None:
    with work.open_work(database, write=False) as unit:
        return unit.plates.find_newest(vin, environment=environment)


def test_plate_is_loaded_as_stored(database: Database, stored_plate: StoredPlate) -> None:
    assert find(database) == stored_plate
    assert newest(database) == PLATE


def test_has_any_counts_stored_and_entered_plates(database: Database, vehicle: Vehicle) -> None:
    def has_any(environment: Environment) -> bool:
        with work.open_work(database, write=False) as unit:
            return unit.plates.has_any(environment)

    assert (has_any(LIVE), has_any(TEST)) == (False, False)
    sandboxed = StoredPlate(
        environment=TEST, plate=PLATE, vin=VIN, vehicle_id=vehicle.id, source="sandbox", reported_at=NOW
    )
    save(database, sandboxed)
    assert (has_any(LIVE), has_any(TEST)) == (False, True)
    with work.open_work(database, write=True) as unit:
        unit.vehicles.replace(vehicle, evolve(vehicle, plate_no="7ABC123", plate_state="CA"))
    assert (has_any(LIVE), has_any(TEST)) == (True, True)


def test_unknown_plate_is_none(database: Database, stored_plate: StoredPlate) -> None:
    assert find(database, evolve(stored_plate.plate, state="NV")) is None
    assert find(database, evolve(stored_plate.plate, number="7ABC12")) is None
    assert newest(database, OTHER_VIN) is None


def test_test_and_live_plates_are_separate(database: Database, stored_plate: StoredPlate) -> None:
    assert find(database, environment=TEST) is None
    assert newest(database, environment=TEST) is None
    other = evolve(stored_plate, environment=TEST, vin=OTHER_VIN, source="sandbox")
    save(database, other)

    assert (find(database), find(database, environment=TEST)) == (stored_plate, other)
    assert newest(database, OTHER_VIN) is None


def test_plate_that_moves_to_another_vehicle_leaves_the_first(
    database: Database, stored_plate: StoredPlate
) -> None:
    moved = evolve(stored_plate, vin=OTHER_VIN, reported_at=NOW + timedelta(days=1))
    save(database, moved)

    assert find(database) == moved
    assert (newest(database), newest(database, OTHER_VIN)) == (None, PLATE)


def test_deleted_plate_is_gone(database: Database, stored_plate: StoredPlate) -> None:
    other = evolve(stored_plate, environment=Environment.TEST)
    with work.open_work(database, write=True) as unit:
        unit.plates.save(stored_plate)
        unit.plates.save(other)
        for _ in range(2):
            unit.plates.delete(stored_plate.plate, environment=stored_plate.environment)
    with work.open_work(database, write=False) as unit:
        assert unit.plates.find(stored_plate.plate, environment=stored_plate.environment) is None
        assert unit.plates.find(stored_plate.plate, environment=Environment.TEST) == other


def test_newest_plate_is_the_latest_reported(database: Database, stored_plate: StoredPlate) -> None:
    older, newer = (evolve(PLATE, number=number) for number in ("1OLD", "9NEW"))
    save(database, evolve(stored_plate, plate=newer, reported_at=NOW + timedelta(days=1)))
    save(database, evolve(stored_plate, plate=older, reported_at=NOW - timedelta(days=1)))

    assert newest(database) == newer


def test_plate_requires_a_stored_vehicle(database: Database, stored_plate: StoredPlate) -> None:
    with pytest.raises(sa.exc.IntegrityError) as refused:
        save(database, evolve(stored_plate, vehicle_id=UUID(int=7)))

    # Such an error would be logged.
    assert not [private for private in (VIN, PLATE.number) if private in str(refused.value)]


# Changes of vehicles


def replace(database: Database, old: Vehicle, new: Vehicle) -> Vehicle:
    with work.open_work(database, write=True) as unit:
        return unit.vehicles.replace(old, new)


def stored(database: Database, vehicle: Vehicle) -> Vehicle | None:
    with work.open_work(database, write=False) as unit:
        return unit.vehicles.find(vehicle.id)


@pytest.mark.parametrize("motor_type", [MotorType(name="Sedan"), MotorType(name="SUV", group="Light truck")])
def test_replaced_vehicle_is_loaded_as_stored(
    database: Database, vehicle: Vehicle, motor_type: MotorType
) -> None:
    changed = evolve(vehicle, motor_type=motor_type, current_mileage=88_000)
    saved = replace(database, vehicle, changed)

    assert saved == evolve(changed, version=vehicle.version + 1)
    assert stored(database, vehicle) == saved


def test_replacing_a_changed_vehicle_is_a_conflict(database: Database, vehicle: Vehicle) -> None:
    first = replace(database, vehicle, evolve(vehicle, current_mileage=1))
    with pytest.raises(Conflict):
        replace(database, vehicle, evolve(vehicle, current_mileage=2))

    assert stored(database, vehicle) == first


def test_replacing_an_unknown_vehicle_is_a_conflict(database: Database) -> None:
    with pytest.raises(Conflict):
        replace(database, a_vehicle(), a_vehicle(current_mileage=1))


def test_one_of_many_concurrent_changes_wins(database: Database, vehicle: Vehicle) -> None:
    def change() -> bool:
        try:
            replace(database, vehicle, evolve(vehicle, current_mileage=5))
        except Conflict:
            return False
        return True

    assert sorted(at_once(6, change)) == [False] * 5 + [True]
    saved = stored(database, vehicle)

    assert saved is not None
    assert saved.version == vehicle.version + 1


def test_mileage_below_zero_is_refused(database: Database, vehicle: Vehicle) -> None:
    with pytest.raises(Conflict):
        replace(database, vehicle, evolve(vehicle, current_mileage=-1))
