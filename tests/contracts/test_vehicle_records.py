"""The contract of the port ``VehicleRecords``, on both databases."""

import threading
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from attrs import evolve

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.facts import (
    NO_FACTS,
    Aspiration,
    BrakeSystem,
    CamDrive,
    Engine,
    Fuel,
    Layout,
    PowerSteering,
    Transmission,
    ValveTrain,
    VehicleFacts,
)
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.testing.ids import CountingIds
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.model import Plate, Vehicle

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
ACCORD = VehicleSpecs(
    make="Honda",
    model="Accord",
    year=2003,
    trim="EX",
    engine="2.4L 4-cyl",
    powertrain=Powertrain.GAS,
    drive=Drive.FWD,
    body=Body.CAR,
    source="vpic",
)
BARE = VehicleSpecs(make="Škoda", model="Model-X 'q'", year=2020, source="structure")


def vehicle(number: int, vin: str | None = "1HGCM82633A", specs: VehicleSpecs = ACCORD) -> Vehicle:
    return Vehicle(id=UUID(int=number), vin=vin, specs=specs, created_at=NOW + timedelta(seconds=number))


def add(database: Database, one: Vehicle) -> Vehicle:
    with work.open_work(database, write=True) as unit:
        return unit.vehicles.add(one)


def test_vehicle_is_loaded_as_stored(database: Database) -> None:
    for one in (vehicle(1), vehicle(2, vin=None), vehicle(3, vin="1HGCM82643A004352", specs=BARE)):
        assert add(database, one) == one
        with work.open_work(database, write=False) as unit:
            assert unit.vehicles.find(one.id) == one


def test_mask_is_found_by_the_first_11_characters(database: Database) -> None:
    mask = add(database, vehicle(1, vin="1HGCM82633A00****"))
    with work.open_work(database, write=False) as unit:
        assert unit.vehicles.find_by_vin("1HGCM82633A") == mask
        assert unit.vehicles.find_by_vin("1HGCM82633A999999") == mask
        assert unit.vehicles.find_by_vin("1HGCM82633B") is None


def test_record_of_a_whole_vin_matches_no_other(database: Database) -> None:
    whole = add(database, vehicle(1, vin="1HGCM82633A004352"))
    with work.open_work(database, write=False) as unit:
        assert unit.vehicles.find_by_vin("1HGCM82633A004352") == whole
        assert unit.vehicles.find_by_vin("1HGCM82633A004353") is None
        assert unit.vehicles.find_by_vin("1HGCM82633A") is None


def test_whole_vin_wins_over_a_matching_mask(database: Database) -> None:
    mask, whole = add(database, vehicle(1)), add(database, vehicle(2, vin="1HGCM82633A004352", specs=BARE))
    with work.open_work(database, write=False) as unit:
        assert unit.vehicles.find_by_vin("1HGCM82633A004352") == whole
        assert unit.vehicles.find_by_vin("1HGCM82633A004353") == mask


def test_whole_vins_with_the_same_beginning_are_separate(database: Database) -> None:
    stored = [add(database, vehicle(number, vin=f"1HGCM82633A00000{number}")) for number in (1, 2)]

    assert [one.id for one in stored] == [UUID(int=1), UUID(int=2)]
    assert add(database, vehicle(3, vin="1HGCM82633A000001", specs=BARE)) == stored[0]


def test_plate_is_found_by_state_and_only_on_a_whole_vin(database: Database) -> None:
    plated = evolve(vehicle(1, vin="1HGCM82633A004352"), plate_no="7ABC123", plate_state="CA")
    add(database, plated)
    add(database, evolve(vehicle(2), plate_no="MASKED", plate_state="CA"))
    add(database, evolve(vehicle(3, vin="1HGCM82633A004353"), plate_no="STATELESS"))
    with work.open_work(database, write=False) as unit:
        assert unit.vehicles.find_by_plate(Plate(state="CA", number="7ABC123")) == plated
        assert unit.vehicles.find_by_plate(Plate(state="NV", number="7ABC123")) is None
        for number in ("MASKED", "STATELESS"):
            assert unit.vehicles.find_by_plate(Plate(state="CA", number=number)) is None


def test_facts_are_loaded_as_stored(database: Database) -> None:
    engine = Engine(
        powertrain=Powertrain.GAS,
        displacement=5.7,
        cylinders=8,
        layout=Layout.V,
        valve_train=ValveTrain.OHV,
        aspiration=Aspiration.NATURAL,
        cam_drive=CamDrive.CHAIN,
        horsepower=395,
        battery=0.4,
        family="5.7 Hemi",
        code="EZH",
        fuel=Fuel.GASOLINE,
        plugs_per_cylinder=2,
    )
    facts = VehicleFacts(
        body=Body.PICKUP,
        doors=4,
        engines=(engine, evolve(engine, family=None)),
        drives=frozenset({Drive.RWD, Drive.FOUR_WD}),
        transmission=Transmission.AUTOMATIC,
        weight_class="2F",
        brakes=BrakeSystem.HYDRAULIC,
        power_steering=PowerSteering.ELECTRIC,
        sources={"engines": "vpic", "power_steering": "editorial"},
    )
    stored = add(database, vehicle(1, specs=evolve(ACCORD, facts=facts)))

    assert stored.specs.facts == facts
    assert add(database, vehicle(2, vin=None)).specs.facts == NO_FACTS


def test_unknown_vehicle_is_none(database: Database) -> None:
    add(database, vehicle(1))
    with work.open_work(database, write=False) as unit:
        assert unit.vehicles.find(UUID(int=2)) is None


def test_earlier_of_two_records_of_a_vin_stays(database: Database) -> None:
    first = add(database, vehicle(1))
    assert add(database, vehicle(2, vin="1HGCM82633A9", specs=BARE)) == first
    with work.open_work(database, write=False) as unit:
        assert unit.vehicles.find(UUID(int=2)) is None
        assert unit.vehicles.find_by_vin("1HGCM82633A") == first


@pytest.mark.parametrize("vin", [None, "1HGCM82643A"])
def test_earlier_of_two_records_of_an_id_stays(database: Database, vin: str | None) -> None:
    first = add(database, vehicle(1, vin=None))

    assert add(database, vehicle(1, vin=vin, specs=BARE)) == first


def test_vehicles_without_a_vin_are_separate(database: Database) -> None:
    first, second = (add(database, vehicle(number, vin=None)) for number in (1, 2))
    with work.open_work(database, write=False) as unit:
        assert list(unit.vehicles.list_by_model(year=2003, make="Honda", model="Accord")) == [first, second]


def test_list_by_model_is_oldest_first(database: Database) -> None:
    later, earlier = add(database, vehicle(2)), add(database, vehicle(1, vin=None))
    others = (evolve(ACCORD, year=2004), evolve(ACCORD, make="Acura"), evolve(ACCORD, model="Civic"))
    for number, other in enumerate(others, start=3):
        add(database, vehicle(number, vin=None, specs=other))
    with work.open_work(database, write=False) as unit:
        assert list(unit.vehicles.list_by_model(year=2003, make="HONDA", model="ac-cord")) == [earlier, later]
        assert list(unit.vehicles.list_by_model(year=2003, make="%", model="%")) == []


def test_concurrent_records_of_a_vin_become_one(database: Database) -> None:
    start, ids, stored = threading.Barrier(6), CountingIds(), []

    def meet() -> None:
        mine = evolve(vehicle(1), id=ids())
        start.wait(10)
        stored.append(add(database, mine))

    threads = [threading.Thread(target=meet) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(stored) == 6
    assert len({one.id for one in stored}) == 1
