"""Invoice drafts: read an invoice from a photo or PDF, correct its draft, and record it once."""

from typing import Annotated, Final

from attrs import frozen
from flask import Response

from repaircore.invoice_drafts.model import DraftStatus, InvoiceDraft
from repaircore.invoice_drafts.requests import RecordInvoiceDraft, UpdateInvoiceDraft
from repaircore.invoice_drafts.views import (
    DeletedInvoiceDraftView,
    InvoiceDraftSummaryView,
    InvoiceDraftView,
)
from repaircore.kernel.errors import Conflict, Invalid, NotFound, TooMany, Unresolvable
from repaircore.kernel.paging import sort_by
from repaircore.kernel.rules import Length
from repaircore.text_extraction.service import MAX_DOCUMENT_BYTES, document_too_large
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage
from repaircore_http.errors import versioned
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, read_query, reply
from repaircore_http.listing import ListPage, ListQuery, reply_list
from repaircore_http.routes import FormFile, Routes
from repaircore_http.uploads import FORM_OVERHEAD, uploaded_named_file

invoice_drafts = Routes(
    "admin_invoice_drafts",
    url_prefix="/api/v1/admin/invoice-drafts",
    auth=Auth.ADMIN,
    dialect=versioned,
    tag="admin transactions",
)

_DOCUMENT: Final = FormFile(field="file", media_types="application/pdf, image/jpeg, image/png, image/webp")


@frozen(kw_only=True)
class ListInvoiceDrafts(ListQuery):
    """Filters, sort order and page for the list of drafts; ``search`` matches numbers, shops, VINs and vehicles."""

    sort: Annotated[
        str, sort_by("created_at", "updated_at", "performed_on", "shop_name", "vehicle", "total")
    ] = ""
    status: DraftStatus | None = None
    search: Annotated[str, Length(0, 100)] | None = None


@invoice_drafts.get("", safe=True, query=ListInvoiceDrafts, returns=ListPage[InvoiceDraftSummaryView])
def index() -> Response:
    """List the drafts of the caller's account, newest first."""
    query, drafts, known = read_query(ListInvoiceDrafts), core().invoice_drafts, caller()
    return reply_list(
        query,
        lambda request: drafts.page(known, status=query.status, search=query.search, request=request),
        InvoiceDraftSummaryView,
        InvoiceDraftSummaryView.of,
        name="invoice-drafts",
    )


@invoice_drafts.post(
    "",
    max_bytes=MAX_DOCUMENT_BYTES + FORM_OVERHEAD,
    file=_DOCUMENT,
    returns=DataWithMessage[InvoiceDraftView],
    status=201,
    raises=(Unresolvable, TooMany),
)
def create() -> Response:
    """Read an invoice from a photo or PDF into a draft; the file is not stored.

    Uploading the same file again returns the existing draft.
    """
    with uploaded_named_file("file", max_bytes=MAX_DOCUMENT_BYTES, too_large=document_too_large) as (
        file,
        name,
    ):
        draft = core().invoice_drafts.create(file, name=name, caller=caller())
    return reply(DataWithMessage(message=f"Draft {draft.number} was saved.", data=_view(draft)), 201)


@invoice_drafts.get("/<number>", safe=True, returns=Data[InvoiceDraftView], raises=(NotFound,))
def show(number: str) -> Response:
    """Show a draft, with its doubtful fields and the totals that do not add up."""
    return reply(Data(data=_view(core().invoice_drafts.get(number, caller()))))


@invoice_drafts.put(
    "/<number>",
    accepts=UpdateInvoiceDraft,
    returns=DataWithMessage[InvoiceDraftView],
    raises=(NotFound, Conflict),
)
def update(number: str) -> Response:
    """Replace a draft with its corrected version, which clears all doubts."""
    served, known = core(), caller()
    served.invoice_drafts.get(number, known)  # 404 before 422
    draft = served.invoice_drafts.update(number, read_body(UpdateInvoiceDraft), known)
    return reply(DataWithMessage(message=f"Draft {draft.number} was updated.", data=_view(draft)))


@invoice_drafts.post(
    "/<number>/record",
    accepts=RecordInvoiceDraft,
    returns=DataWithMessage[InvoiceDraftView],
    raises=(NotFound, Conflict, Invalid),
)
def record(number: str) -> Response:
    """Record a transaction for each repair of a draft, exactly once, without fees and taxes."""
    served, known = core(), caller()
    served.invoice_drafts.get(number, known)  # 404 before 422
    draft = served.invoice_drafts.record(number, read_body(RecordInvoiceDraft), known)
    count = len(draft.transactions)
    message = f"{count} transaction{'' if count == 1 else 's'} recorded."
    return reply(DataWithMessage(message=message, data=_view(draft)))


@invoice_drafts.delete(
    "/<number>", returns=DataWithMessage[DeletedInvoiceDraftView], raises=(NotFound, Conflict)
)
def delete(number: str) -> Response:
    """Delete a draft; transactions recorded from it are kept."""
    deleted = core().invoice_drafts.delete(number, caller())
    data = DeletedInvoiceDraftView(number=deleted.number)
    return reply(DataWithMessage(message=f"Draft {deleted.number} was deleted.", data=data))


def _view(draft: InvoiceDraft) -> InvoiceDraftView:
    return InvoiceDraftView.of(draft, core().problems.find)
