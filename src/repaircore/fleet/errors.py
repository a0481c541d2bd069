"""Fleet errors."""

from repaircore.kernel.errors import NotFound


class FleetVehicleNotFound(NotFound):
    """The caller has no such vehicle; another owner's vehicle gives the same error."""

    def __init__(self) -> None:
        super().__init__("Vehicle not found.")
