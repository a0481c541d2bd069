"""The engine of a vehicle that only year, make and model describe, over the whole catalog."""

import os
from collections.abc import Iterator
from itertools import product

import pytest

from repaircore.core import Core
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.powertrains import usual_powertrain
from repaircore.vehicles.errors import NoVehicleForSpecs

_YEARS = range(1996, 2025, 1 if os.environ.get("REPAIRCORE_TEST_EVERYTHING") else 4)
"""Every fourth year alone takes ten seconds."""

_MAKES = (
    *("Acura", "Audi", "BMW", "Buick", "Cadillac", "Chevrolet", "Chrysler", "Dodge", "Ford", "GMC", "Honda"),
    *("Hyundai", "Infiniti", "Isuzu", "Jeep", "Kia", "Lexus", "Lincoln", "Mazda", "Mercedes-Benz", "Mercury"),
    *(
        "MINI",
        "Mitsubishi",
        "Nissan",
        "Oldsmobile",
        "Plymouth",
        "Pontiac",
        "Porsche",
        "Ram",
        "Saab",
        "Saturn",
    ),
    *("Scion", "Subaru", "Suzuki", "Toyota", "Volkswagen", "Volvo"),
)
_SOME_GASOLINE = {Powertrain.GAS, None}
"""None: sold with gasoline and other engines, and nothing says which."""

_WITHOUT_GASOLINE_HERE = {
    ("Mercedes-Benz", "B-Class", 2014),
    ("Mercedes-Benz", "B-Class", 2015),
    ("Mercedes-Benz", "B-Class", 2016),
    ("Mercedes-Benz", "Sprinter", 2017),
    ("Mitsubishi", "Outlander", 2021),
}
"""The VIN data also declare gasoline engines sold only in other countries; the table of engines is right."""


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Return one database, because nothing is stored."""
    return sqlite_url


def _powertrain(core: Core, year: int, make: str, model: str) -> Powertrain | None:
    found = core.vehicles.find_match(year=year, make=make, model=model, trim=None, engine=None)
    return found.vehicle.specs.powertrain


def _wrong(core: Core) -> Iterator[str]:
    """Yield vehicles not matched to gasoline although their model was sold with gasoline engines that year."""
    for year, make in product(_YEARS, _MAKES):
        for model in core.catalog.list_models(make, year):
            usual = usual_powertrain(make, model, year)
            sold = {each.powertrain for each in core.vehicles.names.list_engines(year, make, model)}
            if usual is not Powertrain.GAS and (usual is not None or Powertrain.GAS not in sold):
                continue
            if usual is Powertrain.GAS and sold and sold.isdisjoint({Powertrain.GAS, Powertrain.DIESEL}):
                continue  # a hybrid or an electric car, whatever its name
            if (make, model, year) in _WITHOUT_GASOLINE_HERE:
                continue
            try:
                powertrain = _powertrain(core, year, make, model)
            except NoVehicleForSpecs:
                continue
            if powertrain not in _SOME_GASOLINE:
                yield f"{year} {make} {model}: {powertrain}"


@pytest.mark.long
def test_vehicle_of_which_no_engine_is_stated_has_a_gasoline_one_where_there_was_any(core: Core) -> None:
    assert [*_wrong(core)] == []


@pytest.mark.parametrize(
    ("year", "make", "model"),
    [
        *((year, "Dodge", "Grand Caravan") for year in range(1996, 2021)),
        *((year, "Dodge", "Caravan") for year in range(1996, 2021)),
        *((year, "Chrysler", "Town & Country") for year in range(1996, 2017)),
        *((year, "Honda", "Odyssey") for year in range(1996, 2025)),
        *((year, "Toyota", "Sienna") for year in range(1998, 2021)),
        *((year, "Kia", "Sedona") for year in range(2002, 2013)),
        *((year, "Ford", "Windstar") for year in range(1996, 2004)),
        *((year, "Chevrolet", "Venture") for year in range(1997, 2006)),
        *((year, "Toyota", "Camry") for year in range(1996, 2025)),
        *((year, "Honda", "Civic") for year in range(1996, 2025)),
        *((year, "Ford", "Escape") for year in range(2001, 2025)),
        *((year, "Chevrolet", "Camaro") for year in (2010, 2014, 2015, 2020)),
        *((year, "Chrysler", "300C") for year in range(2005, 2011)),
        *((year, "Dodge", "Caliber") for year in range(2006, 2013)),
        *((year, "Jeep", "Compass") for year in range(2006, 2024)),
        *((year, "Jeep", "Patriot") for year in range(2007, 2018)),
        *((year, "Isuzu", "Rodeo") for year in range(1996, 2005)),
        *((year, "Cadillac", "CTS") for year in (2008, 2014, 2017)),
    ],
)
def test_common_car_burns_gasoline(core: Core, year: int, make: str, model: str) -> None:
    assert _powertrain(core, year, make, model) is Powertrain.GAS
