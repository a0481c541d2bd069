"""Errors for mechanics."""

from repaircore.kernel.errors import NotFound


class MechanicNotFound(NotFound):
    """There is no such mechanic in this environment."""

    def __init__(self) -> None:
        super().__init__("Not Found.")
