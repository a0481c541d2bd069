"""The amounts of parts and fluids, of a table with easy numbers."""

import pytest

from repaircore.kernel.facts import CamDrive, Engine, Layout, ValveTrain, VehicleFacts
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.amounts import AmountTable, FamilyRow
from repaircore.vehicle_facts.model import Amounts, Segment, VehicleSpecs


def family(value: float, displacement: float) -> FamilyRow:
    return FamilyRow(
        value=value,
        makes=frozenset({"ford"}),
        displacements=frozenset({displacement}),
        first=2010,
        last=2015,
    )


TABLE = AmountTable(
    oil=[family(9.0, 9.9)],
    plugs_per_cylinder=[family(2, 9.9)],
    battery=[family(60, 9.9)],
    outside_pumps=[family(1, 9.9)],
    usual_oil={4: (2.0, 1.0), 6: (3.0, 0.5)},
    diesel_oil=(3.0, 1.5),
    coolant={4: 1.0, 6: 2.0},
    diesel_coolant=6.5,
    transmission_fluid=dict.fromkeys(Segment, 5.0),
)


def engine(
    powertrain: Powertrain | None, displacement: float | None, cylinders: int | None, **fields: object
) -> Engine:
    return Engine(powertrain=powertrain, displacement=displacement, cylinders=cylinders, **fields)  # type: ignore[arg-type]


FOUR = engine(Powertrain.GAS, 2.0, 4)
SIX = engine(Powertrain.GAS, 3.0, 6)
LISTED = engine(Powertrain.GAS, 9.9, 6)


def vehicle(*engines: Engine, year: int = 2012) -> VehicleSpecs:
    facts = VehicleFacts(engines=engines)
    return VehicleSpecs(make="Ford", model="Edge", year=year, facts=facts, source="test")


def amounts(*engines: Engine, year: int = 2012) -> Amounts:
    return TABLE.amounts_for(vehicle(*engines, year=year), Segment.PICKUP)


@pytest.mark.parametrize(
    ("about", "quarts"),
    [
        (FOUR, 4.0),
        (SIX, 4.5),
        (LISTED, 9.0),
        (engine(Powertrain.HYBRID, 2.0, 4), 4.0),
        (engine(Powertrain.GAS, None, 4), None),
        (engine(Powertrain.GAS, 2.0, 5), None),
        (engine(Powertrain.GAS, 2.0, None), None),
        (engine(Powertrain.DIESEL, 4.0, 6), 9.0),
        (engine(Powertrain.DIESEL, 4.0, None), 9.0),
        (engine(Powertrain.DIESEL, None, 6), None),
        (engine(Powertrain.ELECTRIC, None, None), None),
        (engine(None, 2.0, 4), None),
    ],
)
def test_oil_follows_from_the_family_or_else_cylinders_and_liters(
    about: Engine, quarts: float | None
) -> None:
    assert amounts(about).oil == quarts


@pytest.mark.parametrize(
    ("about", "gallons"),
    [
        (FOUR, 1.0),
        (engine(Powertrain.GAS, 2.0, 5), None),
        (engine(Powertrain.GAS, 2.0, None), None),
        (engine(Powertrain.DIESEL, 4.5, 8), 2.0),
        (engine(Powertrain.DIESEL, 4.6, 4), 6.5),
        (engine(Powertrain.DIESEL, None, 4), 2.0),
    ],
)
def test_coolant_follows_from_the_cylinders_except_of_diesels(about: Engine, gallons: float | None) -> None:
    assert amounts(about).coolant == gallons


@pytest.mark.parametrize(
    ("about", "plugs"),
    [
        (FOUR, 4),
        (LISTED, 12),
        (engine(Powertrain.GAS, 2.0, 4, plugs_per_cylinder=2), 8),
        (engine(Powertrain.GAS, 2.0, 4, plugs_per_cylinder=0), 4),
        (engine(Powertrain.GAS, 1.3, 2, layout=Layout.ROTARY), 4),
        (engine(None, 1.3, 2, layout=Layout.ROTARY), 4),
        (engine(None, 1.3, None, layout=Layout.ROTARY), None),
        (engine(Powertrain.GAS, 2.0, None), None),
        (engine(None, 2.0, 4), None),
        (engine(Powertrain.DIESEL, 2.0, 4), None),
        (engine(Powertrain.ELECTRIC, None, None), None),
    ],
)
def test_plugs_follow_from_the_cylinders_and_the_family(about: Engine, plugs: int | None) -> None:
    assert amounts(about).plugs == plugs


@pytest.mark.parametrize(
    ("about", "tubes"),
    [
        (FOUR, True),
        (engine(Powertrain.GAS, 5.3, 8, valve_train=ValveTrain.OHV), False),
        (engine(Powertrain.GAS, 5.7, 8, valve_train=ValveTrain.OHV, plugs_per_cylinder=2), True),
        (engine(Powertrain.DIESEL, 2.0, 4), False),
        (engine(Powertrain.ELECTRIC, None, None), False),
        (engine(None, 2.0, 4), None),
    ],
)
def test_plugs_sit_in_tubes_except_in_pushrod_engines(about: Engine, *, tubes: bool | None) -> None:
    assert amounts(about).plug_tubes is tubes


def test_known_battery_is_preferred_to_that_of_the_family() -> None:
    assert amounts(LISTED).battery == 60
    assert amounts(engine(Powertrain.ELECTRIC, 9.9, None, battery=80)).battery == 80
    assert amounts(FOUR).battery is None


@pytest.mark.parametrize(("year", "quarts"), [(2009, 8.0), (2010, 9.0), (2015, 9.0), (2016, 8.0)])
def test_family_has_a_first_and_a_last_year(year: int, quarts: float) -> None:
    assert amounts(LISTED, year=year).oil == pytest.approx(quarts, abs=0.1)


def test_vehicle_of_several_possible_engines_has_their_lower_median() -> None:
    both = amounts(SIX, FOUR, engine(Powertrain.ELECTRIC, None, None))

    assert (both.cylinders, both.plugs, both.oil, both.coolant) == (4, 4, 4.0, 1.0)
    assert both.plug_tubes is None
    assert amounts(SIX, FOUR).plug_tubes is True
    assert amounts(SIX, SIX, FOUR).cylinders == 6


def test_vehicle_of_unknown_engines_has_only_transmission_fluid() -> None:
    assert amounts() == Amounts(transmission_fluid=5.0)


def test_pump_is_under_the_belt_only_if_it_is_with_every_possible_engine() -> None:
    belt = engine(Powertrain.GAS, 2.0, 4, cam_drive=CamDrive.BELT)
    outside = engine(Powertrain.GAS, 9.9, 6, cam_drive=CamDrive.BELT)
    chain = engine(Powertrain.GAS, 2.0, 4, cam_drive=CamDrive.CHAIN)

    assert TABLE.has_pump_under_belt(vehicle(belt))
    for engines in ((), (chain,), (outside,), (FOUR,), (belt, chain), (belt, outside)):
        assert not TABLE.has_pump_under_belt(vehicle(*engines))
