from typing import Any

import pytest
import ultravin
from tests.adapters.lookups.conftest import clock
from tests.programs import printed
from tests.threads import at_once

from repaircore.adapters.lookups.vpic_local import VpicVinDecoder, data_month
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.kernel.facts import Aspiration, BrakeSystem, CamDrive, Fuel, Layout, PowerSteering
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.vehicle_facts.model import VehicleSpecs

# Makers' patterns, each with an invented serial number.
KNOWN = {
    "1HGCM82633A004352": (2003, "Honda", "Accord", Body.CAR, Powertrain.GAS),
    "5YJ3E1EA7KF317000": (2019, "Tesla", "Model 3", Body.CAR, Powertrain.ELECTRIC),
    "4T1BD1FK1CU000001": (2012, "Toyota", "Camry", Body.CAR, Powertrain.HYBRID),
    "YV4BR0PL1J1000001": (2018, "Volvo", "XC90", Body.SUV, Powertrain.PLUG_IN_HYBRID),
    "1FTFW1ED1MF000001": (2021, "Ford", "F-150", Body.PICKUP, Powertrain.HYBRID),
    "5FNRL18634B000001": (2004, "Honda", "Odyssey", Body.VAN, Powertrain.GAS),
    "1FT7W2BT1EE000001": (2014, "Ford", "F-250", Body.PICKUP, Powertrain.DIESEL),
}


def decoded(vin: str) -> VehicleSpecs:
    read = VpicVinDecoder(clock, shipped_mechanics).decode(vin)
    assert read is not None
    return read


@pytest.mark.parametrize(("vin", "result"), KNOWN.items(), ids=list(KNOWN))
def test_known_vehicles_are_decoded(vin: str, result: tuple[object, ...]) -> None:
    read = decoded(vin)

    assert (read.year, read.make, read.model, read.body, read.powertrain) == result


@pytest.mark.parametrize(
    ("vin", "result"),
    [
        (
            "1HGCM82633A",
            {
                "displacement": 3.0,
                "cylinders": 6,
                "layout": Layout.V,
                "cam_drive": CamDrive.BELT,
                "code": "J30A4",
            },
        ),
        (
            "1FT8W2BT5HE",
            {"family": "6.7 Power Stroke", "fuel": Fuel.DIESEL, "cylinders": 8, "plugs_per_cylinder": 0},
        ),
        ("1C6SRFFT3LN", {"family": "5.7 Hemi", "cylinders": 8, "plugs_per_cylinder": 2}),
        ("3C6UR5DL8JG", {"family": "Cummins 6.7", "cylinders": 6, "cam_drive": CamDrive.GEAR}),
        ("1FD8X3E61GE", {"family": "6.2 Boss", "plugs_per_cylinder": 2}),
        ("JF2SJAEC5FH", {"layout": Layout.FLAT, "cam_drive": CamDrive.CHAIN, "cylinders": 4}),
        ("3GCUDGET4NA", {"family": "3.0 Duramax", "layout": Layout.INLINE, "displacement": 3.0}),
        ("1GNSKCKC8JR", {"fuel": Fuel.FLEX, "code": "L83"}),
        ("3VW2B7AJ5HM", {"family": "1.4 TSI", "aspiration": Aspiration.TURBO, "cam_drive": CamDrive.BELT}),
        ("WP0AB2A99JS", {"layout": Layout.FLAT, "cylinders": 6}),
        ("5YJ3E1EA7KF", {"cylinders": None, "plugs_per_cylinder": 0, "fuel": Fuel.ELECTRICITY}),
    ],
)
def test_engine_facts_are_decoded(vin: str, result: dict[str, Any]) -> None:
    (engine,) = decoded(vin).facts.engines

    assert {name: getattr(engine, name) for name in result} == result


@pytest.mark.parametrize(
    ("vin", "drive", "weight_class", "brakes", "steering"),
    [
        ("2T1BURHE0JC", Drive.FWD, "1B", None, PowerSteering.ELECTRIC),
        ("1FD8X3E61GE", Drive.RWD, "3", BrakeSystem.HYDRAULIC, PowerSteering.HYDRAULIC),
        ("1XKYDP9X8JJ", Drive.RWD, "8", BrakeSystem.AIR, PowerSteering.HYDRAULIC),
        ("1C4HJXDG5LW", Drive.FOUR_WD, "1D", BrakeSystem.HYDRAULIC, PowerSteering.ELECTRO_HYDRAULIC),
        ("4S4BSACC6G3", Drive.AWD, "1C", None, PowerSteering.ELECTRIC),
    ],
)
def test_chassis_facts_are_decoded(
    vin: str, drive: Drive, weight_class: str, brakes: BrakeSystem | None, steering: PowerSteering
) -> None:
    facts = decoded(vin).facts

    assert (facts.drive, facts.weight_class, facts.brakes, facts.power_steering) == (
        drive,
        weight_class,
        brakes,
        steering,
    )


@pytest.mark.parametrize(
    ("vin", "name"),
    [
        ("1HGCM82633A", "2003 Honda Accord EX-V6"),
        ("2T1BURHE0JC", "2018 Toyota Corolla"),  # "L/LE/SE/XLE/XSE" is a list, ZRE172L a chassis
        ("WP0AB2A99JS", "2018 Porsche 911"),
        ("1FTVW1EL0NW", "2022 Ford F-150 Lightning"),  # "SuperCrew" is a cab
        ("1GC1KVEY0JA", "2018 Chevrolet Silverado 2500 LT"),
    ],
)
def test_trim_is_decoded_where_it_is_unambiguous(vin: str, name: str) -> None:
    assert decoded(vin).display_name == name


@pytest.mark.parametrize(
    ("vin", "year"),
    [
        ("1FUJGLDR5CSBP0001", 2012),  # the seventh character of heavy trucks does not depend on the year
        ("1XKYDP9X8JJ000001", 2018),
        ("1FDWF36R38EA00001", 2008),
        ("1GBE4V1978F400001", 2008),
    ],
)
def test_model_years_of_trucks_are_right(vin: str, year: int) -> None:
    assert decoded(vin).year == year


@pytest.mark.parametrize(
    ("vin", "is_motorcycle"),
    [("JS1GX72A082100001", True), ("WB10D1205GZ000001", True), ("1HGCM82633A004352", False)],
)
def test_motorcycle_is_recognized_by_the_vehicle_type(vin: str, *, is_motorcycle: bool) -> None:
    assert decoded(vin).facts.is_motorcycle is is_motorcycle


def test_trailer_is_no_vehicle() -> None:
    assert VpicVinDecoder(clock, shipped_mechanics).decode("5SFNB2425CE000001") is None


def test_facts_have_their_sources() -> None:
    sources = decoded("1C6SRFFT3LN").facts.sources

    assert sources["engines"] == "vpic"
    assert sources["engines.family"] == sources["power_steering"] == "editorial"


def test_eight_threads_get_the_right_answers() -> None:
    decoder = VpicVinDecoder(clock, shipped_mechanics)

    def ask() -> list[tuple[object, ...]]:
        read = [decoder.decode(vin) for vin in [*KNOWN] * 6]
        return [(one.year, one.make, one.model) for one in read if one is not None]

    assert at_once(8, ask) == [[result[:3] for result in KNOWN.values()] * 6] * 8


def test_every_vin_of_the_data_can_be_decoded() -> None:
    decoder = VpicVinDecoder(clock, shipped_mechanics)
    for vin in ultravin.cover_vins():
        read = decoder.decode(vin)
        assert read is None or (read.make and read.model and read.year)


def test_source_names_the_month_of_the_data() -> None:
    assert data_month() == "2026-10"


def test_data_is_not_read_before_the_first_call() -> None:
    program = """
import sys, repaircore.adapters.lookups.vpic_names, repaircore.adapters.lookups.vpic_models
import repaircore.adapters.lookups.zip_codes
print({'ultravin', 'zipcodes'} & set(sys.modules))
"""

    assert printed(program) == "set()\n"
