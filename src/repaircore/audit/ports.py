"""Ports of the audit log."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from repaircore.kernel.audit import AuditLog


class AuditWork(Protocol):
    """The part of a unit of work that the audit needs."""

    @property
    def audit(self) -> AuditLog:
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[AuditWork]]
"""Open a unit of work that only reads."""
