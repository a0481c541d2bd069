"""The contract of the port ``CatalogEntries``, on both databases."""

import pytest
from attrs import evolve

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.catalog.model import CatalogEntry, Engine, Fuel
from repaircore.kernel.traits import Body, Drive

TRUCK = CatalogEntry(
    make="Ford",
    model="F-150",
    published="F150 Pickup 2WD",
    year=2010,
    engine=Engine(tenths=46, cylinders=8, fuel=Fuel.GASOLINE),
    trim="XLT",
    drive=Drive.RWD,
    body=Body.PICKUP,
)
BARE = CatalogEntry(
    make="Škoda",
    model="Model-X 'q'",
    published="Model-X 'q'",
    year=2013,
    engine=Engine(tenths=None, cylinders=None, fuel=Fuel.ELECTRIC),
)


def add(database: Database, *entries: CatalogEntry) -> int:
    with work.open_work(database, write=True) as unit:
        before = unit.catalog.count()
        new = unit.catalog.add(entries)
        assert unit.catalog.count() == before + new
        return before + new


def find(database: Database, make: str, model: str, year: int) -> list[CatalogEntry]:
    with work.open_work(database, write=False) as unit:
        return [*unit.catalog.list_for_model(make=make, model=model, year=year)]


def test_entry_is_loaded_as_stored(database: Database) -> None:
    assert add(database, TRUCK, BARE) == 2
    assert find(database, "Ford", "F-150", 2010) == [TRUCK]
    assert find(database, "Škoda", "Model-X 'q'", 2013) == [BARE]


def test_entry_is_found_by_either_name_in_any_case(database: Database) -> None:
    add(database, TRUCK)
    for model in ("f150", "F-150", "f150 pickup 2wd"):
        assert find(database, "FORD", model, 2010) == [TRUCK]


def test_other_makes_models_and_years_are_not_found(database: Database) -> None:
    add(database, TRUCK)
    for make, model, year in (
        ("Ford", "F-150", 2011),
        ("Ford", "F-250", 2010),
        ("Ram", "F-150", 2010),
        ("%", "%", 2010),
        ("", "", 2010),
    ):
        assert find(database, make, model, year) == []


def test_same_entry_is_stored_once(database: Database) -> None:
    same = evolve(TRUCK, make="FORD", published="F150 PICKUP 2wd", trim=None, body=None)

    assert add(database, TRUCK, TRUCK, BARE, BARE) == 2
    assert add(database, same, BARE) == 2
    assert find(database, "Ford", "F-150", 2010) == [TRUCK]


def test_another_engine_year_or_drive_is_another_entry(database: Database) -> None:
    others = [
        evolve(TRUCK, engine=evolve(TRUCK.engine, tenths=54)),
        evolve(TRUCK, engine=evolve(TRUCK.engine, cylinders=6)),
        evolve(TRUCK, engine=evolve(TRUCK.engine, fuel=Fuel.DIESEL)),
        evolve(TRUCK, year=2011),
        evolve(TRUCK, drive=None),
    ]

    assert add(database, TRUCK, *others) == 6


def test_makes_and_models_are_unique_per_year_or_overall(database: Database) -> None:
    add(database, TRUCK, BARE, evolve(TRUCK, year=2011), evolve(TRUCK, published="F150", drive=None))
    with work.open_work(database, write=False) as unit:
        assert sorted(unit.catalog.list_makes()) == ["Ford", "Škoda"]
        assert list(unit.catalog.list_makes(2011)) == ["Ford"]
        assert list(unit.catalog.list_makes(1999)) == []
        assert list(unit.catalog.list_models("ford")) == ["F-150"]
        assert list(unit.catalog.list_models("Ford", 2013)) == []
        assert list(unit.catalog.list_models("Nobody")) == []


def test_adding_nothing_is_allowed(database: Database) -> None:
    assert add(database) == 0


def test_rolled_back_add_stores_nothing(database: Database) -> None:
    broken = pytest.raises(RuntimeError, match="midway")
    with broken, work.open_work(database, write=True) as unit:
        unit.catalog.add([TRUCK])
        raise RuntimeError("midway")

    assert find(database, "Ford", "F-150", 2010) == []


def test_one_spelling_of_each_make_and_model_is_listed(database: Database) -> None:
    add(
        database,
        TRUCK,
        evolve(TRUCK, make="FORD", model="F150", year=2009),
        evolve(BARE, make="Ford", model="Edge", year=2010),
    )
    with work.open_work(database, write=False) as unit:
        assert [unit.catalog.list_makes(year) for year in (None, 2009, 2010)] == [
            ["FORD"],
            ["FORD"],
            ["Ford"],
        ]
        assert unit.catalog.list_models("ford") == ["Edge", "F-150"]
        assert unit.catalog.list_makes(2011) == unit.catalog.list_models("ford", 2011) == []
