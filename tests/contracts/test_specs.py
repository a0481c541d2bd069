"""One caller's description of a vehicle never affects another caller's, in any order, on both databases."""

from itertools import permutations

import pytest

from repaircore.core import Core
from repaircore.kernel.engine_names import engine_name
from repaircore.kernel.errors import Invalid
from repaircore.kernel.facts import NO_FACTS, Aspiration
from repaircore.kernel.traits import Drive, Powertrain
from repaircore.predictions.model import PredictBySpecs
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.errors import NoVehicleForSpecs
from repaircore.vehicles.matching import Match, MatchSource

CAMRY, F250 = (2015, "Toyota", "Camry"), (2018, "Ford", "F-250")
GAS, DIESEL, HYBRID = "6.2L gas", "6.7L Power Stroke diesel", "hybrid"


def match(core: Core, model: tuple[int, str, str], engine: str | None, trim: str | None = None) -> Match:
    year, make, name = model
    return core.vehicles.match(year=year, make=make, model=name, trim=trim, engine=engine)


@pytest.mark.parametrize("order", list(permutations([GAS, DIESEL, None])), ids=str)
def test_gas_diesel_and_neither_are_three_vehicles_in_any_order(
    core: Core, order: tuple[str | None, ...]
) -> None:
    result = {engine: match(core, F250, engine).vehicle for engine in order}
    assert {engine: vehicle.specs.powertrain for engine, vehicle in result.items()} == {
        GAS: Powertrain.GAS,
        DIESEL: Powertrain.DIESEL,
        None: None,
    }
    for engine, vehicle in result.items():
        again = match(core, F250, engine)
        assert (again.vehicle, again.source) == (vehicle, MatchSource.DATABASE)


@pytest.mark.parametrize("first", [HYBRID, "3.5 V6", "2.5"])
def test_stated_engine_does_not_affect_the_next_caller(core: Core, first: str) -> None:
    alone = core.vehicles.names.find(*CAMRY)
    assert alone is not None
    match(core, CAMRY, first)

    assert match(core, CAMRY, None).vehicle.specs == alone


@pytest.mark.parametrize(
    "engine",
    [
        "electric",
        "diesel",
        "5.0",
        "V8",
        "V99",
        "9.9",
        "EcoBoost 2.0",
        "Hemi",
        "foo",
        "🚗",
        "???",
        "...",
        "-2.5",
    ],
)
def test_unsold_engine_is_rejected_with_the_sold_ones(core: Core, engine: str) -> None:
    match(core, CAMRY, None)
    with pytest.raises(Invalid) as refused:
        match(core, CAMRY, engine)

    assert "2.5L I4 hybrid" in refused.value.fields["engine"][0]
    assert "3.5L V6" in refused.value.fields["engine"][0]


@pytest.mark.parametrize(
    ("model", "words", "displacements", "kind"),
    [
        ((2018, "Ford", "F-150"), "5.0", {5.0}, Powertrain.GAS),
        ((2018, "Ford", "F-150"), "5.0L V8", {5.0}, Powertrain.GAS),
        ((2018, "Ford", "F-150"), "EcoBoost 3.5", {3.5}, Powertrain.GAS),
        ((2018, "Ford", "F-150"), "EcoBoost", {2.7, 3.5}, Powertrain.GAS),
        ((2018, "Ford", "F-250"), "Power Stroke", {6.7}, Powertrain.DIESEL),
        ((2019, "Volkswagen", "Jetta"), "1.4T", {1.4}, Powertrain.GAS),
        ((2015, "Toyota", "Camry"), "hybrid", {2.5}, Powertrain.HYBRID),
        ((2020, "Ram", "2500"), "Cummins", {6.7}, Powertrain.DIESEL),
    ],
)
def test_words_and_figures_narrow_the_engines(
    core: Core, model: tuple[int, str, str], words: str, displacements: set[float], kind: Powertrain
) -> None:
    result = match(core, model, words)
    about = result.vehicle.specs

    assert {engine.displacement for engine in about.facts.engines} == displacements
    assert about.facts.powertrain is kind
    assert match(core, model, words).vehicle == result.vehicle


@pytest.mark.parametrize("year", [2015, 2028], ids=["its year", "a year nearby"])
def test_engine_text_that_is_too_long_is_rejected_with_the_sold_ones(core: Core, year: int) -> None:
    with pytest.raises(Invalid) as refused:
        core.predictions.predict_by_specs(
            PredictBySpecs(
                year=year,
                make=" toyota ",
                model="camry",
                engine="V6 " * 400,
                zip_code="90210",
                problem_identifier="brake-pads-front",
            )
        )

    assert [*refused.value.fields] == ["engine"]
    assert "2.5L I4 hybrid" in refused.value.fields["engine"][1]


def test_whole_name_wins_over_a_part_of_it(core: Core) -> None:
    truck = match(core, (2023, "Ford", "F-150 Lightning"), None).vehicle.specs

    assert (truck.model, truck.facts.powertrain) == ("F-150 Lightning", Powertrain.ELECTRIC)
    assert match(core, (2023, "Ford", "F-150"), None).vehicle.specs.model == "F-150"


@pytest.mark.parametrize(
    ("model", "meant"),
    [("Ram", "1500"), ("Ram 1500", "1500"), ("ram 2500", "2500"), ("Ram 1500 Laramie", "1500")],
)
def test_dodge_ram_is_a_ram_once_it_is_a_make(core: Core, model: str, meant: str) -> None:
    for year in (2011, 2015):
        about = match(core, (year, "Dodge", model), None).vehicle.specs
        assert (about.make, about.model) == ("Ram", meant)
    before = match(core, (2009, "Dodge", model), None).vehicle.specs

    assert (before.make, before.model) == ("Dodge", "Ram")


def test_dodge_caravan_is_a_grand_caravan_once_alone(core: Core) -> None:
    late = match(core, (2009, "Dodge", "Caravan"), None).vehicle.specs
    early = match(core, (2007, "Dodge", "Caravan"), None).vehicle.specs

    assert (late.model, late.powertrain) == ("Grand Caravan", Powertrain.GAS)
    assert (early.model, early.powertrain) == ("Caravan/Grand Caravan", Powertrain.GAS)


def test_stated_drive_does_not_affect_the_next_caller(core: Core) -> None:
    four = match(core, F250, None, trim="4x4").vehicle
    plain = match(core, F250, None).vehicle

    assert four.specs.drive is Drive.FOUR_WD
    assert plain.specs.drive is not Drive.FOUR_WD
    assert match(core, F250, None, trim="4x4").vehicle == four


def test_vin_of_a_diesel_does_not_match_the_model(core: Core) -> None:
    year, make, model = F250
    about = VehicleSpecs(make=make, model=model, year=year, powertrain=Powertrain.DIESEL, source="provider")
    diesel = core.vehicles.add(about, vin="1FT7W2BT5JEC12345")

    assert match(core, F250, None).vehicle.id != diesel.id
    assert match(core, F250, "diesel").vehicle.id == diesel.id


def test_record_without_facts_gets_them_at_its_next_lookup(core: Core) -> None:
    bare = VehicleSpecs(make="Ford", model="F-250", year=2018, source="vpic")
    stored = core.vehicles.add(bare, vin="1FT7W2BT5JE")
    assert stored.specs.facts == NO_FACTS
    found = core.vehicles.resolve("1FT7W2BT5JE")

    assert found.specs.facts.engines[0].family == "6.7 Power Stroke"
    assert (found.id, found.specs.engine, found.specs.source) == (stored.id, "6.7L 8-cyl", "vpic")
    assert core.vehicles.resolve("1FT7W2BT5JE") == found


def test_operators_entries_are_not_replaced_by_facts(core: Core) -> None:
    own = VehicleSpecs(make="Ford", model="Special", year=2018, engine="V12", source="operator")
    core.vehicles.add(own, vin="1FT7W2BT5JE")
    found = core.vehicles.resolve("1FT7W2BT5JE").specs

    assert (found.model, found.engine, found.facts) == ("Special", "V12", NO_FACTS)


PICKUP = (2018, "Ford", "F-150")
COYOTE = "5.0L V8 (5.0 Coyote)"


def engines(core: Core, engine: str) -> list[str]:
    """Return the names of the engines that a 2018 F-150 may have, with its engine described in words."""
    return sorted(map(engine_name, match(core, PICKUP, engine).vehicle.specs.facts.engines))


@pytest.mark.parametrize("order", list(permutations(["5.0", "ecoboost", "V6", "gas"])), ids=" ".join)
def test_words_match_the_same_engines_in_any_order(core: Core, order: tuple[str, ...]) -> None:
    found = {words: engines(core, words) for words in order}

    assert found["5.0"] == [COYOTE]
    assert [name[:4] for name in found["ecoboost"]] == ["2.7L", "3.5L"]
    assert [name[:4] for name in found["V6"]] == ["2.7L", "3.0L", "3.3L", "3.5L"]
    assert [name[:4] for name in found["gas"]] == ["2.7L", "3.3L", "3.5L", "5.0L"]
    assert {words: engines(core, words) for words in order} == found


@pytest.mark.parametrize(
    ("year", "make", "model", "words", "turbo"),
    [
        (2015, "Ford", "F-150", "EcoBoost 3.5", True),
        (2015, "Ford", "F-150", "5.0", False),
        (2016, "Ford", "Expedition", "3.5", True),
    ],
)
def test_power_in_the_table_implies_a_turbo(
    core: Core, year: int, make: str, model: str, words: str, *, turbo: bool
) -> None:
    engines = match(core, (year, make, model), words).vehicle.specs.facts.engines

    assert {engine.aspiration is Aspiration.TURBO for engine in engines} == {turbo}


@pytest.mark.parametrize("words", ["ecoboost", "turbo", "gas", "V6"])
def test_vin_matches_only_its_own_engine(core: Core, words: str) -> None:
    alone = engines(core, words)
    stored = core.vehicles.identify("1FTEW1E58JFA12345")

    assert match(core, PICKUP, words).vehicle.id != stored.id
    assert engines(core, words) == alone
    assert match(core, PICKUP, "5.0").vehicle.id != stored.id  # the stored one has four-wheel drive
    assert match(core, PICKUP, "5.0", trim="4x4").vehicle.id == stored.id


@pytest.mark.parametrize(
    ("model", "listed"),
    [
        ((2013, "Ford", "Explorer"), {"3.5L V6 (3.5 Cyclone)", "3.5L V6 turbo (EcoBoost 3.5)"}),
        ((2020, "Hyundai", "Elantra"), {"2.0L I4 (Nu)"}),
        ((2015, "Subaru", "Forester"), {"2.0L H4 turbo (FA20 Turbo)", "2.5L H4 (FB25)"}),
    ],
    ids=lambda value: value[2] if isinstance(value, tuple) else "",
)
def test_engine_without_a_turbo_is_not_a_turbo_engine(
    core: Core, model: tuple[int, str, str], listed: set[str]
) -> None:
    size = {name[:4] for name in listed}
    choices = {name for name in core.vehicles.engine_choices(*model) if name[:4] in size}

    assert choices == listed
    for name in listed:
        found = match(core, model, name).vehicle.specs.facts.engines
        assert [engine_name(engine) for engine in found] == [name]


@pytest.mark.parametrize(
    ("model", "years"),
    [
        ((2011, "Infiniti", "Q50"), "from 2014"),
        ((2011, "Jeep", "Cherokee"), "until 2001 and from 2014"),
        ((2013, "Chevrolet", "Colorado"), "until 2012 and from 2015"),
        ((2005, "Chevrolet", "Camaro"), "until 2002 and from 2010"),
    ],
    ids=lambda value: value[2] if isinstance(value, tuple) else "",
)
def test_year_without_the_model_is_rejected_with_the_years_that_have_it(
    core: Core, model: tuple[int, str, str], years: str
) -> None:
    with pytest.raises(NoVehicleForSpecs, match=years):
        match(core, model, None)


@pytest.mark.parametrize(
    "model", [(2022, "Ford", "F-150"), (1984, "Honda", "Civic"), (2022, "Ford", "F-550")]
)
def test_single_missing_year_is_assumed_to_exist(core: Core, model: tuple[int, str, str]) -> None:
    assert match(core, model, None).vehicle.specs.year == model[0]


@pytest.mark.parametrize("order", list(permutations(["2.8 V6", "2.5", None])), ids=str)
def test_old_model_whose_engines_are_unknown_is_accepted_with_any(
    core: Core, order: tuple[str | None, ...]
) -> None:
    found = {
        engine: match(core, (1986, "Chevrolet", "Celebrity"), engine).vehicle for engine in (*order, *order)
    }

    assert {engine: vehicle.specs.facts.displacement for engine, vehicle in found.items()} == {
        "2.8 V6": 2.8,
        "2.5": 2.5,
        None: None,
    }


def test_old_model_was_neither_a_hybrid_nor_electric(core: Core) -> None:
    with pytest.raises(Invalid):
        match(core, (1989, "Dodge", "Omni"), "EV")
