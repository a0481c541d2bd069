"""What can go wrong with recalls."""

from typing import ClassVar

from repaircore.kernel.errors import NotFound, Unavailable


class NoSuchCampaign(NotFound):
    """No source lists the campaign for the make, model and year of the vehicle."""

    def __init__(self) -> None:
        super().__init__("No such recall campaign is known for this vehicle.")


class RecallSourceUnavailable(Unavailable):
    """No source knows the campaigns that may be of a vehicle: an empty list would read as "none"."""

    code: ClassVar[str | None] = "RECALL_SOURCE_UNAVAILABLE"

    def __init__(
        self, message: str = "No recalls are known here: import them with `repaircore import recalls`."
    ) -> None:
        super().__init__(message)
