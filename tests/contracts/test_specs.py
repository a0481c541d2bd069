"""What one caller's words make of a vehicle, nobody else gets: both databases, whoever comes first."""

from itertools import permutations

import pytest

from repaircore.bootstrap import Core
from repaircore.kernel.traits import Drive, Powertrain
from repaircore.vehicles.matching import Match, MatchSource
from repaircore.vehicles.model import Decoded

CAMRY, F250 = (2015, "Toyota", "Camry"), (2018, "Ford", "F-250")
GAS, DIESEL, HYBRID = "6.2L gas", "6.7L Power Stroke diesel", "hybrid"


def match(core: Core, model: tuple[int, str, str], engine: str | None, trim: str | None = None) -> Match:
    year, make, name = model
    return core.vehicles.match(year=year, make=make, model=name, trim=trim, engine=engine)


@pytest.mark.parametrize("order", list(permutations([GAS, DIESEL, None])), ids=str)
def test_gas_diesel_and_neither_are_three_vehicles_in_whatever_order(
    core: Core, order: tuple[str | None, ...]
) -> None:
    told = {engine: match(core, F250, engine).vehicle for engine in order}
    assert {engine: vehicle.about.powertrain for engine, vehicle in told.items()} == {
        GAS: Powertrain.GAS,
        DIESEL: Powertrain.DIESEL,
        None: None,
    }
    for engine, vehicle in told.items():
        again = match(core, F250, engine)
        assert (again.vehicle, again.source) == (vehicle, MatchSource.DATABASE)


@pytest.mark.parametrize("first", ["electric", HYBRID, "diesel"])
def test_what_one_said_of_an_engine_is_not_what_the_next_one_gets(core: Core, first: str) -> None:
    alone = core.vehicles.names.find(*CAMRY)
    assert alone is not None
    match(core, CAMRY, first)
    assert match(core, CAMRY, None).vehicle.about == alone


@pytest.mark.parametrize("engine", ["electric", "diesel"])
def test_words_do_not_make_what_was_never_sold(core: Core, engine: str) -> None:
    usual = match(core, CAMRY, None).vehicle
    assert match(core, CAMRY, engine).vehicle == usual


def test_the_driven_wheels_that_one_named_are_not_what_the_next_one_gets(core: Core) -> None:
    four = match(core, F250, None, trim="4x4").vehicle
    plain = match(core, F250, None).vehicle
    assert four.about.drive is Drive.FOUR_WD
    assert plain.about.drive is not Drive.FOUR_WD
    assert match(core, F250, None, trim="4x4").vehicle == four


def test_a_vin_of_a_diesel_does_not_answer_for_the_model(core: Core) -> None:
    year, make, model = F250
    about = Decoded(make=make, model=model, year=year, powertrain=Powertrain.DIESEL, source="provider")
    diesel = core.vehicles.keep(about, vin="1FT7W2BT5JEC12345")
    assert match(core, F250, None).vehicle != diesel
    assert match(core, F250, "diesel").vehicle == diesel
