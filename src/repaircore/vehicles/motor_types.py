"""What registrations call a vehicle, as far as its body tells."""

from typing import Final

from repaircore.kernel.traits import Body
from repaircore.vehicles.model import MotorType, Vehicle

_PASSENGER: Final = "Passenger"
_LIGHT_TRUCK: Final = "Light truck"

_BY_BODY: Final = {
    # A decoder's "car" may be a sedan, a coupe or a wagon, so it is not called one of them.
    Body.CAR: MotorType(name="Passenger car", group=_PASSENGER),
    Body.SUV: MotorType(name="SUV", group=_LIGHT_TRUCK),
    Body.PICKUP: MotorType(name="Pickup", group=_LIGHT_TRUCK),
    Body.VAN: MotorType(name="Van", group=_LIGHT_TRUCK),
}
"""SUVs and vans are trucks in the federal classes (49 CFR 523), as pickups are."""

BODY_MOTOR_TYPES: Final = tuple(_BY_BODY.values())
"""The types that bodies tell, each with its group."""


def motor_type_of(vehicle: Vehicle) -> MotorType | None:
    """Give what was told of a vehicle, else what its body makes it; None when neither is known."""
    told = vehicle.motor_type
    usual = None if vehicle.specs.body is None else _BY_BODY[vehicle.specs.body]
    if told is None or usual is None:
        return told or usual
    return MotorType(name=told.name or usual.name, group=told.group or usual.group)


def motor_type_name(told: str | None, body: Body | None) -> str | None:
    """Give the motor vehicle type that was told, else that of a body; None when neither is known."""
    return told or (None if body is None else _BY_BODY[body].name)
