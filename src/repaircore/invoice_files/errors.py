"""Errors of decisions and undos."""

from repaircore.kernel.errors import NotFound


class NothingWaits(NotFound):
    """No line with the given text awaits a decision."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"No waiting line has this text: {text[:100]}. `repaircore import review` lists the waiting lines."
        )


class ImportNotFound(NotFound):
    """There is no such import of invoices."""

    def __init__(self) -> None:
        super().__init__("There is no such import of invoices. `repaircore import list` lists them.")
