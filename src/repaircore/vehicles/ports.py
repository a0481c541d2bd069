"""What vehicles need from outside."""

from abc import abstractmethod
from typing import Protocol

from repaircore.vehicles.model import Decoded

__all__ = ["ModelNames", "VinDecoder"]


class VinDecoder(Protocol):
    """Someone who knows what the first 11 characters of a VIN mean."""

    @property
    @abstractmethod
    def source(self) -> str:
        """Name the decoder: ``vpic``, ``vpic_remote``, ``structure``."""

    @abstractmethod
    def decode(self, vin: str) -> Decoded | None:
        """Read a VIN of 11 or 17 allowed characters in upper case; None when nothing is known of it.

        The check digit is not judged. An answer always has make, model and year. Safe to be called
        by many threads at once.

        Raises:
            Unavailable: when the decoder is a remote one and does not answer within its deadline, or
                answers nonsense. Nothing else is ever raised.
        """


class ModelNames(Protocol):
    """Someone who knows the models that were made in a year by name."""

    @abstractmethod
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> Decoded | None:
        """Find the vehicle that fits the words best, whatever their case and punctuation.

        None when no such model of this make is known for the year. ``trim`` and ``engine`` only choose
        among the model's variants: the answer's trim is None when none of the known ones is meant.
        Safe to be called by many threads at once.
        """
