"""Ports for the audit log."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from repaircore.audit.model import AuditCriteria
from repaircore.kernel.audit import AuditEntry, AuditLog
from repaircore.kernel.paging import Page, PageRequest


class AuditReader(AuditLog, Protocol):
    """The audit log, which can also be listed and searched."""

    def page(self, wanted: AuditCriteria, request: PageRequest) -> Page[AuditEntry]:
        """Return a page of the entries that match, newest first unless another order is requested.

        Raises:
            Invalid: on ``page``, ``per_page``, ``sort`` and ``cursor``.
        """

    def list_matching(
        self, wanted: AuditCriteria, *, limit: int, before_id: int | None = None
    ) -> Sequence[AuditEntry]:
        """List up to ``limit`` matching entries, newest first; if ``before_id`` is given, only those older than it."""

    def list_actions(self) -> Sequence[str]:
        """List the actions that occur, in alphabetical order."""

    def find_author(self, email: str) -> int | None:
        """Return the ID of the user with this case-folded e-mail, or None."""


class AuditWork(Protocol):
    """The part of a unit of work that the audit needs."""

    @property
    def audit(self) -> AuditReader:
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[AuditWork]]
"""Open a unit of work that only reads."""
