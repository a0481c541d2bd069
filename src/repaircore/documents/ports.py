"""Ports for documents."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from repaircore.documents.links import Link, SharedKey
from repaircore.documents.model import Document
from repaircore.kernel.callers import Environment
from repaircore.kernel.events import Outbox
from repaircore.kernel.timeline import Timelines
from repaircore.messages.ports import MessageRecords
from repaircore.shops.ports import ShopRecords
from repaircore.transactions.job_invoice import JobBill, JobInvoice
from repaircore.visits.ports import VisitRecords


class DocumentRenderer(Protocol):
    """Renders documents as PDF files."""

    @property
    def is_on(self) -> bool:
        """Whether this installation can render PDF files."""

    def render(self, document: Document) -> bytes:
        """Return a document as a PDF on US Letter paper; the same document always gives the same bytes.

        A visible mark replaces each character that cannot be printed; no text is interpreted as markup.

        Raises:
            Unresolvable: this installation cannot render PDF files.
        """


class LinkRecords(Protocol):
    """The stored links, at most one for each visit. A deleted visit has none."""

    def add(self, link: Link) -> Link:
        """Store a link and return it, or return the visit's existing link if it has one."""

    def find(self, visit_id: int) -> Link | None:
        """Return a visit's link, or None if it has none."""

    def find_visit(self, token_hash: bytes) -> SharedKey | None:
        """Return the visit that is shared by the link whose token has this hash, or None if there is none."""

    def delete(self, visit_id: int) -> None:
        """Delete the link of a visit, if there is one."""


class JobInvoices(Protocol):
    """Records invoices for repairs, and learns from them."""

    def record(
        self, work: Any, invoice: JobInvoice, *, job: str, session_id: UUID | None, environment: Environment
    ) -> JobBill:
        """Store the invoice for a repair, learn from it, and return the bill, within the unit of work that bills it.

        ``job`` is the reference of what is billed; ``session_id`` identifies the prediction for the repair, if any.

        Raises:
            Invalid: with every bad field; nothing is stored.
        """


class DocumentsWork(Protocol):
    """The part of a unit of work that documents need."""

    @property
    def visits(self) -> VisitRecords:
        """The stored visits."""

    @property
    def visit_links(self) -> LinkRecords:
        """The links to visits."""

    @property
    def shops(self) -> ShopRecords:
        """The stored shops."""

    @property
    def timelines(self) -> Timelines:
        """The timelines of records."""

    @property
    def messages(self) -> MessageRecords:
        """The stored messages."""

    @property
    def outbox(self) -> Outbox:
        """The stored events."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[DocumentsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
