"""Motor vehicle types, as entered or as implied by a vehicle's body."""

from typing import Final

from repaircore.kernel.traits import Body
from repaircore.vehicles.model import MotorType, Vehicle

_PASSENGER: Final = "Passenger"
_LIGHT_TRUCK: Final = "Light truck"

_BY_BODY: Final = {
    # A decoder's "car" may be a sedan, a coupe or a wagon, so do not name one of them.
    Body.CAR: MotorType(name="Passenger car", group=_PASSENGER),
    Body.SUV: MotorType(name="SUV", group=_LIGHT_TRUCK),
    Body.PICKUP: MotorType(name="Pickup", group=_LIGHT_TRUCK),
    Body.VAN: MotorType(name="Van", group=_LIGHT_TRUCK),
}
"""The type that each body implies; like pickups, SUVs and vans are light trucks under federal law (49 CFR 523)."""

BODY_MOTOR_TYPES: Final = tuple(_BY_BODY.values())
"""The types that bodies imply, and their groups."""


def motor_type_of(vehicle: Vehicle) -> MotorType | None:
    """Return a vehicle's motor type as entered, else as its body implies, or None if neither is known."""
    entered = vehicle.motor_type
    usual = None if vehicle.specs.body is None else _BY_BODY[vehicle.specs.body]
    if entered is None or usual is None:
        return entered or usual
    return MotorType(name=entered.name or usual.name, group=entered.group or usual.group)


def motor_type_name(entered: str | None, body: Body | None) -> str | None:
    """Return the name of a motor vehicle type as entered, else as a body implies, or None if neither is known."""
    return entered or (None if body is None else _BY_BODY[body].name)
