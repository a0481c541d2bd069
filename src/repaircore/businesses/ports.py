"""What towing businesses need from outside."""

from abc import abstractmethod
from typing import Protocol

from repaircore.businesses.model import Business
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.intake import ImportJournal
from repaircore.providers.ports import Providers

__all__ = ["Businesses", "BusinessesWork"]


class Businesses(Providers[Business], Protocol):
    """The kept towing businesses."""

    @abstractmethod
    def called(self, name: str, environment: Environment) -> Business | None:
        """Give one by its reference or by its number, as either stands in an address, or None."""


class BusinessesWork(Protocol):
    """The part of a unit of work that towing businesses need."""

    @property
    @abstractmethod
    def businesses(self) -> Businesses:
        """The kept towing businesses."""

    @property
    @abstractmethod
    def imports(self) -> ImportJournal:
        """How far files are taken over."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""
