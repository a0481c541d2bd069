"""What can go wrong with fleets."""

from repaircore.kernel.errors import NotFound


class FleetVehicleNotFound(NotFound):
    """The caller has no such vehicle; whether somebody else has is not told."""

    def __init__(self) -> None:
        super().__init__("Vehicle not found.")
