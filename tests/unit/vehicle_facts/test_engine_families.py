"""Rows of the table of engine families, of a table with two engines."""

from typing import Any

import pytest
from attrs import evolve

from repaircore.kernel.engine_names import engine_name, only_engine_name
from repaircore.kernel.facts import Aspiration, CamDrive, Engine, Fuel, Layout, ValveTrain
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.engine_families import EngineFamilies, EngineFamily
from repaircore.vehicle_facts.model_patterns import ModelPatterns

COYOTE = EngineFamily(
    models=ModelPatterns(listed=("F-150",)),
    years=(2011, 2020),
    displacements=frozenset({5.0}),
    cylinders=frozenset({8}),
    codes=(),
    horsepower=None,
    diesel=False,
    needs_turbo=False,
    name="5.0 Coyote",
    layout=Layout.V,
    cam_drive=CamDrive.CHAIN,
    valve_train=ValveTrain.DOHC,
    turbo=False,
    plugs=1,
)
V8 = Engine(powertrain=Powertrain.GAS, displacement=5.0, cylinders=8)
DIESEL = Engine(powertrain=Powertrain.DIESEL, displacement=5.0, cylinders=8)


@pytest.mark.parametrize(("year", "fits"), [(2010, False), (2011, True), (2020, True), (2021, False)])
def test_family_has_a_first_and_a_last_year(year: int, *, fits: bool) -> None:
    assert COYOTE.fits("F-150", year, V8) is fits


@pytest.mark.parametrize(
    ("changes", "engine", "fits"),
    [
        ({}, V8, True),
        ({}, evolve(V8, displacement=4.6), False),
        ({}, evolve(V8, displacement=None), False),
        ({"is_sole": True}, evolve(V8, displacement=None), True),
        ({"displacements": frozenset()}, evolve(V8, displacement=None), True),
        ({"displacements": frozenset()}, evolve(V8, displacement=4.6), True),
        ({}, evolve(V8, cylinders=6), False),
        ({}, evolve(V8, cylinders=None), True),
        ({"cylinders": frozenset()}, evolve(V8, cylinders=6), True),
        ({}, DIESEL, False),
        ({"diesel": True}, DIESEL, True),
        ({"diesel": True}, V8, False),
        ({}, evolve(V8, valve_train=ValveTrain.OHV), False),
        ({}, evolve(V8, valve_train=ValveTrain.DOHC), True),
        ({"valve_train": None}, evolve(V8, valve_train=ValveTrain.OHV), True),
        ({"needs_turbo": True}, V8, False),
        ({"needs_turbo": True}, evolve(V8, aspiration=Aspiration.NATURAL), False),
        ({"needs_turbo": True}, evolve(V8, aspiration=Aspiration.TURBO), True),
        ({"needs_turbo": True}, evolve(V8, aspiration=Aspiration.TURBO_AND_SUPERCHARGED), True),
        ({"codes": ("k24",)}, V8, False),
        ({"codes": ("k24",)}, evolve(V8, code="J30A"), False),
        ({"codes": ("k20", "k24")}, evolve(V8, code="K24A4"), True),
        ({"horsepower": (360, 395)}, V8, False),
        ({"horsepower": (360, 395)}, evolve(V8, horsepower=359), False),
        ({"horsepower": (360, 395)}, evolve(V8, horsepower=360), True),
        ({"horsepower": (360, 395)}, evolve(V8, horsepower=395), True),
        ({"horsepower": (360, 395)}, evolve(V8, horsepower=396), False),
    ],
)
def test_family_has_engines_that_agree_with_it(
    changes: dict[str, Any], engine: Engine, *, fits: bool
) -> None:
    assert evolve(COYOTE, **changes).fits("F-150", 2015, engine) is fits


@pytest.mark.parametrize(
    ("changes", "engine", "fits"),
    [
        ({}, Engine(powertrain=Powertrain.GAS), False),
        ({}, Engine(powertrain=Powertrain.GAS, cylinders=8), True),
        ({"displacements": frozenset({5.0}), "is_sole": True}, Engine(powertrain=Powertrain.GAS), True),
        ({"codes": ("k24",)}, Engine(powertrain=Powertrain.GAS, code="K24"), True),
    ],
)
def test_family_of_any_size_needs_cylinders_or_a_code(
    changes: dict[str, Any], engine: Engine, *, fits: bool
) -> None:
    family = evolve(COYOTE, **{"displacements": frozenset(), **changes})

    assert family.fits("F-150", 2015, engine) is fits


def test_family_is_of_its_models() -> None:
    assert not COYOTE.fits("Ranger", 2015, V8)


def test_family_fills_in_what_is_unknown() -> None:
    sole = evolve(COYOTE, is_sole=True)

    assert sole.complete(Engine(powertrain=Powertrain.GAS)) == Engine(
        powertrain=Powertrain.GAS,
        displacement=5.0,
        cylinders=8,
        layout=Layout.V,
        valve_train=ValveTrain.DOHC,
        cam_drive=CamDrive.CHAIN,
        family="5.0 Coyote",
        plugs_per_cylinder=1,
    )
    assert COYOTE.complete(Engine()).displacement is None
    assert evolve(COYOTE, cylinders=frozenset({6, 8})).complete(Engine()).cylinders is None
    assert evolve(COYOTE, cylinders=frozenset()).complete(Engine()).cylinders is None


def test_family_overrides_only_the_layout_and_the_spark_plugs() -> None:
    known = Engine(
        powertrain=Powertrain.GAS,
        displacement=4.9,
        cylinders=6,
        layout=Layout.INLINE,
        valve_train=ValveTrain.OHV,
        aspiration=Aspiration.SUPERCHARGED,
        cam_drive=CamDrive.GEAR,
        family="300",
        plugs_per_cylinder=3,
    )
    sole = evolve(COYOTE, is_sole=True, turbo=True)

    assert sole.complete(known) == evolve(known, layout=Layout.V, plugs_per_cylinder=1)
    assert evolve(sole, layout=None).complete(known).layout is Layout.INLINE
    assert evolve(sole, diesel=True).complete(known).plugs_per_cylinder == 0


@pytest.mark.parametrize(
    ("changes", "known", "expected"),
    [
        ({}, None, None),
        ({"turbo": True}, None, Aspiration.TURBO),
        ({"needs_turbo": True}, None, Aspiration.TURBO),
        ({"turbo": True}, Aspiration.NATURAL, Aspiration.NATURAL),
        ({"is_natural": True}, Aspiration.TURBO, Aspiration.NATURAL),
        ({"is_supercharged": True}, None, Aspiration.SUPERCHARGED),
        ({"is_supercharged": True}, Aspiration.TURBO, Aspiration.SUPERCHARGED),
    ],
)
def test_family_knows_the_aspiration(
    changes: dict[str, Any], known: Aspiration | None, expected: Aspiration | None
) -> None:
    assert evolve(COYOTE, **changes).complete(evolve(V8, aspiration=known)).aspiration is expected


def completed(engine: Engine, *families: EngineFamily, make: str = "Ford") -> Engine:
    return EngineFamilies({"ford": families}).complete(make, "F-150", 2015, engine)


def test_first_fitting_family_completes_an_engine() -> None:
    other = evolve(COYOTE, name="Other")

    assert completed(V8, evolve(COYOTE, years=(1990, 1999)), other, COYOTE).family == "Other"
    assert completed(V8, other, make="Dodge").family is None


def test_engine_of_unknown_cylinders_may_be_of_no_family_if_they_differ() -> None:
    six = evolve(COYOTE, name="Six", cylinders=frozenset({6}))
    unknown = evolve(V8, cylinders=None)

    assert completed(unknown, six, COYOTE).family is None
    assert completed(unknown, six).family == "Six"
    assert completed(unknown, COYOTE, evolve(COYOTE, name="Other")).family == "5.0 Coyote"
    assert completed(V8, six, COYOTE).family == "5.0 Coyote"


@pytest.mark.parametrize(
    ("engine", "plugs", "fuel"),
    [
        (Engine(powertrain=Powertrain.GAS), 1, Fuel.GASOLINE),
        (Engine(powertrain=Powertrain.HYBRID), 1, Fuel.GASOLINE),
        (Engine(powertrain=Powertrain.DIESEL), 0, Fuel.DIESEL),
        (Engine(), None, None),
        (Engine(powertrain=Powertrain.GAS, plugs_per_cylinder=2, fuel=Fuel.FLEX), 2, Fuel.FLEX),
        (Engine(plugs_per_cylinder=2, fuel=Fuel.FLEX), 2, Fuel.FLEX),
    ],
)
def test_engine_of_no_family_has_the_usual_plugs_and_fuel(
    engine: Engine, plugs: int | None, fuel: Fuel | None
) -> None:
    found = completed(engine)

    assert (found.plugs_per_cylinder, found.fuel) == (plugs, fuel)


@pytest.mark.parametrize(
    ("cylinders", "known", "layout"),
    [
        (4, None, Layout.INLINE),
        (8, None, Layout.V),
        (6, None, None),
        (None, None, None),
        (4, Layout.FLAT, Layout.FLAT),
    ],
)
def test_layout_follows_from_the_cylinders_unless_it_is_known(
    cylinders: int | None, known: Layout | None, layout: Layout | None
) -> None:
    engine = Engine(powertrain=Powertrain.GAS, cylinders=cylinders, layout=known)

    assert completed(engine).layout is layout


def test_electric_motor_has_no_plugs_cylinders_or_size() -> None:
    motor = Engine(powertrain=Powertrain.ELECTRIC, cylinders=4, displacement=2.0, battery=80.0)

    assert completed(motor, COYOTE) == Engine(
        powertrain=Powertrain.ELECTRIC, plugs_per_cylinder=0, battery=80.0
    )


@pytest.mark.parametrize(
    ("engine", "name"),
    [
        (evolve(V8, layout=Layout.V, family="5.0 Coyote"), "5.0L V8 (5.0 Coyote)"),
        (V8, "5.0L 8-cyl"),
        (evolve(V8, layout=Layout.ROTARY), "5.0L 8-cyl"),
        (evolve(V8, layout=Layout.FLAT, aspiration=Aspiration.TURBO), "5.0L H8 turbo"),
        (evolve(V8, aspiration=Aspiration.NATURAL), "5.0L 8-cyl"),
        (DIESEL, "5.0L 8-cyl diesel"),
        (Engine(powertrain=Powertrain.HYBRID, displacement=2.5), "2.5L hybrid"),
        (Engine(powertrain=Powertrain.GAS), "Gas"),
        (Engine(powertrain=Powertrain.DIESEL), "diesel"),
        (Engine(), "Unknown"),
        (Engine(powertrain=Powertrain.ELECTRIC, family="Dual"), "Electric"),
    ],
)
def test_engine_has_a_common_name(engine: Engine, name: str) -> None:
    assert engine_name(engine) == name


def test_only_engine_is_named() -> None:
    assert only_engine_name([V8]) == "5.0L 8-cyl"
    assert only_engine_name([V8, DIESEL]) is None
    assert only_engine_name([]) is None
