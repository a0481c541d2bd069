import pytest

from repaircore.kernel.facts import Engine
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.powertrains import usual_powertrain, without_foreign_diesels

GAS = Engine(powertrain=Powertrain.GAS, displacement=3.6)
DIESEL = Engine(powertrain=Powertrain.DIESEL, displacement=2.0)


@pytest.mark.parametrize(
    ("make", "model", "year", "powertrain"),
    [
        ("Honda", "Accord", 2003, Powertrain.GAS),
        ("Tesla", "Model 3", 2019, Powertrain.ELECTRIC),
        ("Nissan", "Leaf", 2013, Powertrain.ELECTRIC),
        ("Toyota", "Prius", 2010, Powertrain.HYBRID),
        ("Toyota", "Prius Prime", 2018, Powertrain.PLUG_IN_HYBRID),
        ("Chevrolet", "Volt", 2012, Powertrain.PLUG_IN_HYBRID),
        ("BMW", "328d", 2014, Powertrain.DIESEL),
        ("Peterbilt", "389", 2015, Powertrain.DIESEL),
    ],
)
def test_usual_powertrain_follows_the_name(make: str, model: str, year: int, powertrain: Powertrain) -> None:
    assert usual_powertrain(make, model, year) is powertrain


def test_powertrain_of_a_model_also_sold_as_a_diesel_is_not_guessed() -> None:
    assert usual_powertrain("Ford", "F-250", 2016) is None
    assert usual_powertrain("Volkswagen", "Jetta", 2013) is None


def test_diesel_of_a_model_is_limited_to_its_years() -> None:
    assert usual_powertrain("Volkswagen", "Jetta", 2018) is Powertrain.GAS
    assert usual_powertrain("Ford", "F-150", 2016) is Powertrain.GAS


def test_diesel_of_another_market_is_ignored() -> None:
    assert without_foreign_diesels([DIESEL, GAS], "Chevrolet", "Camaro", 2014) == (GAS,)
    assert without_foreign_diesels([DIESEL, GAS], "Volkswagen", "Jetta", 2013) == (DIESEL, GAS)
    assert without_foreign_diesels([DIESEL], "Hummer", "H1", 2003) == (DIESEL,)


def test_model_with_only_foreign_diesels_burns_gasoline() -> None:
    assert without_foreign_diesels([DIESEL], "Chrysler", "300C", 2007) == (Engine(powertrain=Powertrain.GAS),)
    assert without_foreign_diesels([], "Chrysler", "300C", 2007) == ()
