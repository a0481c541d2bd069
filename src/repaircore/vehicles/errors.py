"""What can go wrong with vehicles."""

from typing import ClassVar

from repaircore.kernel.errors import NotFound, Unresolvable

__all__ = ["NoSuchVehicle", "NoVinInImage", "VehicleNotFound"]


class VehicleNotFound(NotFound):
    """No decoder and no record knows the VIN."""

    code: ClassVar[str | None] = "VEHICLE_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("Vehicle not found for the provided VIN.")


class NoSuchVehicle(NotFound):
    """No record matches the specs, and no such model is known to create one from."""

    def __init__(self) -> None:
        super().__init__("No vehicles found for these specs, and none could be created.")


class NoVinInImage(Unresolvable):
    """Nobody reads a VIN in the image."""

    def __init__(self) -> None:
        super().__init__("No valid 17-character VIN was found in the image.")
