import pytest

from repaircore.kernel.facts import Aspiration, BrakeSystem, Engine, Fuel
from repaircore.kernel.traits import Drive
from repaircore.vehicle_facts.vpic_facts import VpicRow, drives_of, engine_of, liters, parse_facts

GASOLINE = {"FuelTypePrimary": "Gasoline"}


def figures(text: str) -> tuple[float | None, ...]:
    row = dict.fromkeys(("Doors", "EngineCylinders", "EngineHP", "BatteryKWh", "DisplacementL"), text)
    facts = parse_facts(GASOLINE | row)
    (engine,) = facts.engines
    return facts.doors, engine.displacement, engine.cylinders, engine.battery, engine.horsepower


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9", (9, 9.0, 9, 9.0, 9)),
        ("10", (None, 10.0, 10, 10.0, 10)),
        ("20", (None, 20.0, 20, 20.0, 20)),
        ("20.1", (None, None, 20, 20.1, 20)),
        ("24", (None, None, 24, 24.0, 24)),
        ("25", (None, None, None, 25.0, 25)),
        ("1000", (None, None, None, 1000.0, 1000)),
        ("1001", (None, None, None, None, 1001)),
        ("2500", (None, None, None, None, 2500)),
    ],
)
def test_figures_up_to_the_most_that_vehicles_have_are_read(
    text: str, expected: tuple[float | None, ...]
) -> None:
    assert figures(text) == expected


@pytest.mark.parametrize("text", ["2501", "0", "-4", "inf", "nan", "four"])
def test_impossible_figures_are_left_out(text: str) -> None:
    assert figures(text) == (None,) * 5


@pytest.mark.parametrize(
    ("exact", "make", "cylinders", "expected"),
    [
        ("2.998832712", "HONDA", 6, 3.0),
        ("4.94", "FORD", 8, 5.0),
        ("4.94", "FORD", 6, 4.9),
        ("4.94", "CADILLAC", 8, 4.9),
        ("0.04", "FORD", None, None),
    ],
)
def test_displacement_is_rounded_as_the_maker_does(
    exact: str, make: str, cylinders: int | None, expected: float | None
) -> None:
    assert liters({"DisplacementL": exact, "Make": make}, cylinders) == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"Turbo": "Yes"}, Aspiration.TURBO),
        ({"Turbo": "No"}, Aspiration.NATURAL),
        ({}, None),
        ({"Trim": "1.4 TSI"}, Aspiration.TURBO),
        ({"EngineModel": "Kompressor"}, Aspiration.SUPERCHARGED),
        ({"Turbo": "Yes", "OtherEngineInfo": "Supercharged"}, Aspiration.TURBO_AND_SUPERCHARGED),
        ({"OtherEngineInfo": "Naturally Aspirated"}, Aspiration.NATURAL),
    ],
)
def test_aspiration_is_read_from_its_element_and_from_names(
    row: VpicRow, expected: Aspiration | None
) -> None:
    assert engine_of(row).aspiration is expected


@pytest.mark.parametrize(
    ("gvwr", "to", "expected"),
    [
        ("Class 2E: 6,001 - 7,000 lb", None, "2E"),
        ("Class 2E: 6,001 - 7,000 lb", "Class 2H: 9,001 - 10,000 lb", "2E"),
        ("Class 2E: 6,001 - 7,000 lb", "Class 3: 10,001 - 14,000 lb", None),
        (None, "Class 3: 10,001 - 14,000 lb", None),
    ],
)
def test_weight_class_is_known_unless_it_is_a_range_of_classes(
    gvwr: str | None, to: str | None, expected: str | None
) -> None:
    row = {name: text for name, text in (("GVWR", gvwr), ("GVWR_to", to)) if text}

    assert parse_facts(row).weight_class == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hydraulic", BrakeSystem.HYDRAULIC),
        ("Air", BrakeSystem.AIR),
        ("Air & Hydraulic", None),
        ("Electric", None),
    ],
)
def test_brakes_are_known_unless_they_may_be_either(text: str, expected: BrakeSystem | None) -> None:
    assert parse_facts({"BrakeSystemType": text}).brakes is expected


@pytest.mark.parametrize(
    ("drive_type", "name", "expected"),
    [
        ("4x2", None, {Drive.FWD, Drive.RWD}),
        ("4x2", "Corolla FWD", {Drive.FWD}),
        ("4x2", "Outback AWD", {Drive.FWD, Drive.RWD}),
        (None, "Outback AWD", {Drive.AWD}),
        (None, None, set()),
    ],
)
def test_name_decides_between_the_drives_that_a_row_leaves_open(
    drive_type: str | None, name: str | None, expected: set[Drive]
) -> None:
    assert drives_of(drive_type, name) == expected


@pytest.mark.parametrize(
    ("primary", "secondary", "level", "expected"),
    [
        ("Gasoline", "Ethanol (E85)", None, Fuel.FLEX),
        ("Gasoline", "Natural Gas", None, Fuel.GASOLINE_CNG),
        ("Gasoline", None, None, Fuel.GASOLINE),
        ("Diesel", None, None, Fuel.DIESEL),
        ("Electric", "Gasoline", "PHEV", Fuel.GASOLINE),
        ("Electric", None, "PHEV", Fuel.GASOLINE),
    ],
)
def test_fuel_is_what_the_engine_burns(
    primary: str, secondary: str | None, level: str | None, expected: Fuel
) -> None:
    elements = {"FuelTypePrimary": primary, "FuelTypeSecondary": secondary, "ElectrificationLevel": level}

    assert engine_of({name: text for name, text in elements.items() if text}).fuel is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("L83 - Spark Ignited Direct Injection", "L83"),
        ("K24A4, i-VTEC", "K24A4"),
        ("Vortec", None),
        ("A1" * 12, "A1" * 12),
        ("A1" * 12 + "B", None),
    ],
)
def test_engine_code_stands_at_the_beginning_of_the_name(name: str, expected: str | None) -> None:
    assert engine_of({"EngineModel": name}).code == expected


def test_row_without_an_engine_has_none() -> None:
    assert engine_of({}) == Engine()
    assert parse_facts({}).engines == ()
