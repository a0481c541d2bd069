"""What reading the audit log needs from outside."""

from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from repaircore.kernel.audit import AuditLog


class AuditWork(Protocol):
    """The part of a unit of work that the audit needs."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """The kept changes."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[AuditWork]]
"""Open a unit of work that only reads."""
