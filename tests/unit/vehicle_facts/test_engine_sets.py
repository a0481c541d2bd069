from collections.abc import Sequence
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.engine_names import engine_name
from repaircore.kernel.facts import Aspiration, CamDrive, Engine, Fuel, Layout
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.engine_sets import EngineQuery, is_same_engine, merge_engines

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


@pytest.mark.parametrize(
    ("changes", "is_same"),
    [
        ({}, True),
        ({"powertrain": None, "displacement": None, "cylinders": None, "aspiration": None}, True),
        ({"powertrain": Powertrain.DIESEL}, False),
        ({"displacement": 2.7}, False),
        ({"cylinders": 8}, False),
        ({"aspiration": Aspiration.NATURAL}, False),
        ({"family": "Cyclone"}, True),
        ({"family": "Cyclone", "aspiration": None}, False),
        ({"family": None, "aspiration": None}, True),
        ({"horsepower": 1}, True),
    ],
)
def test_two_sources_describe_one_engine_if_they_agree(changes: dict[str, Any], *, is_same: bool) -> None:
    other = evolve(BOOST, **changes)

    assert is_same_engine(BOOST, other) is is_same
    assert is_same_engine(other, BOOST) is is_same


def test_family_does_not_count_if_no_source_knows_the_aspiration() -> None:
    unknown = evolve(BOOST, aspiration=None)

    assert is_same_engine(unknown, evolve(unknown, family="Cyclone"))


def test_unknown_cylinders_are_those_of_the_other_engines_of_that_size() -> None:
    bare = Engine(powertrain=Powertrain.GAS, displacement=3.5)
    six, eight = evolve(bare, cylinders=6), evolve(bare, cylinders=8)
    other = Engine(powertrain=Powertrain.DIESEL, displacement=3.5, cylinders=4)
    larger = Engine(powertrain=Powertrain.GAS, displacement=5.0, cylinders=8)

    assert merge_engines([bare, six, other, larger]) == (other, six, larger)
    assert merge_engines([bare, six, eight]) == (bare, six, eight)
    assert merge_engines([bare, other]) == (bare, other)


def test_engines_of_unknown_size_are_told_apart_by_powertrain_and_cylinders() -> None:
    four = Engine(powertrain=Powertrain.GAS, cylinders=4)
    six = Engine(powertrain=Powertrain.GAS, cylinders=6)
    named = evolve(six, family="Cyclone")
    diesel = Engine(powertrain=Powertrain.DIESEL, cylinders=4)

    assert merge_engines([named, six, four, diesel]) == (diesel, four, named)
    assert merge_engines([six, ELECTRIC]) == (ELECTRIC,)


def test_merged_engines_are_sorted_by_size_then_cylinders_then_powertrain_then_turbo() -> None:
    small = Engine(powertrain=Powertrain.GAS, displacement=2.0, cylinders=4, aspiration=Aspiration.NATURAL)
    ordered = (
        ELECTRIC,
        evolve(small, displacement=0.6),
        small,
        evolve(small, aspiration=Aspiration.TURBO),
        evolve(small, powertrain=Powertrain.HYBRID),
        evolve(small, cylinders=5),
        evolve(small, displacement=2.4),
    )

    assert merge_engines(ordered) == ordered
    assert merge_engines(ordered[::-1]) == ordered


def test_merged_engine_has_only_what_the_sources_agree_on() -> None:
    one = evolve(V8, horsepower=395, cam_drive=CamDrive.CHAIN, code="A1")
    other = evolve(V8, horsepower=395, family="Mustang 5.0", battery=1.0)

    assert merge_engines([one, other]) == (
        evolve(V8, horsepower=395, cam_drive=CamDrive.CHAIN, code="A1", family=None, battery=1.0),
    )


def test_strongest_engine_without_a_turbo_has_105_horsepower_per_liter() -> None:
    strong = evolve(gas(210), displacement=2.0)
    turbo = evolve(gas(300, Aspiration.TURBO), displacement=2.0)

    assert set(merge_engines([turbo, strong])) == {turbo, strong}
    assert len(merge_engines([turbo, evolve(strong, horsepower=211)])) == 1


def boosted(power: int | None, family: str | None = None) -> Engine:
    return gas(power, Aspiration.TURBO, family)


@pytest.mark.parametrize(
    ("turbos", "other", "count"),
    [
        # 3.5 liters have 367 horsepower without a turbo at most, and one engine's figures differ by up to a tenth.
        ([boosted(400)], gas(359), 2),
        ([boosted(400)], gas(360), 1),
        ([boosted(450)], gas(367), 2),
        ([boosted(450)], gas(368), 1),
        ([boosted(450), boosted(300)], gas(290), 1),
        ([boosted(None)], gas(100), 1),
        ([boosted(450, "EcoBoost")], gas(100, None, "EcoBoost"), 1),
        ([boosted(450, "EcoBoost")], gas(450, None, "Cyclone"), 2),
        ([boosted(450)], gas(449, None, "Cyclone"), 1),
        ([boosted(450)], gas(450, Aspiration.SUPERCHARGED), 2),
        ([boosted(450)], gas(450, Aspiration.TURBO_AND_SUPERCHARGED), 1),
    ],
)
def test_weaker_engine_of_the_same_size_has_no_turbo(turbos: list[Engine], other: Engine, count: int) -> None:
    assert len(merge_engines([*turbos, other])) == count
    assert len(merge_engines([other, *turbos])) == count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5.0L V8", {"liters": 5.0, "cylinders": 8}),
        ("2998 cc V6", {"liters": 2.998, "cylinders": 6}),
        ("3.0TD", {"liters": 3.0, "turbo": True, "powertrain": Powertrain.DIESEL}),
        ("2.99 l", {"liters": 3.0}),
        ("3.0d", {"liters": 3.0, "powertrain": Powertrain.DIESEL}),
        ("3.0h", {"liters": 3.0}),
        ("3.0d gas", {"liters": 3.0, "powertrain": Powertrain.GAS}),
        ("3000cc 3.0T", {"liters": 3.0}),
        ("Supercharged 5.0 Coyote", {"liters": 5.0, "supercharged": True, "names": {"coyote"}}),
        ("2.0 FFV", {"liters": 2.0, "flex": True}),
        ("2.0 TDI", {"liters": 2.0, "powertrain": Powertrain.DIESEL, "names": {"tdi"}}),
        ("4xe 2.0", {"liters": 2.0, "powertrain": Powertrain.PLUG_IN_HYBRID}),
        ("twelve cylinders", {"cylinders": 12}),
        ("V16", {"cylinders": 16}),
        ("V17", {"cylinders": 17, "is_impossible": True}),
        ("V0", {"cylinders": 0, "is_impossible": True}),
        ("V1", {"cylinders": 1}),
        ("20.0", {"liters": 20.0}),
        ("20.1", {"liters": 20.1, "is_impossible": True}),
        ("0.0", {"liters": 0.0, "is_impossible": True}),
        ("0.1", {"liters": 0.1}),
        ("- 5", {"liters": 5.0, "is_impossible": True}),
        ("?", {"is_impossible": True}),
        ("", {}),
        (" ", {}),
    ],
)
def test_description_is_parsed_into_what_it_says(text: str, expected: dict[str, Any]) -> None:
    fields: dict[str, Any] = {
        name: frozenset(value) if isinstance(value, set) else value for name, value in expected.items()
    }

    assert EngineQuery.parse(text) == EngineQuery(text=text, **fields)


@pytest.mark.parametrize(
    ("text", "is_empty"),
    [
        ("", True),
        ("Coyote", True),
        ("5.0", False),
        ("V8", False),
        ("hybrid", False),
        ("turbo", False),
        ("supercharged", False),
        ("E85", False),
    ],
)
def test_description_is_empty_unless_something_is_understood(text: str, *, is_empty: bool) -> None:
    assert EngineQuery.parse(text).is_empty is is_empty


CHARGED = evolve(V8, aspiration=Aspiration.SUPERCHARGED, family="Predator", fuel=Fuel.GASOLINE)
CNG = evolve(V8, family="Gas bus", fuel=Fuel.CNG)
FLEX = evolve(V8, family="Flex", fuel=Fuel.FLEX)
UNKNOWN = Engine(family="Mystery")


@pytest.mark.parametrize(
    ("words", "had", "expected"),
    [
        ("supercharged", [V8, CHARGED], [CHARGED]),
        ("supercharged", [V8], [V8]),
        ("E85", [V8, CHARGED, CNG, FLEX], [V8, CHARGED, FLEX]),
        ("E85", [CNG], []),
        ("turbo", [CHARGED, V8], [CHARGED, V8]),
        ("turbo", [NATURAL], []),
        ("turbo", [NATURAL, V8], [NATURAL, V8]),
        ("5.0", [UNKNOWN, V8], [UNKNOWN, V8]),
        ("V8", [UNKNOWN, V8, SMALL], [UNKNOWN, V8]),
        ("hybrid", [UNKNOWN, V8], [UNKNOWN]),
        ("diesel", [UNKNOWN, V8], [UNKNOWN]),
        ("hybrid", [RECHARGE, VOLVO], [RECHARGE]),
        ("plug-in hybrid", [HYBRID, RECHARGE], [RECHARGE]),
        ("5.1", [V8], []),
        ("4.9", [V8], []),
        ("5.0 XLT", [V8], [V8]),
        ("XLT", [V8], []),
        ("", [V8, SMALL], [V8, SMALL]),
        ("coyote predator", [V8, CHARGED], []),
        ("predator", [V8, CHARGED], [CHARGED]),
        ("5.0L 8-cyl (Mystery)", [V8], [V8]),
        ("mystery", [UNKNOWN, V8], [UNKNOWN]),
    ],
)
def test_description_selects_from_engines_of_which_little_is_known(
    words: str, had: list[Engine], expected: list[Engine]
) -> None:
    assert [*EngineQuery.parse(words).select(had)] == expected


def test_description_stands_for_an_engine_that_is_not_listed() -> None:
    known = Engine(powertrain=Powertrain.GAS, displacement=2.3, cylinders=4)

    def found(text: str) -> Sequence[Engine]:
        return EngineQuery.parse(text).engines_with((known,))

    assert found("2.3") == (known,)
    assert found("2.3 turbo") == (evolve(known, aspiration=Aspiration.TURBO),)
    assert found("5.7 V8") == (Engine(displacement=5.7, cylinders=8),)
    assert found("7.3 diesel") == (Engine(powertrain=Powertrain.DIESEL, displacement=7.3),)
    assert found("3.8 supercharged") == (Engine(displacement=3.8, aspiration=Aspiration.SUPERCHARGED),)
    assert found("banana") == ()
    assert found("V99") == ()
