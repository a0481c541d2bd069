import pytest
from tests.adapters.lookups.conftest import clock

from repaircore.adapters.lookups.vin_catalog import VinCatalog
from repaircore.adapters.lookups.vpic_names import VpicModelNames
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.catalog.model import CatalogEntry, Engine, Fuel
from repaircore.kernel.facts import PowerSteering
from repaircore.kernel.traits import Body, Drive, Powertrain


@pytest.fixture
def names(vin_catalog: VinCatalog) -> VpicModelNames:
    return VpicModelNames(
        catalog=vin_catalog, known=lambda _year, _make, _model: (), mechanics=shipped_mechanics, clock=clock
    )


@pytest.mark.parametrize(
    ("year", "make", "model", "found"),
    [
        (2003, "HONDA", "accord", "2003 Honda Accord"),
        (2018, "Ford", "f150", "2018 Ford F-150"),
        (2018, "chevy", "Silverado 1500", "2018 Chevrolet Silverado"),
        (2015, "Lexus", "RX350", "2015 Lexus RX"),
        (2016, "Mercedes", "C300", "2016 Mercedes-Benz C-Class"),
        (2014, "mazda", "3", "2014 Mazda Mazda3"),
        (2008, "Mercedes", "ML350", "2008 Mercedes-Benz M-Class"),
        (2011, "BMW", "335ci", "2011 BMW 335i"),
        (2003, "Mazda", "B3000", "2003 Mazda B-Series"),
        (2007, "Porsche", "Carrera 4S", "2007 Porsche 911"),
        (2014, "Mercedes", "ML 350", "2014 Mercedes-Benz ML-Class"),
        (2019, "Honda", "crv", "2019 Honda CR-V"),
        (2013, "Toyota", "4 Runner", "2013 Toyota 4Runner"),
        (2020, "Tesla", "model 3", "2020 Tesla Model 3"),
        (2016, "Ford", "Super Duty F-250", "2016 Ford F-250"),
    ],
)
def test_case_punctuation_and_nicknames_do_not_matter(
    names: VpicModelNames, year: int, make: str, model: str, found: str
) -> None:
    vehicle = names.find(year, make, model)

    assert vehicle is not None
    assert f"{vehicle.year} {vehicle.make} {vehicle.model}" == found
    assert vehicle.source == "catalog"


@pytest.mark.parametrize(
    ("year", "make", "model"),
    [
        (2003, "Honda", "Foo"),
        (2003, "Foo", "Accord"),
        (2003, "Honda", "Ridgeline"),
        (1985, "Tesla", "Model 3"),
        (2060, "Honda", "Accord"),
        (2003, "", ""),
        (2003, "Honda", "%"),
    ],
)
def test_nonexistent_vehicle_is_none(names: VpicModelNames, year: int, make: str, model: str) -> None:
    assert names.find(year, make, model) is None


def test_intended_trim_is_found(names: VpicModelNames) -> None:
    found = names.find(2003, "Honda", "Accord", "ex v6")

    assert found is not None
    assert found.trim == "EX-V6"


def test_unknown_trim_is_not_invented(names: VpicModelNames) -> None:
    found = names.find(2003, "Honda", "Accord", "Zzyzx")

    assert found is not None
    assert found.trim is None
    assert found.body is Body.CAR


def test_trim_narrows_a_series_to_a_model(names: VpicModelNames) -> None:
    found = names.find(2012, "BMW", "3 Series", "328i")

    assert found is not None
    assert found.model == "328i"


def test_words_for_fuel_and_drive_are_used(names: VpicModelNames) -> None:
    found = names.find(2014, "VW", "Jetta", "SE", "2.0 TDI")
    assert found is not None
    assert found.powertrain is Powertrain.DIESEL
    driven = names.find(2015, "Honda", "CR-V", "EX AWD")

    assert driven is not None
    assert driven.drive is Drive.AWD


def test_every_engine_of_a_model_is_listed(names: VpicModelNames) -> None:
    engines = names.list_engines(2018, "Ford", "F-250")

    assert {engine.family for engine in engines} == {"6.2 Boss", "6.7 Power Stroke"}
    assert names.list_engines(2018, "Ford", "Nothing") == ()


@pytest.mark.parametrize(
    ("year", "make", "model", "drives"),
    [
        (2012, "BMW", "328i", {Drive.AWD, Drive.RWD}),
        (2016, "Mercedes-Benz", "C-Class", {Drive.AWD, Drive.RWD}),
        (2015, "Audi", "S7", {Drive.AWD}),
        (2015, "Ford", "F-150", {Drive.RWD, Drive.FOUR_WD}),
        (2015, "Nissan", "Rogue", {Drive.FWD, Drive.FOUR_WD}),
        (2015, "Toyota", "Corolla", {Drive.FWD}),
        (2010, "Subaru", "Outback", {Drive.AWD}),
        (2015, "Lexus", "GX", {Drive.FOUR_WD}),
        (2010, "Lexus", "IS 250", {Drive.AWD, Drive.RWD}),
        (2015, "Lexus", "GS 350", {Drive.AWD, Drive.RWD}),
        (2017, "Lexus", "IS 300", {Drive.AWD, Drive.RWD}),
        (2010, "Lexus", "IS 250 AWD", {Drive.AWD}),
    ],
)
def test_model_has_every_drive_it_was_sold_with(
    names: VpicModelNames, year: int, make: str, model: str, drives: set[Drive]
) -> None:
    found = names.find(year, make, model)

    assert found is not None
    assert found.facts.drives == drives


def test_repeated_lookups_give_the_same_model(names: VpicModelNames) -> None:
    first = names.find(2018, "Ford", "F-250", None, "diesel")

    assert first is not None
    assert names.find(2018, "Ford", "F-250", None, "diesel") == first
    assert names.find(2017, "Ford", "F-250") != first


@pytest.mark.parametrize(
    ("year", "make", "model", "displacements"),
    [
        (2008, "Lexus", "RX 350", {3.5}),
        (2008, "Lexus", "RX 400h", {3.3}),
        (2015, "Lexus", "ES 350", {3.5}),
        (2012, "Mercedes-Benz", "C 300", {3.0, 3.5}),
        (2008, "Lexus", "RX", {3.3, 3.5}),
    ],
)
def test_engine_size_in_a_name_excludes_other_engines(
    names: VpicModelNames, year: int, make: str, model: str, displacements: set[float]
) -> None:
    found = names.find(year, make, model)

    assert found is not None
    assert {engine.displacement for engine in found.facts.engines} <= displacements


@pytest.mark.parametrize(
    ("year", "make", "model", "is_motorcycle"),
    [
        (2020, "Honda", "CBR600RR", True),
        (2020, "Honda", "Gold Wing", True),
        (2020, "BMW", "S1000RR", True),
        (2020, "Suzuki", "Hayabusa", True),
        (2020, "Honda", "Civic", False),
        (2012, "Suzuki", "SX4", False),
    ],
)
def test_motorcycles_are_distinguished_from_cars_of_their_make(
    names: VpicModelNames, year: int, make: str, model: str, *, is_motorcycle: bool
) -> None:
    found = names.find(year, make, model)

    assert found is not None
    assert found.facts.is_motorcycle is is_motorcycle


@pytest.mark.parametrize(
    ("named", "result"),
    [
        ((2015, "Chevrolet", "Silverado 2500HD", None), ("2015 Chevrolet Silverado 2500HD", "2H")),
        ((2015, "Chevrolet", "Silverado 2500 HD", None), ("2015 Chevrolet Silverado 2500HD", "2H")),
        ((2015, "Chevrolet", "Silverado", "2500HD"), ("2015 Chevrolet Silverado 2500HD", "2H")),
        ((2022, "Chevrolet", "Silverado 2500HD", None), ("2022 Chevrolet Silverado HD 2500HD", "2H")),
        ((2015, "GMC", "Sierra 3500HD", None), ("2015 GMC Sierra 3500HD", "3")),
        ((2008, "Dodge", "Ram 2500", None), ("2008 Dodge Ram 2500", "2H")),
        ((2023, "Chevrolet", "Silverado 1500", None), ("2023 Chevrolet Silverado", "2E")),
        ((2015, "Ram", "2500", None), ("2015 Ram 2500", None)),
        ((2012, "Ford", "F-250 Super Duty", None), ("2012 Ford F-250", None)),
    ],
)
def test_size_in_a_name_selects_the_heavy_pickup(
    names: VpicModelNames, named: tuple[int, str, str, str | None], result: tuple[str, str | None]
) -> None:
    about = names.find(*named)

    assert about is not None
    assert (about.display_name, about.facts.weight_class) == result


def test_heavy_pickup_has_hydraulic_power_steering(names: VpicModelNames) -> None:
    about = names.find(2018, "GMC", "Sierra 2500HD")

    assert about is not None
    assert about.facts.power_steering is PowerSteering.HYDRAULIC
    assert about.facts.sources["weight_class"] == "editorial"


def test_table_lists_which_engines_of_a_company_a_model_had(vin_catalog: VinCatalog) -> None:
    hemi = CatalogEntry(
        make="Ram",
        model="1500",
        published="1500",
        year=2015,
        engine=Engine(tenths=57, cylinders=8, fuel=Fuel.GASOLINE, hp=395),
    )
    names = VpicModelNames(
        catalog=vin_catalog,
        known=lambda _year, _make, _model: (hemi,),
        mechanics=shipped_mechanics,
        clock=clock,
    )

    assert {engine.displacement for engine in names.list_engines(2015, "Ram", "1500")} == {5.7}


@pytest.mark.parametrize(
    ("year", "make", "model", "weight_class"),
    [
        (2020, "Chevrolet", "Silverado 1500", None),
        (2016, "GMC", "Sierra 1500", None),
        (2004, "Chevrolet", "Silverado 1500", None),
        (2017, "GMC", "Sierra", None),
        (2023, "Chevrolet", "Silverado 1500", "2E"),
        (2016, "Chevrolet", "Silverado 2500HD", "2H"),
        (2016, "GMC", "Sierra 3500", "3"),
    ],
)
def test_half_ton_pickup_has_no_weight_class_of_a_heavy_one(
    names: VpicModelNames, year: int, make: str, model: str, weight_class: str | None
) -> None:
    vehicle = names.find(year, make, model)

    assert vehicle is not None
    assert vehicle.facts.weight_class == weight_class
