"""Garage errors."""

from typing import Final

from repaircore.kernel.errors import Conflict, NotFound

MOST_VEHICLES: Final = 5_000
"""The maximum number of vehicles in an account's garage, in each environment."""


class NotInGarage(NotFound):
    """The caller has no such vehicle in the garage; another owner's vehicle gives the same error."""

    def __init__(self) -> None:
        super().__init__("This vehicle is not in your garage.")


class AlreadyInGarage(Conflict):
    """The caller already has this vehicle in the garage."""

    def __init__(self) -> None:
        super().__init__("This vehicle is already in your garage.")


class GarageFull(Conflict):
    """The caller has as many vehicles as an account may have."""

    def __init__(self) -> None:
        super().__init__(f"Your garage can hold at most {MOST_VEHICLES:,} vehicles. Remove some first.")


class GarageVehicleChanged(Conflict):
    """The vehicle has changed since the version that a change is based on."""

    def __init__(self, version: int) -> None:
        super().__init__(
            "The vehicle was changed by another request. Reload it and try again.",
            details={"version": version},
        )


class NoSuchService(NotFound):
    """The vehicle has no such service."""

    def __init__(self) -> None:
        super().__init__("This vehicle has no such service.")
