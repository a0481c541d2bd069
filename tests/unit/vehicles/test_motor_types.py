import pytest
from attrs import evolve

from repaircore.kernel.traits import Body
from repaircore.testing.builders import a_vehicle
from repaircore.vehicles.model import MotorType, Vehicle
from repaircore.vehicles.motor_types import motor_type_of


def vehicle(body: Body | None, entered: MotorType | None = None) -> Vehicle:
    return a_vehicle(specs=evolve(a_vehicle().specs, body=body), motor_type=entered)


@pytest.mark.parametrize(
    ("body", "name", "group"),
    [
        (Body.CAR, "Passenger car", "Passenger"),
        (Body.SUV, "SUV", "Light truck"),
        (Body.PICKUP, "Pickup", "Light truck"),
        (Body.VAN, "Van", "Light truck"),
    ],
)
def test_motor_type_follows_the_body(body: Body, name: str, group: str) -> None:
    assert motor_type_of(vehicle(body)) == MotorType(name=name, group=group)


def test_motor_type_is_unknown_without_a_body() -> None:
    assert motor_type_of(vehicle(None)) is None


def test_motor_type_as_entered_outranks_the_body() -> None:
    entered = MotorType(name="Taxi", group="Commercial")

    assert motor_type_of(vehicle(Body.CAR, entered)) == entered


def test_motor_type_takes_a_missing_group_from_the_body() -> None:
    assert motor_type_of(vehicle(Body.VAN, MotorType(name="Minibus"))) == MotorType(
        name="Minibus", group="Light truck"
    )
    assert motor_type_of(vehicle(None, MotorType(name="Minibus"))) == MotorType(name="Minibus")


def test_vehicle_keeps_its_motor_type() -> None:
    first = vehicle(None).with_motor_type(MotorType(name="Taxi"))

    assert first.with_motor_type(MotorType(name="Sedan")) is first
    assert first.with_motor_type(None) is first
