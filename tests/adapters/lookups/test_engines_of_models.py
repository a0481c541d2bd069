"""The engines of models named by year, make and model, and what the shipped tables say about them."""

from collections.abc import Sequence

import pytest
from tests.adapters.lookups.conftest import clock

from repaircore.adapters.lookups.catalog_names import CatalogModelNames, ModelNamesChain
from repaircore.adapters.lookups.vin_catalog import VinCatalog
from repaircore.adapters.lookups.vpic_models import VpicKnownModels
from repaircore.adapters.lookups.vpic_names import VpicModelNames
from repaircore.adapters.shipped.engines import ShippedEngines
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.catalog.engines import engines_in_table
from repaircore.catalog.model import CatalogEntry
from repaircore.catalog.model_names import match_names
from repaircore.kernel.facts import Aspiration, CamDrive, Engine
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.engine_sets import EngineQuery
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.matching import STATED

BELT, CHAIN, GEAR = CamDrive.BELT, CamDrive.CHAIN, CamDrive.GEAR
SUPERCHARGED, TURBO, NATURAL = Aspiration.SUPERCHARGED, Aspiration.TURBO, Aspiration.NATURAL


def known_engines(year: int, make: str, model: str) -> Sequence[CatalogEntry]:
    models = {known.name: known for known in ShippedEngines().list_for_make(make)}
    return [
        CatalogEntry(make=make, model=name, published=name, year=year, engine=sold.engine)
        for name in match_names(models, model, make=make)
        for sold in engines_in_table([models[name]], year)
    ]


@pytest.fixture(scope="session")
def names(vin_catalog: VinCatalog) -> ModelNamesChain:
    of_vins = VpicModelNames(
        catalog=vin_catalog, known=known_engines, mechanics=shipped_mechanics, clock=clock
    )
    return ModelNamesChain((of_vins, CatalogModelNames(known_engines, shipped_mechanics, clock)))


def find(names: ModelNamesChain, year: int, make: str, model: str, engine: str | None = None) -> VehicleSpecs:
    found = names.find(year, make, model, None, engine)
    assert found is not None
    return found


def of_size(names: ModelNamesChain, year: int, make: str, model: str, liters: float) -> list[Engine]:
    engines = [
        engine
        for engine in find(names, year, make, model).facts.engines
        if engine.displacement == liters and engine.powertrain is not Powertrain.DIESEL
    ]
    assert engines
    return engines


@pytest.mark.parametrize(
    ("year", "make", "model", "liters", "cam_drive"),
    [
        # The 30-valve V6 has a belt; the VR6 before and after it has chains.
        (1996, "Volkswagen", "Passat", 2.8, CHAIN),
        (1999, "Volkswagen", "Passat", 2.8, BELT),
        (2003, "Volkswagen", "Passat", 2.8, BELT),
        (2008, "Volkswagen", "Passat", 3.6, CHAIN),
        (2002, "Volkswagen", "GTI", 2.8, CHAIN),
        # In 2008, the belt-driven FSI gave way to the TSI.
        (2007, "Volkswagen", "GTI", 2.0, BELT),
        (2008, "Volkswagen", "GTI", 2.0, None),
        (2008, "Audi", "A4", 2.0, None),
        (2009, "Volkswagen", "GTI", 2.0, CHAIN),
        (2003, "Mazda", "Protege", 2.0, BELT),
        (2002, "Mazda", "Protege5", 2.0, BELT),
        (2004, "Mazda", "Mazda3", 2.0, CHAIN),
        (2009, "Mitsubishi", "Eclipse", 2.4, BELT),
        (2012, "Mitsubishi", "Eclipse", 2.4, BELT),
        (2010, "Mitsubishi", "Galant", 2.4, BELT),
        (2010, "Mitsubishi", "Outlander", 2.4, CHAIN),
        (2010, "Mitsubishi", "Lancer", 2.4, CHAIN),
        (2010, "Hyundai", "Elantra", 2.0, BELT),
        (2011, "Hyundai", "Elantra", 1.8, CHAIN),
        (2009, "Hyundai", "Tucson", 2.0, BELT),
        (2011, "Hyundai", "Tucson", 2.0, CHAIN),
        (2010, "Kia", "Sportage", 2.0, BELT),
        (2011, "Kia", "Sportage", 2.0, CHAIN),
        (2011, "Kia", "Forte", 2.0, CHAIN),
        (2011, "Kia", "Soul", 2.0, BELT),
        (2012, "Kia", "Soul", 2.0, CHAIN),
        (1990, "BMW", "325i", 2.5, BELT),
        (1993, "BMW", "325i", 2.5, CHAIN),
        (1993, "BMW", "325iC", 2.5, BELT),
        (2003, "Cadillac", "CTS", 3.2, BELT),
        (2005, "Cadillac", "CTS", 3.6, CHAIN),
        (1993, "Nissan", "Maxima", 3.0, None),
        (1996, "Nissan", "Maxima", 3.0, CHAIN),
        (1994, "Dodge", "Dakota", 2.5, BELT),
        (1998, "Dodge", "Dakota", 2.5, CHAIN),
        (1998, "Isuzu", "Hombre", 2.2, CHAIN),
    ],
)
def test_timing_drive_is_that_of_the_engine_of_those_years(
    names: ModelNamesChain, year: int, make: str, model: str, *, liters: float, cam_drive: CamDrive | None
) -> None:
    assert {engine.cam_drive for engine in of_size(names, year, make, model, liters)} == {cam_drive}


@pytest.mark.parametrize(
    ("year", "make", "model", "plugs"),
    [
        (1988, "Nissan", "Pickup", 6),
        (1997, "GMC", "Sierra 2500", 8),
        (1994, "GMC", "Sierra 3500", 8),
        (1992, "GMC", "Suburban", 8),
        (1990, "Chevrolet", "Suburban", 8),
        (1992, "Pontiac", "Firebird", 8),
        (1990, "Buick", "Riviera", 6),
        (1989, "Cadillac", "Fleetwood", 8),
        (1992, "Cadillac", "Fleetwood", 8),
        (1995, "Ford", "Aerostar", 6),
        (1992, "GMC", "Typhoon", 6),
        (1996, "Plymouth", "Voyager", 6),
        (1991, "Ford", "F-250", 8),
        (1990, "Ford", "F-350", 8),
        (1993, "Ford", "E-350", 8),
        (1995, "Chevrolet", "K2500", 8),
        (2006, "Mercedes-Benz", "S500", 16),
        (2007, "Mercedes-Benz", "S550", 8),
        (2008, "Mercedes-Benz", "E550", 8),
        (2002, "Mercedes-Benz", "S600", 24),
        (1992, "Porsche", "911", 12),
        (1988, "Porsche", "911", 6),
        (2000, "Porsche", "911", 6),
    ],
)
def test_spark_plugs_are_those_of_the_model(
    names: ModelNamesChain, year: int, make: str, model: str, plugs: int
) -> None:
    assert shipped_factor_table().factors_for(find(names, year, make, model)).amounts.plugs == plugs


@pytest.mark.parametrize(("year", "model", "plugs"), [(1988, "Pickup", 8), (1995, "Pickup", 4)])
def test_first_four_of_nissan_trucks_has_two_plugs_a_cylinder(
    names: ModelNamesChain, year: int, model: str, plugs: int
) -> None:
    found = find(names, year, "Nissan", model, "2.4")

    assert shipped_factor_table().factors_for(found).amounts.plugs == plugs


@pytest.mark.parametrize(
    ("year", "make", "model", "liters", "aspiration"),
    [
        (2006, "Land Rover", "Range Rover", 4.2, SUPERCHARGED),
        (2015, "Land Rover", "Range Rover", 3.0, SUPERCHARGED),
        (2003, "Jaguar", "XJR", 4.0, SUPERCHARGED),
        (2011, "Audi", "S4", 3.0, SUPERCHARGED),
        (2006, "Chevrolet", "Cobalt", 2.0, SUPERCHARGED),
        (2009, "Chevrolet", "Cobalt", 2.0, None),
        (2010, "Ford", "Mustang", 5.4, SUPERCHARGED),
        (2017, "Dodge", "Challenger", 6.2, SUPERCHARGED),
        (2003, "Volkswagen", "Passat", 2.8, NATURAL),
        (1992, "GMC", "Typhoon", 4.3, TURBO),
    ],
)
def test_superchargers_are_no_turbos(
    names: ModelNamesChain, year: int, make: str, model: str, *, liters: float, aspiration: Aspiration | None
) -> None:
    assert {engine.aspiration for engine in of_size(names, year, make, model, liters)} == {aspiration}


@pytest.mark.parametrize(
    ("year", "make", "model", "engine", "liters", "cylinders"),
    [
        (1993, "Ford", "F-250", "7.3 diesel", 7.3, 8),
        (1993, "Ford", "F-350", "7.5", 7.5, 8),
        (1994, "Dodge", "Ram 2500", "5.9 diesel", 5.9, 6),
        (1996, "Eagle", "Talon", "2.0", 2.0, 4),
        (1997, "GMC", "Sierra 2500", "5.7", 5.7, 8),
        (1994, "BMW", "530i", "3.0", 3.0, 8),
        (1987, "Pontiac", "Fiero", "2.8", 2.8, 6),
        (1996, "Chevrolet", "K3500", "7.4", 7.4, 8),
    ],
)
def test_old_model_was_sold_with_its_engine(
    names: ModelNamesChain, year: int, make: str, model: str, *, engine: str, liters: float, cylinders: int
) -> None:
    found = EngineQuery.parse(engine).select(names.list_engines(year, make, model))

    assert {(known.displacement, known.cylinders) for known in found} == {(liters, cylinders)}


def test_engine_of_another_model_is_not_taken_from_old_vin_data(names: ModelNamesChain) -> None:
    found = find(names, 1986, "Chevrolet", "Celebrity")

    assert found.facts.engines == (
        Engine(powertrain=Powertrain.GAS, fuel=found.facts.engines[0].fuel, plugs_per_cylinder=1),
    )
    assert not names.list_engines(1986, "Chevrolet", "Celebrity")


def test_stated_engine_counts_where_the_engines_of_a_model_are_not_known(names: ModelNamesChain) -> None:
    found = find(names, 1986, "Chevrolet", "Celebrity", "2.8 V6")

    assert [(engine.displacement, engine.cylinders) for engine in found.facts.engines] == [(2.8, 6)]
    assert found.source == STATED


def test_old_model_has_a_turbo_only_if_that_is_stated(names: ModelNamesChain) -> None:
    plain, turbo = (find(names, 1991, "Volvo", "740", engine) for engine in (None, "2.3 turbo"))

    assert [engine.aspiration for engine in plain.facts.engines] == [None]
    assert [engine.aspiration for engine in turbo.facts.engines] == [TURBO]


def test_words_that_describe_no_engine_leave_an_old_model_as_it_is(names: ModelNamesChain) -> None:
    assert find(names, 1986, "Chevrolet", "Celebrity", "banana") == find(
        names, 1986, "Chevrolet", "Celebrity"
    )


def test_catalog_lists_no_engines_of_other_models(vin_catalog: VinCatalog) -> None:
    models = VpicKnownModels(vin_catalog, shipped_mechanics)

    assert not models.engines("Chevrolet", "Celebrity", 1986)
    assert models.engines("BMW", "535i", 1990)
