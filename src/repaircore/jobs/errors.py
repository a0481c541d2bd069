"""Errors for background jobs."""

from repaircore.kernel.errors import NotFound


class JobNotFound(NotFound):
    """No job has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no job {name}. `repaircore jobs list` lists them.")
