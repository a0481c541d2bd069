"""Ports for destination changes."""

from typing import Protocol

from repaircore.destinations.model import DestinationQuote


class DestinationSeal(Protocol):
    """Turns quotes into tokens that cannot be forged."""

    def seal(self, quote: DestinationQuote) -> str:
        """Return a quote as a token: ``est_`` and URL-safe characters."""

    def open(self, token: str) -> DestinationQuote | None:
        """Return the quote in a token, or None if the token was not sealed here or was altered."""
