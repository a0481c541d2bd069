"""What registrations call a vehicle, as far as its body tells."""

from typing import Final

from repaircore.kernel.traits import Body
from repaircore.vehicles.model import MotorType, Vehicle

__all__ = ["motor_type_of", "usual_group"]

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


def motor_type_of(vehicle: Vehicle) -> MotorType | None:
    """Give what was told of a vehicle, else what its body makes it; None when neither is known."""
    told = vehicle.motor_type
    if told is None:
        return None if vehicle.about.body is None else _BY_BODY[vehicle.about.body]
    return told if told.group is not None else MotorType(name=told.name, group=usual_group(vehicle))


def usual_group(vehicle: Vehicle) -> str | None:
    """Give the group that vehicles with this body belong to, None when the body is not known."""
    return None if vehicle.about.body is None else _BY_BODY[vehicle.about.body].group
