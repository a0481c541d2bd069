"""What towing businesses need from outside."""

from abc import abstractmethod
from typing import Protocol

from repaircore.businesses.model import Business
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.intake import ImportJournal
from repaircore.providers.ports import Providers

__all__ = ["BusinessesWork"]


class BusinessesWork(Protocol):
    """The part of a unit of work that towing businesses need."""

    @property
    @abstractmethod
    def businesses(self) -> Providers[Business]:
        """The kept towing businesses."""

    @property
    @abstractmethod
    def imports(self) -> ImportJournal:
        """How far files are taken over."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""
