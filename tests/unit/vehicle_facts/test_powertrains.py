import pytest

from repaircore.kernel.facts import Aspiration, Engine
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.powertrains import (
    lists_all_engines,
    lists_engines_by_model,
    plausible_engines,
    usual_powertrain,
    without_foreign_diesels,
)

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


@pytest.mark.parametrize(
    ("make", "year", "by_model", "every"),
    [
        ("GMC", 2012, False, False),
        ("GMC", 2013, True, True),
        ("Plymouth", 1996, False, False),
        ("Ford", 2005, True, True),
        ("BMW", 1995, True, False),
        ("BMW", 1996, True, True),
    ],
)
def test_old_vin_data_do_not_list_all_engines(make: str, year: int, *, by_model: bool, every: bool) -> None:
    assert lists_engines_by_model(make, year) is by_model
    assert lists_all_engines(make, year) is every


def test_engines_of_whole_companies_are_dropped() -> None:
    assert plausible_engines([GAS], "Chevrolet", 1990) == ()
    assert plausible_engines([GAS], "Volvo", 1990) == (GAS,)


def test_turbo_of_some_engines_is_left_open() -> None:
    turbo = Engine(powertrain=Powertrain.GAS, displacement=2.3, aspiration=Aspiration.TURBO)
    diesel = Engine(powertrain=Powertrain.DIESEL, displacement=2.4, aspiration=Aspiration.TURBO)

    found = plausible_engines([turbo, diesel], "Volvo", 1990)

    assert [engine.aspiration for engine in found] == [None, Aspiration.TURBO]
