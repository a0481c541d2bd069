import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.engine_names import engine_name
from repaircore.kernel.facts import Aspiration, Engine, Fuel, Layout
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.engine_sets import EngineQuery, merge_engines

V8 = Engine(powertrain=Powertrain.GAS, displacement=5.0, cylinders=8, layout=Layout.V, family="5.0 Coyote")
BOOST = Engine(
    powertrain=Powertrain.GAS,
    displacement=3.5,
    cylinders=6,
    layout=Layout.V,
    aspiration=Aspiration.TURBO,
    family="EcoBoost 3.5",
)
SMALL = Engine(
    powertrain=Powertrain.GAS,
    displacement=2.7,
    cylinders=6,
    aspiration=Aspiration.TURBO,
    family="EcoBoost 2.7",
)
DIESEL = Engine(powertrain=Powertrain.DIESEL, displacement=3.0, cylinders=6, family="3.0 Power Stroke")
HYBRID = Engine(powertrain=Powertrain.HYBRID, displacement=3.5, cylinders=6, layout=Layout.V)
ELECTRIC = Engine(powertrain=Powertrain.ELECTRIC, fuel=Fuel.ELECTRICITY)
ALL = (SMALL, DIESEL, BOOST, HYBRID, V8)
FAMILIES = frozenset({"coyote", "ecoboost", "stroke", "power", "hemi", "cummins", "duramax"})


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("5.0", {V8}),
        ("5.0L V8", {V8}),
        ("5,0 l", {V8}),
        ("4.98 l", {V8}),
        ("5.04 l", {V8}),
        ("5000cc", {V8}),
        ("V8", {V8}),
        ("8 cyl", {V8}),
        ("eight-cylinder", {V8}),
        ("Coyote", {V8}),
        ("EcoBoost 3.5", {BOOST}),
        ("3.5 EcoBoost", {BOOST}),
        ("ecoboost", {SMALL, BOOST}),
        ("2.7T", {SMALL}),
        ("Power Stroke", {DIESEL}),
        ("3.0 diesel", {DIESEL}),
        ("hybrid", {HYBRID}),
        ("3.5", {BOOST, HYBRID}),
        ("3.5 gas", {BOOST}),
        ("V6", {SMALL, DIESEL, BOOST, HYBRID}),
        ("DOHC 24V V6 turbo", {SMALL, BOOST}),
        ("XLT 5.0", {V8}),
        ("eco boost", {SMALL, BOOST}),
        ("3.5 Eco-Boost", {BOOST}),
        ("PowerStroke", {DIESEL}),
        ("BlueTEC", {DIESEL}),
    ],
)
def test_engine_query_selects_by_words_and_figures(words: str, expected: set[Engine]) -> None:
    assert set(EngineQuery.parse(words).select(ALL, families=FAMILIES)) == expected


@pytest.mark.parametrize(
    "words",
    [
        "9.9",
        "V99",
        "V10",
        "EV",
        "electric",
        "5.7 Hemi",
        "5.0 Hemi",
        "Cummins",
        "6.2",
        "2.0T",
        "5.0 diesel",
        "foo",
        "999L",
        "x" * 1000,
        "🚗",
        "???",
        "...",
        "-5",
        " -5.0L",
    ],
)
def test_engine_query_selects_nothing_that_was_never_sold(words: str) -> None:
    assert EngineQuery.parse(words).select(ALL, families=FAMILIES) == ()


@pytest.mark.parametrize("words", ["EV", "electric", "BEV"])
def test_electric_car_has_its_motor_and_no_cylinders(words: str) -> None:
    assert EngineQuery.parse(words).select([ELECTRIC]) == (ELECTRIC,)
    for engine in ("V6", "5.0", "hybrid", "diesel"):
        assert EngineQuery.parse(engine).select([ELECTRIC]) == ()


@pytest.mark.parametrize("engine", [*ALL, ELECTRIC])
def test_name_of_an_engine_selects_that_engine(engine: Engine) -> None:
    assert EngineQuery.parse(engine_name(engine)).select([*ALL, ELECTRIC], families=FAMILIES) == (engine,)


@given(st.text(max_size=200))
def test_engine_query_parses_any_text(words: str) -> None:
    assert set(EngineQuery.parse(words).select(ALL, families=FAMILIES)) <= set(ALL)


def test_merge_joins_different_descriptions_of_one_engine() -> None:
    bare = Engine(powertrain=Powertrain.GAS, displacement=5.0)
    strong = Engine(powertrain=Powertrain.GAS, displacement=5.0, cylinders=8, horsepower=395)
    weak = Engine(powertrain=Powertrain.GAS, displacement=5.0, cylinders=8, horsepower=360)

    assert merge_engines([bare, V8]) == (V8,)
    (one,) = merge_engines([strong, weak, bare])

    assert (one.cylinders, one.horsepower) == (8, None)


def gas(horsepower: int | None, aspiration: Aspiration | None = None, family: str | None = None) -> Engine:
    return Engine(
        powertrain=Powertrain.GAS,
        displacement=3.5,
        cylinders=6,
        horsepower=horsepower,
        aspiration=aspiration,
        family=family,
    )


@pytest.mark.parametrize(
    "other",
    [gas(290), gas(None, Aspiration.NATURAL), gas(None, None, "3.5 Cyclone")],
    ids=["weaker", "natural", "family"],
)
def test_turbo_and_natural_engine_of_one_size_stay_separate(other: Engine) -> None:
    boosted = gas(365, Aspiration.TURBO, "EcoBoost 3.5")

    assert set(merge_engines([boosted, other])) == {boosted, other}
    assert merge_engines(merge_engines([other, boosted])) == (other, boosted)


@pytest.mark.parametrize("power", [None, 360, 375], ids=str)
def test_merge_keeps_a_turbo_that_one_source_does_not_mention(power: int | None) -> None:
    (one,) = merge_engines([gas(365, Aspiration.TURBO), gas(power)])

    assert one.aspiration is Aspiration.TURBO


def test_weaker_engine_is_a_turbo_if_no_natural_engine_is_as_strong() -> None:
    assert len(merge_engines([gas(550, Aspiration.TURBO), gas(453)])) == 1


def test_engines_of_different_size_cylinders_or_fuel_stay_separate() -> None:
    assert set(merge_engines(ALL)) == set(ALL)


def test_merge_drops_an_engine_without_data_when_others_are_known() -> None:
    vague = Engine(powertrain=Powertrain.GAS)

    assert merge_engines([vague, V8]) == (V8,)
    assert merge_engines([vague]) == (vague,)


VOLVO = Engine(powertrain=Powertrain.GAS, displacement=2.0, cylinders=4, aspiration=Aspiration.TURBO)
RECHARGE = evolve(VOLVO, powertrain=Powertrain.PLUG_IN_HYBRID)
TUNDRA = Engine(powertrain=Powertrain.GAS, displacement=3.4, cylinders=6, family="i-FORCE 3.5 Twin Turbo")
AUDI = Engine(powertrain=Powertrain.GAS, displacement=2.0, cylinders=4, family="2.0 TSI")
NATURAL = evolve(VOLVO, displacement=3.2, aspiration=Aspiration.NATURAL)


@pytest.mark.parametrize(
    ("words", "had", "expected"),
    [
        ("T6", [VOLVO, RECHARGE], {VOLVO}),
        ("T8", [VOLVO, RECHARGE], {RECHARGE}),
        ("T6", [NATURAL], set()),
        ("2.0XT", [VOLVO, NATURAL], {VOLVO}),
        ("XT", [VOLVO, NATURAL], {VOLVO}),
        ("3.5", [TUNDRA], {TUNDRA}),
        ("3.4 twin turbo", [TUNDRA], {TUNDRA}),
        ("3.6", [TUNDRA], set()),
        ("2.0 TFSI", [AUDI], {AUDI}),
        ("TFSI", [AUDI], {AUDI}),
        ("3.0 TFSI", [AUDI], set()),
    ],
)
def test_engine_query_understands_makers_names(words: str, had: list[Engine], expected: set[Engine]) -> None:
    families = FAMILIES | {"tsi", "tfsi"}

    assert set(EngineQuery.parse(words).select(had, families=families)) == expected
