"""What shared estimates need from outside."""

from typing import Protocol

from repaircore.shared_estimates.model import SharedEstimate


class EstimateSeal(Protocol):
    """Turns estimates into tokens that only this installation can issue; a token holds its estimate, readable."""

    def seal(self, estimate: SharedEstimate) -> str:
        """Return the token of an estimate, of letters, digits, ``-`` and ``_``; the same one each time."""

    def open(self, token: str) -> SharedEstimate | None:
        """Return the estimate of a token; None for one that was changed, or issued by another installation."""
