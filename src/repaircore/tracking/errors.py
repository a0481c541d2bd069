"""Errors for tracking links."""

from repaircore.kernel.errors import NotFound


class NoTrackedRide(NotFound):
    """The link is unknown or was revoked, or its ride has ended."""

    def __init__(self) -> None:
        super().__init__("Not Found.")
