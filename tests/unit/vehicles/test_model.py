"""What a stored vehicle says of one car."""

from uuid import UUID

import pytest

from repaircore.testing.clock import EPOCH
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.model import Plate, Vehicle

VIN = "1HGCM82633A004352"
ACCORD = VehicleSpecs(make="Honda", model="Accord", year=2003, source="vpic")


def stored(vin: str | None, *, number: str | None = "7ABC123", state: str | None = "CA") -> Vehicle:
    return Vehicle(
        id=UUID(int=1),
        vin=vin,
        specs=ACCORD,
        created_at=EPOCH,
        plate_no=number,
        plate_state=state,
        current_mileage=90_000,
    )


@pytest.mark.parametrize("vin", [None, VIN[:11], VIN[:16], f"{VIN[:11]}******"])
def test_record_of_many_cars_has_neither_plate_nor_odometer(vin: str | None) -> None:
    record = stored(vin)
    assert (record.is_whole, record.plate, record.odometer) == (False, None, None)


def test_record_of_one_car_has_its_plate_and_odometer() -> None:
    record = stored(VIN)
    assert (record.is_whole, record.odometer) == (True, 90_000)
    assert record.plate == Plate(state="CA", number="7ABC123")
    assert record.answer_key == VIN


@pytest.mark.parametrize(("number", "state"), [(None, "CA"), ("7ABC123", None), (None, None)])
def test_plate_needs_number_and_state(number: str | None, state: str | None) -> None:
    assert stored(VIN, number=number, state=state).plate is None


def test_answers_about_a_record_of_many_cars_are_cached_by_its_first_characters_or_its_id() -> None:
    assert stored(f"{VIN[:11]}******").answer_key == VIN[:11]
    assert stored(None).answer_key == str(UUID(int=1))
