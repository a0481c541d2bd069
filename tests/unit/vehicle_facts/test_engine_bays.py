import pytest

from repaircore.kernel.facts import Engine, Layout, VehicleFacts
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.vehicle_facts.engine_bays import engine_bay_of
from repaircore.vehicle_facts.model import EngineBay, VehicleSpecs

V6 = Engine(powertrain=Powertrain.GAS, displacement=3.5, cylinders=6, layout=Layout.V)


def vehicle(*engines: Engine, make: str = "Ford", model: str = "Escape", drives: str = "") -> VehicleSpecs:
    facts = VehicleFacts(engines=engines, drives=frozenset(Drive(drive) for drive in drives.split()))
    return VehicleSpecs(make=make, model=model, year=2015, facts=facts, source="test")


def gas(cylinders: int | None, layout: Layout | None = None) -> Engine:
    return Engine(powertrain=Powertrain.GAS, displacement=3.0, cylinders=cylinders, layout=layout)


def diesel(displacement: float | None, layout: Layout) -> Engine:
    return Engine(powertrain=Powertrain.DIESEL, displacement=displacement, cylinders=6, layout=layout)


@pytest.mark.parametrize(
    ("make", "model", "drives", "axle", "expected"),
    [
        ("Audi", "A4", "fwd", None, EngineBay.V6_LONGITUDINAL),
        ("Audi", "A3", "fwd", None, EngineBay.V6_TRANSVERSE),
        ("Buick", "S6 Special", "fwd", None, EngineBay.V6_TRANSVERSE),
        ("BMW", "X5", "", None, EngineBay.V6_LONGITUDINAL),
        ("BMW", "X1", "", Drive.FWD, EngineBay.V6_TRANSVERSE),
        ("Ford", "Fusion", "", None, None),
        ("Ford", "Fusion", "fwd", None, EngineBay.V6_TRANSVERSE),
        ("Ford", "Fusion", "fwd awd", None, EngineBay.V6_TRANSVERSE),
        ("Ford", "Mustang", "rwd", None, EngineBay.V6_LONGITUDINAL),
        ("Ford", "Explorer", "awd", Drive.RWD, EngineBay.V6_LONGITUDINAL),
        ("Ford", "Explorer", "awd", None, EngineBay.V6_TRANSVERSE),
        ("Ford", "Explorer", "4wd", None, EngineBay.V6_LONGITUDINAL),
        ("Ford", "Explorer", "awd 4wd", None, None),
        ("Ford", "Transit", "fwd rwd", None, None),
    ],
)
def test_drive_decides_whether_the_engine_is_transverse(
    make: str, model: str, drives: str, axle: Drive | None, expected: EngineBay | None
) -> None:
    assert engine_bay_of(vehicle(V6, make=make, model=model, drives=drives), axle=axle) is expected


@pytest.mark.parametrize(
    ("body", "expected"), [(Body.PICKUP, EngineBay.V6_LONGITUDINAL), (Body.SUV, EngineBay.V6_TRANSVERSE)]
)
def test_pickup_with_all_wheel_drive_has_a_longitudinal_engine(body: Body, expected: EngineBay) -> None:
    facts = VehicleFacts(engines=(V6,), drives=frozenset({Drive.AWD}), body=body)
    about = VehicleSpecs(make="GMC", model="Canyon", year=2015, facts=facts, source="test")

    assert engine_bay_of(about) is expected


@pytest.mark.parametrize(
    ("engine", "transverse", "longitudinal"),
    [
        (gas(4, Layout.INLINE), EngineBay.FOUR_TRANSVERSE, EngineBay.FOUR_LONGITUDINAL),
        (gas(5, Layout.INLINE), EngineBay.FOUR_TRANSVERSE, EngineBay.INLINE_SIX),
        (gas(6, Layout.V), EngineBay.V6_TRANSVERSE, EngineBay.V6_LONGITUDINAL),
        (gas(7), EngineBay.V8, EngineBay.V8),
        (gas(8, Layout.V), EngineBay.V8, EngineBay.V8),
        (gas(10, Layout.V), EngineBay.V10_AND_MORE, EngineBay.V10_AND_MORE),
        (gas(4, Layout.FLAT), EngineBay.FLAT, EngineBay.FLAT),
        (gas(2, Layout.ROTARY), EngineBay.ROTARY, EngineBay.ROTARY),
        (gas(None), None, None),
        (Engine(powertrain=Powertrain.ELECTRIC, cylinders=4), None, None),
        (diesel(4.4, Layout.V), EngineBay.DIESEL_CAR, EngineBay.DIESEL_CAR),
        (diesel(4.5, Layout.V), EngineBay.DIESEL_TRUCK, EngineBay.DIESEL_TRUCK),
        (diesel(6.7, Layout.INLINE), EngineBay.DIESEL_TRUCK_INLINE, EngineBay.DIESEL_TRUCK_INLINE),
        (diesel(None, Layout.V), None, None),
    ],
)
def test_bay_depends_on_the_engine_and_on_how_it_lies(
    engine: Engine, transverse: EngineBay | None, longitudinal: EngineBay | None
) -> None:
    assert engine_bay_of(vehicle(engine, drives="fwd")) is transverse
    assert engine_bay_of(vehicle(engine, drives="rwd")) is longitudinal


def test_bay_is_unknown_if_the_possible_engines_differ() -> None:
    assert engine_bay_of(vehicle(gas(6, Layout.V), gas(8, Layout.V), drives="rwd")) is None
    assert engine_bay_of(vehicle(gas(8), gas(7), drives="rwd")) is EngineBay.V8
    assert engine_bay_of(vehicle(drives="rwd")) is None
