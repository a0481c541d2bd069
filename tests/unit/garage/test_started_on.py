from datetime import UTC, date, datetime
from uuid import UUID

from repaircore.fleet.model import FleetVehicle
from repaircore.garage.model import GarageVehicle, Labels
from repaircore.kernel.callers import Environment
from repaircore.testing.builders import a_vehicle

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def vehicle(number: int, *, in_service_on: date | None = None) -> GarageVehicle:
    car = FleetVehicle(
        id=UUID(int=number),
        environment=Environment.LIVE,
        owner_id=1,
        vin=f"1HGCV1F30JA{number:06}",
        vehicle=a_vehicle(),
        created_at=NOW,
    )
    return GarageVehicle(vehicle=car, labels=Labels(in_service_on=in_service_on), added_at=NOW)


def test_vehicle_went_into_service_on_the_day_that_its_owner_entered() -> None:
    assert vehicle(1, in_service_on=date(2019, 5, 4)).started_on == date(2019, 5, 4)


def test_vehicles_of_a_fleet_went_into_service_throughout_their_model_year() -> None:
    days = [vehicle(number).started_on for number in range(2_000)]

    assert a_vehicle().specs.year == 2018
    assert {(day.year, day.month) for day in days} == {
        *((2017, month) for month in (10, 11, 12)),
        *((2018, month) for month in range(1, 10)),
    }
    assert len({*days}) > 350
    assert days == [vehicle(number).started_on for number in range(2_000)]
