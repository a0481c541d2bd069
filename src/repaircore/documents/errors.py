"""Document errors."""

from collections.abc import Mapping
from typing import Any

from repaircore.kernel.errors import Conflict, NotFound
from repaircore.visits.model import Visit


class LinkNotFound(NotFound):
    """The link shares no visit: it never existed or was revoked, or its visit is expired, canceled or being changed."""

    def __init__(self) -> None:
        super().__init__("This link no longer leads to an estimate. Ask the shop for a new one.")


class WorkBegan(Conflict):
    """The customer answered after the work began."""

    def __init__(self) -> None:
        super().__init__("The work on your vehicle has begun. Call the shop to change anything.")


class EstimateChanged(Conflict):
    """The customer answered an estimate that has changed since they opened it."""

    def __init__(self) -> None:
        super().__init__(
            "This estimate changed after you opened it. Check it below, then send your answers again."
        )


class EstimateEnded(Conflict):
    """An estimate cannot be sent because it has expired."""

    def __init__(self, visit: Visit) -> None:
        until = visit.valid_until
        super().__init__(
            f"This estimate was valid until {until:%B} {until.day}, {until.year}. Change the date before you send it.",
            details=_state_of(visit),
        )


class NothingApproved(Conflict):
    """A visit cannot be invoiced because no line was approved."""

    def __init__(self, visit: Visit) -> None:
        super().__init__("No line was approved, so there is nothing to bill.", details=_state_of(visit))


class AlreadyInvoiced(Conflict):
    """The visit has already been invoiced with different figures."""

    def __init__(self, visit: Visit) -> None:
        super().__init__(
            "This visit has already been invoiced with different figures.", details=_state_of(visit)
        )


def _state_of(visit: Visit) -> Mapping[str, Any]:
    return {
        "version": visit.version,
        "status": visit.status.value,
        "allowed": [*map(str, visit.allowed_actions)],
    }
