"""Errors when deciding on waiting lines and undoing imports."""

from repaircore.kernel.errors import NotFound


class NothingWaits(NotFound):
    """No line with the given text awaits a decision."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"No waiting line has this text: {text[:100]}. `repaircore import review` lists the waiting lines."
        )


class ImportNotFound(NotFound):
    """The caller's environment has no invoice import with this id."""

    def __init__(self) -> None:
        super().__init__("There is no such import of invoices. `repaircore import list` lists them.")
