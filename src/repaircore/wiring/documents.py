"""Wiring of documents: shops, printed estimates, and the links that share them."""

import os
from typing import TYPE_CHECKING

from repaircore.adapters.crypto.installation import derived
from repaircore.adapters.crypto.link_tokens import HmacLinkTokens
from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.logo import ChildLogoReader
from repaircore.adapters.printing.pdf import PdfRenderer
from repaircore.documents.approvals import Approvals
from repaircore.documents.invoicing import VisitInvoices
from repaircore.documents.service import Documents
from repaircore.shops.service import Shops
from repaircore.visits.events import VisitEvents

if TYPE_CHECKING:
    from repaircore.core import Core

VISITS = "/console/visits/"
"""The path of a shop's visits, below the public URL."""


def shops(core: "Core") -> Shops:
    """Wire the shops of accounts."""
    return Shops(
        transaction=core.storage.transaction,
        read=core.storage.read,
        logos=ChildLogoReader(ImageLimit(core.settings.state)),
        clock=core.clock,
    )


def documents(core: "Core") -> Documents:
    """Wire the printable documents for visits."""
    return Documents(
        transaction=core.storage.transaction,
        read=core.storage.read,
        renderer=PdfRenderer(),
        tokens=_tokens(core),
        random=os.urandom,
        sends_mails=core.settings.mail.is_on,
        public_url=core.settings.public_url,
        events=VisitEvents(new_id=core.new_id),
        clock=core.clock,
    )


def approvals(core: "Core") -> Approvals:
    """Wire customers' approval of visits."""
    return Approvals(
        transaction=core.storage.transaction,
        read=core.storage.read,
        renderer=PdfRenderer(),
        tokens=_tokens(core),
        sends_mails=core.settings.mail.is_on,
        visit_address=core.settings.public_url.rstrip("/") + VISITS,
        events=VisitEvents(new_id=core.new_id),
        clock=core.clock,
    )


def visit_invoices(core: "Core") -> VisitInvoices:
    """Wire the invoices for visits."""
    return VisitInvoices(
        transaction=core.storage.transaction,
        read=core.storage.read,
        predictions=lambda: core.predictions,
        invoices=core.job_invoices,
        events=VisitEvents(new_id=core.new_id),
        clock=core.clock,
    )


def _tokens(core: "Core") -> HmacLinkTokens:
    return HmacLinkTokens(derived(core.secret, "visit links"))
