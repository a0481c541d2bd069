from collections.abc import Sequence

import pytest
from attrs import evolve
from tests.adapters.lookups.conftest import clock
from typing_extensions import override

from repaircore.adapters.lookups.catalog_names import CatalogModelNames, ModelNamesChain
from repaircore.catalog.model import CatalogEntry, Engine, Fuel
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.vehicles.model import Decoded
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

    return CatalogModelNames(known, clock)


def test_what_all_engines_share_is_told() -> None:
    assert names(GAS).find(2013, "Ford", "Fusion") == Decoded(
        make="Ford",
        model="Fusion",
        year=2013,
        engine="2.5L 4-cyl",
        powertrain=Powertrain.GAS,
        drive=Drive.FWD,
        body=Body.CAR,
        source="catalog",
    )


def test_what_they_do_not_share_is_not_told() -> None:
    found = names(GAS, HYBRID).find(2013, "Ford", "Fusion")
    assert found is not None
    assert (found.engine, found.powertrain, found.trim, found.drive) == (None, None, None, Drive.FWD)


@pytest.mark.parametrize(
    ("trim", "engine"), [("hybrid", None), (None, "2.0"), (None, "2.0L"), ("Hybrid", "2.5")]
)
def test_trim_and_engine_choose(trim: str | None, engine: str | None) -> None:
    found = names(GAS, HYBRID).find(2013, "Ford", "Fusion", trim, engine)
    assert found is not None
    assert (found.engine, found.powertrain) == ("2.0L 4-cyl", Powertrain.HYBRID)
    assert found.trim == ("Hybrid" if trim else None)


def test_an_electric_car_is_one() -> None:
    found = names(ELECTRIC).find(2013, "Ford", "Fusion")
    assert found is not None
    assert (found.engine, found.powertrain, found.body) == ("Electric", Powertrain.ELECTRIC, None)


def test_what_is_not_in_the_catalog_is_nothing() -> None:
    assert names(GAS).find(2014, "Ford", "Fusion") is None
    assert CatalogModelNames(lambda *_: [GAS], clock).find(2060, "Ford", "Fusion") is None


class Silent(ModelNames):
    @override
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> Decoded | None:
        return None


def test_the_first_who_knows_answers() -> None:
    later = names(HYBRID)
    found = ModelNamesChain([Silent(), names(GAS), later]).find(2013, "Ford", "Fusion")
    assert found is not None
    assert found.powertrain is Powertrain.GAS
    assert ModelNamesChain([Silent()]).find(2013, "Ford", "Fusion") is None
    assert ModelNamesChain([]).find(2013, "Ford", "Fusion") is None
