"""Errors of service schedules."""

from repaircore.kernel.errors import NotFound


class ScheduleNotFound(NotFound):
    """The caller has no such service schedule; another owner's looks the same."""

    def __init__(self) -> None:
        super().__init__("Service schedule not found.")
