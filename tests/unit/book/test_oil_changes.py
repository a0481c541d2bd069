"""The oil change a vehicle usually gets when the oil is not named."""

import pytest

from repaircore.book.oil_changes import (
    CONVENTIONAL,
    DIESEL,
    SYNTHETIC,
    likeliest_oil_change,
    takes_synthetic,
    usual_oil_change,
)
from repaircore.kernel.facts import Engine, VehicleFacts
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.traits import Powertrain, Traits

GAS, DIESEL_ENGINE = Engine(powertrain=Powertrain.GAS), Engine(powertrain=Powertrain.DIESEL)


@pytest.mark.parametrize(
    ("year", "engines", "expected"),
    [
        (2003, (GAS,), CONVENTIONAL),
        (2010, (), CONVENTIONAL),
        (2011, (GAS,), SYNTHETIC),
        (2012, (DIESEL_ENGINE,), DIESEL),
        (2012, (GAS, DIESEL_ENGINE), None),
    ],
)
def test_oil_change_depends_on_model_year_and_fuel(
    year: int, engines: tuple[Engine, ...], expected: str | None
) -> None:
    car = VehicleProfile(make="Ford", model="F-250", year=year, facts=VehicleFacts(engines=engines))

    assert usual_oil_change(car) == expected


def test_traits_count_when_the_engines_are_unknown() -> None:
    traits = Traits(powertrain=Powertrain.DIESEL)

    assert usual_oil_change(VehicleProfile(make="Ford", model="F-250", year=2015, traits=traits)) == DIESEL


@pytest.mark.parametrize(
    ("make", "model", "year", "synthetic"),
    [
        ("Porsche", "Boxster", 2001, True),
        ("Mercedes-Benz", "ML 350", 2004, True),
        ("Mini", "Cooper", 2005, True),
        ("Audi", "A4", 2003, False),
        ("Chevrolet", "Corvette", 2006, True),
        ("Chevrolet", "Cobalt", 2006, False),
        ("Lexus", "HS 250h", 2010, True),
        ("Toyota", "Prius", 2008, False),
        ("Kia", "Soul", 2014, True),
    ],
)
def test_makers_that_asked_for_synthetic_oil_early(
    make: str, model: str, year: int, *, synthetic: bool
) -> None:
    assert takes_synthetic(VehicleProfile(make=make, model=model, year=year)) is synthetic


def test_likeliest_oil_change_is_that_of_gasoline_where_a_diesel_is_possible() -> None:
    facts = VehicleFacts(engines=(GAS, DIESEL_ENGINE))

    assert likeliest_oil_change(VehicleProfile(make="Ram", model="2500", year=2016, facts=facts)) == SYNTHETIC
    assert (
        likeliest_oil_change(VehicleProfile(make="GMC", model="Sierra", year=2004, facts=facts))
        == CONVENTIONAL
    )
