"""What can go wrong with fleets."""

from typing import ClassVar

from repaircore.kernel.errors import Unavailable

__all__ = ["RecallSourceUnavailable"]


class RecallSourceUnavailable(Unavailable):
    """No recalls were imported: an empty list would read as "none"."""

    code: ClassVar[str | None] = "RECALL_SOURCE_UNAVAILABLE"

    def __init__(self) -> None:
        super().__init__("No recalls are known here: import them with `repaircore import recalls`.")
