"""Ports for invoice drafts."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from attrs import frozen

from repaircore.invoice_drafts.model import DraftStatus, DraftSummary, InvoiceDraft
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page, PageRequest
from repaircore.predictions.ports import PredictionsWork


@frozen(kw_only=True)
class DraftFilter:
    """A filter for drafts; fields that are None match all drafts.

    ``search`` matches numbers, shop names, VINs and vehicles, ignoring case.
    """

    environment: Environment
    owner_id: int | None
    status: DraftStatus | None = None
    search: str | None = None


class InvoiceDraftRecords(Protocol):
    """The stored drafts that have not expired. Those of other owners or environments are never returned."""

    def add(self, draft: InvoiceDraft) -> bool:
        """Store a new draft; return False, storing nothing, if its number is taken."""

    def find(
        self, number: str, *, environment: Environment, owner_id: int | None, now: datetime
    ) -> InvoiceDraft | None:
        """Return the draft with this number, or None if there is none; an ``owner_id`` of None matches any owner."""

    def find_same(
        self, file_hash: bytes, *, environment: Environment, owner_id: int, now: datetime
    ) -> InvoiceDraft | None:
        """Return the latest draft that an owner created from the same file, or None if there is none."""

    def page(self, wanted: DraftFilter, request: PageRequest, *, now: datetime) -> Page[DraftSummary]:
        """Return a page of drafts, newest first unless another order is requested. A page beyond the last is empty."""

    def update(self, old: InvoiceDraft, new: InvoiceDraft) -> InvoiceDraft:
        """Replace a draft, and return it with its new version.

        Only one of several concurrent replacements of a version succeeds; the row is locked until its unit of work
        ends.

        Raises:
            DraftChanged: the stored draft is no longer ``old``.
            DraftNotFound: it was deleted.
        """

    def delete(self, draft: InvoiceDraft) -> None:
        """Delete a draft.

        Raises:
            DraftChanged: the stored draft is no longer this one.
            DraftNotFound: it was deleted already.
        """

    def prune(self, now: datetime) -> int:
        """Delete the drafts that have expired; return how many."""


class DraftsWork(PredictionsWork, Protocol):
    """The part of a unit of work that drafts need, including what transactions need."""

    @property
    def invoice_drafts(self) -> InvoiceDraftRecords:
        """The stored drafts."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[DraftsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
