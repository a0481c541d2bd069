"""What can go wrong with service schedules."""

from repaircore.kernel.errors import NotFound


class ScheduleNotFound(NotFound):
    """The caller has no such service schedule; whether somebody else has is not told."""

    def __init__(self) -> None:
        super().__init__("Service schedule not found.")
