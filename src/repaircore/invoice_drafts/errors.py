"""Errors for invoice drafts."""

from collections.abc import Sequence

from repaircore.kernel.errors import Conflict, NotFound


class DraftNotFound(NotFound):
    """The caller has no draft with this number."""

    def __init__(self) -> None:
        super().__init__("Invoice draft not found.")


class DraftChanged(Conflict):
    """The draft was changed since the version that a change is based on."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"The draft was changed by another request; it is now at version {version}. Reload it and try again.",
            details={"version": version},
        )


class AlreadyRecorded(Conflict):
    """The draft's transactions were recorded, so it can no longer be changed."""

    def __init__(self, transactions: Sequence[int]) -> None:
        super().__init__(
            "This invoice is already recorded. Change its transactions instead.",
            details={"status": "recorded", "transactions": [*transactions]},
        )
