"""Errors of documents."""

from datetime import date

from repaircore.kernel.errors import Conflict, NotFound


class LinkNotFound(NotFound):
    """No visit is shared by this link: it was never made, was revoked, has ended, or its visit is being changed."""

    def __init__(self) -> None:
        super().__init__("This link does not lead to an estimate anymore. Ask the shop for a new one.")


class WorkBegan(Conflict):
    """The customer answers after the work began."""

    def __init__(self) -> None:
        super().__init__("The work on your vehicle has begun. Call the shop to change anything.")


class EstimateChanged(Conflict):
    """The customer answers to an estimate that the shop changed since."""

    def __init__(self) -> None:
        super().__init__(
            "This estimate changed after you opened it. Check it below, then send your answers again."
        )


class EstimateEnded(Conflict):
    """An estimate that is no longer valid is to be sent."""

    def __init__(self, valid_until: date) -> None:
        super().__init__(
            f"This estimate was valid until {valid_until:%B} {valid_until.day}, {valid_until.year}. "
            "Change the date before you send it."
        )


class NothingApproved(Conflict):
    """An invoice is to be made of a visit of which no line was approved."""

    def __init__(self) -> None:
        super().__init__("No line was approved, so there is nothing to bill.")
