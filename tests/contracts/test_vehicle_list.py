"""The contract of the port ``VehicleList``, and what a deletion removes, on both databases."""

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest
from attrs import evolve

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.facilities.model import FacilityFields
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import PageRequest
from repaircore.kernel.traits import Body
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.model import MotorType, Plate, StoredPlate, Vehicle, VehicleFilter

NOW = datetime(2026, 1, 31, 23, 59, 59, 999999, tzinfo=UTC)
ACCORD = VehicleSpecs(make="Honda", model="Accord", year=2003, body=Body.CAR, source="vpic")


def vehicle(number: int, specs: VehicleSpecs = ACCORD) -> Vehicle:
    return Vehicle(
        id=UUID(int=number),
        vin=f"1HGCM8{number:05}",
        specs=specs,
        created_at=NOW + timedelta(microseconds=number),
    )


def add(database: Database, *vehicles: Vehicle) -> None:
    with work.open_work(database, write=True) as unit:
        for one in vehicles:
            unit.vehicles.add(one)


@pytest.mark.parametrize("per_page", [1, 3, 7, 10, 100])
def test_pages_together_are_all_vehicles_newest_first(database: Database, per_page: int) -> None:
    add(database, *map(vehicle, range(10)))
    found: list[int] = []
    with work.open_work(database, write=False) as unit:
        for number in range(1, 12):
            page = unit.vehicle_list.page(
                VehicleFilter(), request=PageRequest(number=number, per_page=per_page)
            )
            assert page.total == 10
            found += [one.id.int for one in page]
        assert found == [*reversed(range(10))]
        far = unit.vehicle_list.page(VehicleFilter(), request=PageRequest(number=2**63 - 1, per_page=100))
        assert (far.items, far.total) == ((), 10)


def test_vehicles_of_one_time_have_an_order(database: Database) -> None:
    add(database, *(evolve(vehicle(number), created_at=NOW) for number in range(5)))
    with work.open_work(database, write=False) as unit:
        pages = [
            unit.vehicle_list.page(VehicleFilter(), request=PageRequest(number=n, per_page=1)).items[0]
            for n in range(1, 6)
        ]

    assert [one.id.int for one in pages] == [4, 3, 2, 1, 0]


@pytest.mark.parametrize("year", [-(2**63), -1, 0, 2**31, 2**63 - 1])
def test_impossible_year_finds_nothing(database: Database, year: int) -> None:
    add(database, vehicle(1))
    with work.open_work(database, write=False) as unit:
        assert (
            unit.vehicle_list.page(VehicleFilter(year=year), request=PageRequest(number=1, per_page=15)).total
            == 0
        )


def test_counts_are_most_frequent_first_and_derive_missing_types_from_the_body(database: Database) -> None:
    ford = VehicleSpecs(make="Ford", model="F-150", year=2018, body=None, source="operator")
    taxi = evolve(vehicle(4, evolve(ACCORD, make="HONDA")), motor_type=MotorType(name="Taxi"))
    add(database, vehicle(1, ford), vehicle(2), vehicle(3), taxi)
    with work.open_work(database, write=False) as unit:
        counts = unit.vehicle_list.counts([date(2026, 1, 1), date(2026, 2, 1)])
        types, groups = unit.vehicle_list.list_motor_types()

    assert counts.total == 4
    assert [(make.casefold(), n) for make, n in counts.makes] == [("honda", 3), ("ford", 1)]
    assert counts.years == [(2018, 1), (2003, 3)]
    assert counts.sources == [("vpic", 3), ("operator", 1)]
    assert counts.types == [("Passenger car", 2), (None, 1), ("Taxi", 1)]
    assert counts.months == [("2026-01", 0), ("2026-02", 4)]
    assert (list(types), list(groups)) == (["Taxi"], [])


def test_vehicles_count_in_the_month_in_which_they_were_stored(database: Database) -> None:
    tick, firsts = timedelta(microseconds=1), [date(2025, 12, 1), date(2026, 1, 1), date(2026, 2, 1)]
    starts = [datetime(year, month, 1, tzinfo=UTC) for year, month in ((2025, 12), (2026, 1), (2026, 2))]
    end = datetime(2026, 3, 1, tzinfo=UTC)
    stored = [
        *[starts[0] - tick] * 9, starts[0], starts[1] - tick, starts[1], *[starts[2] - tick] * 2,
        starts[2], *[end - tick] * 3, *[end] * 9,
    ]  # fmt: skip
    add(database, *(evolve(vehicle(number), created_at=at) for number, at in enumerate(stored)))
    with work.open_work(database, write=False) as unit:
        counts = unit.vehicle_list.counts(firsts)

    assert counts.months == [("2025-12", 2), ("2026-01", 3), ("2026-02", 4)]


def test_equal_counts_are_in_alphabetical_order_with_the_unknown_first(database: Database) -> None:
    makes = ("Kia", "Audi", "Ford")
    add(
        database,
        *(
            vehicle(number, VehicleSpecs(make=make, model="X", year=2000, body=None, source=source))
            for number, (make, source) in enumerate(zip(makes, ("vpic", "operator", "vpic"), strict=True))
        ),
        evolve(
            vehicle(3, VehicleSpecs(make="Audi", model="Y", year=2001, body=None, source="operator")),
            motor_type=MotorType(name="Taxi"),
        ),
        evolve(
            vehicle(4, VehicleSpecs(make="Ford", model="Z", year=2000, body=None, source="vpic")),
            motor_type=MotorType(name="Bus"),
        ),
    )
    with work.open_work(database, write=False) as unit:
        counts = unit.vehicle_list.counts([])
        types, _ = unit.vehicle_list.list_motor_types()

    assert counts.makes == [("Audi", 2), ("Ford", 2), ("Kia", 1)]
    assert counts.types == [(None, 3), ("Bus", 1), ("Taxi", 1)]
    assert counts.sources == [("vpic", 3), ("operator", 2)]
    assert counts.years == [(2001, 1), (2000, 4)]
    assert types == ["Bus", "Taxi"]


FOUND = {
    None: [1, 2, 3],
    "": [1, 2, 3],
    "-": [1, 2, 3],
    "%": [1, 2, 3],
    "hon": [1],
    "CORD": [1],
    "cord hon 2003": [1],
    "cord ford": [],
    "2003": [1],
    "200": [],
    "20030": [],
    "\N{ARABIC-INDIC DIGIT TWO}\N{ARABIC-INDIC DIGIT ZERO}03": [],
    "f-150": [2],
    "chevy": [3],
    "grandmaster": [3],
    # the beginning of a VIN
    "1hg": [1],
    "hgc": [],
    "1h": [],
    "1HGCM80000": [1],
    "1HGCM800001": [1],
    "1HGCM800001X": [1],
    "1HGCM800001004352": [1],
    "1HGCM800002004352": [],
    # the beginning of a plate
    "abc": [2],
    "ab": [],
    "ABC-1": [2],
    "abc1": [],
    "bc-1": [],
    "ABC-1234567890123456": [2],
    "ABC-12345678901234567": [],
}


def test_search_finds_vehicles_by_every_word(database: Database) -> None:
    ford = VehicleSpecs(make="Ford", model="F-150", year=2018, body=None, source="operator")
    chevrolet = VehicleSpecs(make="Chevrolet", model="Grandmaster", year=1999, body=None, source="vpic")
    add(
        database,
        vehicle(1),
        evolve(vehicle(2, ford), vin="2FTEX100002", plate_state="CA", plate_no="abc-12345678901234567"),
        evolve(vehicle(3, chevrolet), vin="3GCEX100003"),
    )
    with work.open_work(database, write=False) as unit:
        found = {
            search: [
                one.id.int
                for one in unit.vehicle_list.page(
                    VehicleFilter(search=search), request=PageRequest(sort="created_at")
                )
            ]
            for search in FOUND
        }

    assert found == FOUND


def test_search_looks_at_eight_words(database: Database) -> None:
    add(database, vehicle(1))
    with work.open_work(database, write=False) as unit:
        totals = [
            unit.vehicle_list.page(VehicleFilter(search=search), request=PageRequest()).total
            for search in (f"{'honda ' * 7}ford", f"{'honda ' * 8}ford")
        ]

    assert totals == [0, 1]


def test_facilities_are_listed_by_name_up_to_a_limit(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        ids = [
            unit.facilities.add(FacilityFields(name=name), point=None, at=NOW).id
            for name in ("Zoe", "Abe", "Mo", "Abe")
        ]
        listed = unit.vehicle_list.list_facilities(limit=3)

    assert listed == [(ids[1], "Abe"), (ids[3], "Abe"), (ids[2], "Mo")]


def test_delete_removes_a_vehicle_unless_it_changed_meanwhile(database: Database) -> None:
    add(database, vehicle(1))
    with work.open_work(database, write=True) as unit:
        unit.vehicles.replace(vehicle(1), vehicle(1))
    with work.open_work(database, write=True) as unit, pytest.raises(Conflict):
        unit.vehicles.delete(vehicle(1))
    with work.open_work(database, write=True) as unit:
        stored = unit.vehicles.find(UUID(int=1))
        assert stored is not None
        unit.vehicles.delete(stored)
        assert unit.vehicles.find(UUID(int=1)) is None


def test_replace_rejects_the_mask_of_another_vehicle(database: Database) -> None:
    add(database, vehicle(1), vehicle(2))
    with (
        pytest.raises(Conflict),
        work.open_work(database, write=True) as unit,
    ):
        unit.vehicles.replace(vehicle(2), evolve(vehicle(2), vin=vehicle(1).vin))


def test_references_to_a_vehicle_are_counted_and_prevent_its_deletion(database: Database) -> None:
    add(database, vehicle(1), vehicle(2))
    with work.open_work(database, write=True) as unit:
        for number in range(3):
            unit.plates.save(
                StoredPlate(
                    environment=[*Environment][number % 2],
                    plate=Plate(state="CA", number=f"7ABC{number}"),
                    vin="1HGCM82633A004352",
                    vehicle_id=UUID(int=1),
                    source="provider",
                    reported_at=NOW,
                )
            )
        counts = unit.vehicle_list.count_references(UUID(int=1))
        assert {kind: n for kind, n in counts.items() if n} == {"plate": 3}
        assert not any(unit.vehicle_list.count_references(UUID(int=2)).values())
        assert {"transaction", "prediction", "plate"} <= counts.keys()
    with pytest.raises(Conflict), work.open_work(database, write=True) as unit:
        unit.vehicles.delete(vehicle(1))
    with work.open_work(database, write=True) as unit:
        unit.plates.delete_for_vehicle(UUID(int=1))
        unit.vehicles.delete(vehicle(1))
