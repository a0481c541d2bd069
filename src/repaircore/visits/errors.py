"""Errors for visits."""

from repaircore.kernel.errors import Conflict, NotFound
from repaircore.predictions.errors import ProblemDoesNotFit


class VisitNotFound(NotFound):
    """The caller has no visit with this number."""

    def __init__(self) -> None:
        super().__init__("Visit not found.")


class VisitChanged(Conflict):
    """The visit has changed since the version that the request is based on."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"The visit was changed by another request; it is now at version {version}. Reload it and try again.",
            details={"version": version},
        )
        self.version = version


class VisitLineDoesNotFit(ProblemDoesNotFit):
    """The vehicle cannot have the repair on a line; the message says which line."""

    def __init__(self, error: ProblemDoesNotFit, place: int) -> None:
        super().__init__(error.problem, f"Line {place + 1}: {error.message}", error.alternatives)
