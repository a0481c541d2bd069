"""Errors for service schedules."""

from repaircore.kernel.errors import NotFound


class ScheduleNotFound(NotFound):
    """The caller has no such service schedule; another owner's schedule raises the same error."""

    def __init__(self) -> None:
        super().__init__("Service schedule not found.")
