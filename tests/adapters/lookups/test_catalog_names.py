from collections.abc import Sequence

import pytest
from attrs import evolve
from tests.adapters.lookups.conftest import clock
from typing_extensions import override

from repaircore.adapters.lookups.catalog_names import CatalogModelNames, ModelNamesChain
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.catalog.model import CatalogEntry, Engine, Fuel
from repaircore.kernel import facts as kernel_facts
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.ports import ModelNames

GAS = CatalogEntry(
    make="Ford",
    model="Fusion",
    published="Fusion FWD",
    year=2013,
    engine=Engine(tenths=25, cylinders=4, fuel=Fuel.GASOLINE),
    drive=Drive.FWD,
    body=Body.CAR,
)
HYBRID = evolve(GAS, engine=Engine(tenths=20, cylinders=4, fuel=Fuel.HYBRID), trim="Hybrid")
ELECTRIC = evolve(GAS, engine=Engine(tenths=None, cylinders=None, fuel=Fuel.ELECTRIC), drive=None, body=None)


def names(*entries: CatalogEntry) -> CatalogModelNames:
    def known(year: int, make: str, model: str) -> Sequence[CatalogEntry]:
        return [entry for entry in entries if (year, make, model) == (2013, "Ford", "Fusion")]

    return CatalogModelNames(known, shipped_mechanics, clock)


def test_facts_shared_by_all_engines_are_returned() -> None:
    found = names(GAS).find(2013, "Ford", "Fusion")

    assert found is not None
    assert (found.display_name, found.engine, found.source) == ("2013 Ford Fusion", "2.5L 4-cyl", "catalog")
    assert (found.powertrain, found.drive, found.body) == (Powertrain.GAS, Drive.FWD, Body.CAR)
    assert (found.facts.displacement, found.facts.cylinders) == (2.5, 4)


def test_facts_that_differ_between_engines_are_left_open() -> None:
    found = names(GAS, HYBRID).find(2013, "Ford", "Fusion")

    assert found is not None
    assert (found.facts.displacement, found.facts.powertrain, found.trim) == (None, None, None)
    assert (found.facts.cylinders, found.drive) == (4, Drive.FWD)


def test_every_engine_of_the_entries_is_listed() -> None:
    engines = names(GAS, HYBRID).list_engines(2013, "Ford", "Fusion")

    assert [engine.displacement for engine in engines] == [2.0, 2.5]
    assert list(names(GAS).list_engines(2014, "Ford", "Fusion")) == []


@pytest.mark.parametrize(("trim", "engine"), [("hybrid", None), (None, "hybrid"), ("Hybrid", "2.0")])
def test_trim_or_engine_selects_the_entry(trim: str | None, engine: str | None) -> None:
    found = names(GAS, HYBRID).find(2013, "Ford", "Fusion", trim, engine)

    assert found is not None
    assert (found.engine, found.powertrain) == ("2.0L 4-cyl", Powertrain.HYBRID)
    assert found.trim == ("Hybrid" if trim else None)


def test_electric_car_is_electric() -> None:
    found = names(ELECTRIC).find(2013, "Ford", "Fusion")

    assert found is not None
    assert (found.engine, found.powertrain, found.body) == ("Electric", Powertrain.ELECTRIC, None)


def test_unlisted_vehicle_is_none() -> None:
    assert names(GAS).find(2014, "Ford", "Fusion") is None
    assert CatalogModelNames(lambda *_: [GAS], shipped_mechanics, clock).find(2060, "Ford", "Fusion") is None


class EmptyCatalog(ModelNames):
    @override
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> VehicleSpecs | None:
        return None

    @override
    def list_engines(self, year: int, make: str, model: str) -> Sequence[kernel_facts.Engine]:
        return ()


def test_first_catalog_with_the_vehicle_wins() -> None:
    later = names(HYBRID)
    found = ModelNamesChain([EmptyCatalog(), names(GAS), later]).find(2013, "Ford", "Fusion")

    assert found is not None
    assert found.powertrain is Powertrain.GAS
    assert ModelNamesChain([EmptyCatalog()]).find(2013, "Ford", "Fusion") is None
    assert ModelNamesChain([]).find(2013, "Ford", "Fusion") is None
