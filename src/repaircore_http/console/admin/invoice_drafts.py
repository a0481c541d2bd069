"""Invoice drafts: upload an invoice, correct its draft in a form, and record it."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from attrs import frozen
from flask import Response, g
from flask.typing import ResponseReturnValue

from repaircore.invoice_drafts.model import DraftStatus, InvoiceDraft
from repaircore.invoice_drafts.requests import RecordInvoiceDraft, UpdateInvoiceDraft
from repaircore.invoice_drafts.sums import sums_that_differ
from repaircore.invoice_drafts.views import InvoiceDraftSummaryView
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import sort_by
from repaircore.kernel.rules import Length
from repaircore.structuring import structure
from repaircore.text_extraction.service import MAX_DOCUMENT_BYTES, document_too_large
from repaircore_http.console import draft_form
from repaircore_http.console.forms import FileField, form, form_if_any
from repaircore_http.console.lists import ListQuery, filters_of, links_of, read_list, sort_links
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query_params
from repaircore_http.listing import csv_reply

invoice_drafts = Pages("invoice_drafts", auth=Auth.ADMIN)

STATUSES: Final = {DraftStatus.DRAFT: "To correct", DraftStatus.RECORDED: "Recorded"}
_COLUMNS: Final = {
    "shop_name": "Shop",
    "vehicle": "Vehicle",
    "-performed_on": "Date",
    "-total": "Total",
    "-created_at": "Added",
}
_UPLOAD: Final = FileField(field="file", max_bytes=MAX_DOCUMENT_BYTES, too_large=document_too_large)


@frozen(kw_only=True)
class ListDrafts(ListQuery):
    """Filters, sort order and page for the list of drafts."""

    sort: Annotated[
        str, sort_by("created_at", "updated_at", "performed_on", "shop_name", "vehicle", "total")
    ] = ""
    status: DraftStatus | None = None
    search: Annotated[str, Length(0, 100)] | None = None


def unfiltered() -> ResponseReturnValue:
    """List all drafts if the filter is invalid or the file was rejected."""
    typed = read_query_params(ListDrafts) if form_if_any() is None else {}
    return _list(ListDrafts(), typed, query={})


@invoice_drafts.get("/admin/invoices", again=unfiltered)
def index() -> ResponseReturnValue:
    """List drafts, newest first."""
    wanted, query = read_list(ListDrafts)
    return _list(wanted, query, query=query)


@invoice_drafts.get("/admin/invoices.csv")
def download() -> Response:
    """Download the drafts that the filters select, as CSV."""
    wanted, _ = read_list(ListDrafts)
    drafts, known = core().invoice_drafts, caller()
    return csv_reply(
        wanted.sort,
        lambda request: drafts.page(known, status=wanted.status, search=wanted.search, request=request),
        InvoiceDraftSummaryView,
        InvoiceDraftSummaryView.of,
        name="invoice-drafts",
    )


@invoice_drafts.post("/admin/invoices", again=unfiltered, upload=_UPLOAD)
def create() -> Response:
    """Read an invoice from a photo or PDF."""
    content = form().file
    if content is None:
        raise Invalid({"file": ["Choose a file first."]})
    draft = core().invoice_drafts.create(content, name="", caller=caller())
    return go("invoice_drafts.detail", number=draft.number)


@invoice_drafts.get("/admin/invoices/<number>")
def detail(number: str) -> ResponseReturnValue:
    """Show a draft in its form."""
    return _page(core().invoice_drafts.get(number, caller()))


def again(number: str) -> ResponseReturnValue:
    """Show the form again, as it was sent."""
    return detail(number)


@invoice_drafts.post(
    "/admin/invoices/<number>",
    again=again,
    form_bytes=draft_form.FORM_BYTES,
    form_fields=draft_form.FORM_FIELDS,
)
def update(number: str) -> ResponseReturnValue:
    """Save the corrections, and record the draft if that button was pressed, or only add a line to the form."""
    drafts, known, step = core().invoice_drafts, caller(), form().text("step")
    draft = drafts.get(number, known)
    if step == "add":
        return _page(draft, more=1)
    try:
        data = structure(UpdateInvoiceDraft, draft_form.draft_in_form(_book()))
        saved = drafts.update(number, data, known)
        setattr(g, _SAVED, saved.version)
        if step == "record":
            accept = form().text("accept_difference") == "true"
            drafts.record(number, RecordInvoiceDraft(version=saved.version, accept_difference=accept), known)
    except Invalid as error:
        raise draft_form.in_words(error) from None
    return go(
        "invoice_drafts.detail", number=number, done="draft-recorded" if step == "record" else "draft-saved"
    )


@invoice_drafts.post("/admin/invoices/<number>/delete", again=again)
def delete(number: str) -> Response:
    """Delete a draft."""
    core().invoice_drafts.delete(number, caller())
    return go("invoice_drafts.index", done="draft-deleted")


def _book() -> draft_form.Book:
    return draft_form.Book(core().problems.list_all())


def _page(draft: InvoiceDraft, *, more: int = 0) -> str:
    book = _book()
    return show(
        "admin/invoice_draft.html",
        draft=draft,
        version=_version(draft),
        texts=draft_form.texts_of(draft.invoice),
        lines=draft_form.lines_of(draft, book, more=more),
        book=book,
        kinds=draft_form.KINDS,
        kind_names=dict(draft_form.KINDS),
        differences=sums_that_differ(draft.invoice),
        is_recorded=draft.status is DraftStatus.RECORDED,
        labels={**draft_form.HEADING, **draft_form.SUMS},
        regions=[region for region in [_region(draft)] if region is not None],
    )


def _version(draft: InvoiceDraft) -> int:
    """Return the version that the form is based on: the one this request saved, the submitted one, or else the stored one.

    A form that was rejected keeps its version, so that saving it again does not replace a change made in between.
    """
    sent = form_if_any()
    return g.get(_SAVED) or (None if sent is None else sent.version) or draft.version


_SAVED: Final = "saved_draft_version"


def _region(draft: InvoiceDraft) -> Any:
    found = draft.invoice.facility_id
    return None if found is None else core().facilities.get(found)


def _list(wanted: ListDrafts, typed: Mapping[str, Any], *, query: Mapping[str, Any]) -> str:
    page = core().invoice_drafts.page(
        caller(), status=wanted.status, search=wanted.search, request=wanted.request()
    )
    return show(
        "admin/invoice_drafts.html",
        page=page,
        sorts=sort_links(_COLUMNS, wanted.sort, usual="-created_at"),
        statuses=STATUSES,
        fields=filters_of(("search", "status"), typed),
        query=links_of(query),
    )
