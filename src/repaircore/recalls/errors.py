"""Errors for recalls."""

from typing import ClassVar

from repaircore.kernel.errors import NotFound, Unavailable


class NoSuchCampaign(NotFound):
    """No source lists the campaign for the vehicle's make, model and year."""

    def __init__(self) -> None:
        super().__init__("No such recall campaign was found for this vehicle.")


class RecallSourceUnavailable(Unavailable):
    """No source knows the campaigns that may cover a vehicle; an empty list would look as if there were none."""

    code: ClassVar[str | None] = "RECALL_SOURCE_UNAVAILABLE"

    def __init__(
        self, message: str = "No recalls were imported. Import them with `repaircore import recalls`."
    ) -> None:
        super().__init__(message)
