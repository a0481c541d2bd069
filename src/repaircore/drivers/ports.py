"""What drivers need from outside."""

from abc import abstractmethod
from typing import Protocol

from repaircore.drivers.model import Driver
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.intake import ImportJournal
from repaircore.providers.ports import Providers

__all__ = ["Drivers", "DriversWork"]


class Drivers(Providers[Driver], Protocol):
    """The kept drivers."""

    @abstractmethod
    def rate(self, driver_id: int, stars: int) -> None:
        """Add a rating, 1 to 5; of several at once none is lost. That each ride rates once is its own to see to."""


class DriversWork(Protocol):
    """The part of a unit of work that drivers need."""

    @property
    @abstractmethod
    def drivers(self) -> Drivers:
        """The kept drivers."""

    @property
    @abstractmethod
    def imports(self) -> ImportJournal:
        """How far files are taken over."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""
