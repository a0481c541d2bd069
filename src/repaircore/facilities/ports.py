"""What facilities need from outside."""

from abc import abstractmethod
from typing import Protocol

from repaircore.facilities.model import ZipPlace

__all__ = ["ZipCodes"]


class ZipCodes(Protocol):
    """Someone who knows where ZIP codes lie."""

    @abstractmethod
    def find(self, zip5: str) -> ZipPlace | None:
        """Give the place of a five-digit ZIP code (see ``zip_code.zip5``).

        None for one that is not in use, or that has no place on the map (military mail). Whatever is
        not five digits is None as well. Safe to be called by many threads at once.
        """
