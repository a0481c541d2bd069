"""Facts completed from editorial tables, of tables with one model each."""

from typing import Any

import pytest
from attrs import evolve

from repaircore.kernel.facts import Engine, PowerSteering, VehicleFacts
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.vehicle_facts.completion import EDITORIAL, LayoutRow, Mechanics, SteeringRow
from repaircore.vehicle_facts.engine_families import EngineFamilies
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.model_patterns import ModelPatterns

YEARS = (2010, 2015)
FWD, RWD, AWD, FOUR_WD = Drive.FWD, Drive.RWD, Drive.AWD, Drive.FOUR_WD


def row(model: str, drive: Drive | None = None) -> LayoutRow:
    return LayoutRow(models=ModelPatterns(listed=(model,)), years=YEARS, drive=drive)


TABLES = Mechanics(
    families=EngineFamilies({}),
    two_wheel={"ford": [row("Front", FWD), row("Rear", RWD), row("Always two", RWD), row("Both", FWD)]},
    only_two_wheel={"ford": [row("Always two"), row("Two")]},
    all_wheel={"ford": [row("All")]},
    either_drive={"ford": [row("Both")]},
    steering={
        "ford": [
            SteeringRow(
                models=ModelPatterns(listed=("Front",)), years=YEARS, kind=PowerSteering.ELECTRO_HYDRAULIC
            )
        ]
    },
)


def vehicle(model: str = "Other", year: int = 2012, **fields: Any) -> VehicleSpecs:
    return VehicleSpecs(**{"make": "Ford", "model": model, "year": year, "source": "test", **fields})


@pytest.mark.parametrize(
    ("model", "drives", "weight_class", "expected"),
    [
        ("Front", set(), None, set()),
        ("Front", {FWD, RWD}, None, {FWD}),
        ("Rear", {FWD, RWD}, None, {RWD}),
        ("Rear", {FWD, RWD, FOUR_WD}, None, {RWD, FOUR_WD}),
        ("Rear", {FWD}, None, {FWD}),
        ("Rear", {FOUR_WD}, None, {FOUR_WD}),
        ("Other", {FWD, RWD}, None, {FWD, RWD}),
        ("Other", {FWD, RWD}, "2F", {FWD, RWD}),
        ("Other", {FWD, RWD}, "2G", {RWD}),
        ("Other", {FWD, RWD, FOUR_WD}, "3", {RWD, FOUR_WD}),
        ("Front", {FWD, RWD}, "3", {FWD}),
        ("Other", set(), "3", set()),
        ("Always two", set(), None, {RWD}),
        ("Always two", {FWD, RWD, FOUR_WD}, None, {RWD}),
        ("Always two", {FWD, AWD}, None, {FWD}),
        ("Always two", {AWD}, None, {AWD}),
        ("Two", set(), None, set()),
        ("Two", set(), "3", {RWD}),
        ("All", set(), None, {AWD}),
        ("All", {FWD, RWD, FOUR_WD}, None, {FOUR_WD}),
        ("All", {FWD, RWD}, None, {FWD, RWD}),
        ("All", {FWD}, None, {FWD}),
        ("Both", {FOUR_WD}, None, {AWD}),
        ("Both", {FWD, RWD, FOUR_WD}, None, {FWD, AWD}),
        ("Both", {FWD}, None, {FWD}),
    ],
)
def test_drives_that_a_vin_leaves_open_follow_from_the_model(
    model: str, drives: set[Drive], weight_class: str | None, expected: set[Drive]
) -> None:
    facts = VehicleFacts(drives=frozenset(drives), weight_class=weight_class)
    found = TABLES.complete(vehicle(model, facts=facts)).facts

    assert found.drives == expected
    assert found.sources.get("drives") == (None if drives == expected else EDITORIAL)


@pytest.mark.parametrize(("year", "is_listed"), [(2009, False), (2010, True), (2015, True), (2016, False)])
def test_tables_list_models_in_their_years(year: int, *, is_listed: bool) -> None:
    assert TABLES.axle_of(vehicle("Front", year)) is (FWD if is_listed else None)
    assert TABLES.has_either_drive(vehicle("Both", year)) is is_listed
    assert TABLES.axle_of(vehicle("Front", year, make="Dodge")) is None
    assert not TABLES.has_either_drive(vehicle("Front", year))


@pytest.mark.parametrize(
    ("specs", "weight_class", "expected"),
    [
        (vehicle("Front"), None, PowerSteering.ELECTRO_HYDRAULIC),
        (vehicle("Front", powertrain=Powertrain.ELECTRIC), "3", PowerSteering.ELECTRO_HYDRAULIC),
        (vehicle("Front", 2009), None, None),
        (vehicle("Front", make="Dodge"), None, None),
        (vehicle(powertrain=Powertrain.ELECTRIC), None, PowerSteering.ELECTRIC),
        (vehicle(powertrain=Powertrain.PLUG_IN_HYBRID, year=2003), None, PowerSteering.ELECTRIC),
        (vehicle(powertrain=Powertrain.HYBRID, year=2003), None, None),
        (vehicle(powertrain=Powertrain.HYBRID), "3", None),
        (vehicle(), "3", PowerSteering.HYDRAULIC),
        (vehicle(), "2F", None),
        (vehicle(year=2003), None, PowerSteering.HYDRAULIC),
        (vehicle(year=2004), None, None),
        (vehicle(year=2019, body=Body.CAR), None, None),
        (vehicle(year=2020, body=Body.CAR), None, PowerSteering.ELECTRIC),
        (vehicle(year=2020, body=Body.SUV), None, PowerSteering.ELECTRIC),
        (vehicle(year=2020, body=Body.PICKUP), None, None),
        (vehicle(year=2020), None, None),
    ],
)
def test_power_steering_follows_from_the_model_or_the_kind_of_vehicle(
    specs: VehicleSpecs, weight_class: str | None, expected: PowerSteering | None
) -> None:
    found = TABLES.complete(evolve(specs, facts=VehicleFacts(weight_class=weight_class))).facts

    assert found.power_steering is expected
    assert found.sources.get("power_steering") == (EDITORIAL if expected else None)


def test_known_steering_stays() -> None:
    facts = VehicleFacts(power_steering=PowerSteering.NONE, sources={"power_steering": "vpic"})

    assert TABLES.complete(vehicle("Front", facts=facts)).facts == facts


def test_completed_facts_fill_in_the_traits() -> None:
    engine = Engine(powertrain=Powertrain.GAS, cylinders=4)
    facts = VehicleFacts(engines=(engine, engine), drives=frozenset({FWD, RWD}), body=Body.VAN)
    found = TABLES.complete(vehicle("Front", facts=facts, powertrain=Powertrain.DIESEL, drive=RWD))

    assert (found.powertrain, found.drive, found.body) == (Powertrain.GAS, FWD, Body.VAN)
    assert len(found.facts.engines) == 1
    bare = TABLES.complete(vehicle(powertrain=Powertrain.DIESEL, drive=RWD, body=Body.SUV))
    assert (bare.powertrain, bare.drive, bare.body) == (Powertrain.DIESEL, RWD, Body.SUV)
    assert TABLES.complete(vehicle(body=Body.SUV, facts=facts)).body is Body.SUV


def test_sources_name_the_facts_about_engines_that_were_completed() -> None:
    four = VehicleFacts(engines=(Engine(powertrain=Powertrain.GAS, cylinders=4, plugs_per_cylinder=1),))
    six = VehicleFacts(engines=(Engine(powertrain=Powertrain.GAS, cylinders=6, plugs_per_cylinder=1),))
    bare = VehicleFacts(engines=(Engine(powertrain=Powertrain.GAS, cylinders=6),), sources={"body": "vpic"})

    assert TABLES.complete(vehicle(facts=four)).facts.sources == {"engines.layout": EDITORIAL}
    assert TABLES.complete(vehicle(facts=six)).facts.sources == {}
    assert TABLES.complete(vehicle(facts=bare)).facts.sources == {
        "body": "vpic",
        "engines.plugs_per_cylinder": EDITORIAL,
    }


@pytest.mark.parametrize(
    ("displacements", "expected"),
    [
        ((2.5,), PowerSteering.HYDRAULIC),
        ((2.0,), PowerSteering.ELECTRIC),
        ((2.0, 2.5), None),
        ((), None),
    ],
)
def test_power_steering_may_depend_on_the_engine(
    displacements: tuple[float, ...], expected: PowerSteering | None
) -> None:
    tables = evolve(
        TABLES,
        steering={
            "ford": [
                SteeringRow(
                    models=ModelPatterns(),
                    years=YEARS,
                    kind=PowerSteering.HYDRAULIC,
                    displacements=frozenset({2.5}),
                ),
                SteeringRow(models=ModelPatterns(), years=YEARS, kind=PowerSteering.ELECTRIC),
            ]
        },
    )
    engines = tuple(Engine(displacement=displacement) for displacement in displacements)

    assert tables.complete(vehicle(facts=VehicleFacts(engines=engines))).facts.power_steering is expected
