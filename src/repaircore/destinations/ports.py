"""Ports of changed destinations."""

from typing import Protocol

from repaircore.destinations.model import DestinationQuote


class DestinationSeal(Protocol):
    """Turns quotes into tokens that nobody else can make."""

    def seal(self, quote: DestinationQuote) -> str:
        """Return a quote as a token: ``est_`` and URL-safe characters."""

    def open(self, token: str) -> DestinationQuote | None:
        """Return the quote in a token; None for a token that was not sealed here, or was changed."""
