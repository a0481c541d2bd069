"""Visits: estimate several repairs of one vehicle together, send the estimate, and invoice the approved lines."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.documents.actuals import InvoiceVisit
from repaircore.documents.links import is_answerable
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import sort_by
from repaircore.kernel.rules import Length
from repaircore.messages.model import Channel
from repaircore.pricing.model import PartsTier
from repaircore.structuring import structure
from repaircore.visits.lifecycle import Action, Status
from repaircore.visits.model import MOST_LINES, Visit
from repaircore.visits.requests import CreateVisit, UpdateVisit
from repaircore.visits.views import VisitSummaryView
from repaircore_http.console import invoice_form, visit_form
from repaircore_http.console.charts import amounts_bar
from repaircore_http.console.forms import form, form_if_any
from repaircore_http.console.lists import ListQuery, filters_of, read_list, sort_links
from repaircore_http.console.pages import Pages, error_reply, go, show
from repaircore_http.console.printing import pdf_reply
from repaircore_http.console.visit_conflict import differences
from repaircore_http.console.visit_form import FORM_BYTES, FORM_FIELDS, VisitForm
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query_params
from repaircore_http.listing import csv_reply

visits = Pages("visits", auth=Auth.SESSION)

STATUSES: Final = {
    Status.DRAFT: "Draft",
    Status.SENT: "Sent",
    Status.APPROVED: "Approved",
    Status.PARTLY_APPROVED: "Partly approved",
    Status.DECLINED: "Declined",
    Status.IN_PROGRESS: "In progress",
    Status.INVOICED: "Invoiced",
    Status.CANCELLED: "Canceled",
}
"""The labels of visit statuses."""

_STEPS: Final = {
    "create": "Created",
    "update": "Changed",
    "send": "Sent",
    "revoke_link": "Link revoked",
    "answer": "Customer answered",
    "approve": "Approved",
    "approve_partly": "Partly approved",
    "decline": "Declined",
    "begin": "Work started",
    "invoice": "Invoiced",
    "cancel": "Canceled",
    "reopen": "Reopened",
}
_ACTIONS: Final = frozenset({Action.BEGIN, Action.CANCEL, Action.REOPEN})
_DONE: Final = {
    Action.BEGIN: "work-started",
    Action.CANCEL: "visit-cancelled",
    Action.REOPEN: "visit-reopened",
}


@frozen(kw_only=True)
class ListVisits(ListQuery):
    """Filters, sort order and page for the list of visits."""

    sort: Annotated[str, sort_by("created_at", "customer_name", "vehicle", "total", "valid_until")] = ""
    search: Annotated[str, Length(0, 200)] | None = None
    status: Status | None = None


_SORTS: Final = {
    "customer_name": "Customer",
    "vehicle": "Vehicle",
    "-total": "Total",
    "valid_until": "Valid until",
    "-created_at": "Created",
}


def unfiltered() -> ResponseReturnValue:
    """List all visits if the filter is invalid; the field keeps what was typed."""
    return _list(ListVisits(), read_query_params(ListVisits), query={})


@visits.get("/visits", again=unfiltered)
def index() -> ResponseReturnValue:
    """List the visits, newest first."""
    wanted, query = read_list(ListVisits)
    return _list(wanted, query, query=query)


@visits.get("/visits.csv")
def download() -> Response:
    """Download the visits that the filters select, as CSV."""
    wanted, _ = read_list(ListVisits)
    stored, known = core().visits, caller()
    return csv_reply(
        wanted.sort,
        lambda request: stored.page(known, status=wanted.status, search=wanted.search, request=request),
        VisitSummaryView,
        VisitSummaryView.of,
        name="visits",
    )


def _list(wanted: ListVisits, typed: Mapping[str, Any], *, query: Mapping[str, Any]) -> str:
    return show(
        "visits/list.html",
        page=core().visits.page(
            caller(), status=wanted.status, search=wanted.search, request=wanted.request()
        ),
        sorts=sort_links(_SORTS, wanted.sort, usual="-created_at"),
        statuses=STATUSES,
        fields=filters_of(("search", "status"), typed),
        query=query,
    )


# New and changed visits


@visits.get("/visits/new")
def new() -> ResponseReturnValue:
    """Show an empty form, or the one that was sent, with its errors."""
    return _show_form(
        visit_form.form_from_address() if form_if_any() is None else visit_form.read_form(), None
    )


@visits.post("/visits/new", again=new, form_bytes=FORM_BYTES, form_fields=FORM_FIELDS)
def create() -> ResponseReturnValue:
    """Store a visit, or show the form again if the button only changes its lines."""
    shown = visit_form.read_form()
    if _is_unfinished(shown):
        return _show_form(shown, None)
    data = visit_form.visit_in(shown)
    with visit_form.errors_in_words():
        visit = core().visits.create(core().visits.parse(data, CreateVisit), caller())
    return go("visits.detail", number=visit.number, done="visit-saved")


@visits.get("/visits/<number>/edit")
def edit(number: str) -> ResponseReturnValue:
    """Show a visit in the form, or the form that was sent, with its errors."""
    visit = core().visits.get(number, caller())
    shown = visit_form.form_of(visit) if form_if_any() is None else visit_form.read_form()
    return _show_form(shown.fitting(visit) if _is_conflict() else shown, visit)


@visits.post("/visits/<number>/edit", again=edit, form_bytes=FORM_BYTES, form_fields=FORM_FIELDS)
def update(number: str) -> ResponseReturnValue:
    """Change a visit, or show the form again if the button only changes its lines."""
    shown = visit_form.read_form()
    if _is_unfinished(shown):
        return _show_form(shown, core().visits.get(number, caller()))
    data = {**visit_form.visit_in(shown), "version": _version()}
    with visit_form.errors_in_words():
        core().visits.update(number, core().visits.parse(data, UpdateVisit), caller())
    return go("visits.detail", number=number, done="visit-saved")


def _is_unfinished(shown: VisitForm) -> bool:
    """Return whether the button only changes the form, or words in it were not turned into a line."""
    return visit_form.is_step() or visit_form.is_incomplete(shown)


def _is_conflict() -> bool:
    """Return whether the form was rejected because of a conflict: another request has changed the visit."""
    reply = error_reply()
    return reply is not None and reply.status == _CONFLICT


def _show_form(shown: VisitForm, visit: Visit | None) -> str:
    is_taxed = _is_taxed(visit)
    is_stale = visit is not None and _is_conflict()
    return show(
        "visits/form.html",
        visit=visit,
        shown=shown,
        texts=_new_texts() if visit is None else visit_form.texts_of(visit),
        is_taxed=is_taxed,
        is_forced=visit is not None and visit.estimate.force,
        most_lines=MOST_LINES,
        repairs=core().problems.list_all(),
        version=_shown_version(visit),
        is_conflict=is_stale,
        conflict=error_reply(),
        differences=differences(shown, visit, is_taxed=is_taxed) if visit is not None and is_stale else (),
        statuses=STATUSES,
        tiers=_TIERS,
        kinds=_KINDS,
    )


def _new_texts() -> dict[str, str]:
    """Return the text of the fields that are filled in for a new visit, from the shop and the query string."""
    served = core()
    shop = served.shops.find(caller())
    return {
        "zip_code": (shop.zip_code or "") if shop else "",
        "valid_until": served.visits.default_valid_until(caller()).isoformat(),
        **visit_form.texts_from_address(),
    }


_CONFLICT: Final = 409
_TIERS: Final = (("", "Usual parts"), *((tier.value, tier.label) for tier in PartsTier))
_KINDS: Final = (("fee", "Fee"), ("part", "Part"), ("labor", "Labor"))


def _is_taxed(visit: Visit | None) -> bool:
    sent = form_if_any()
    if sent is not None:
        return sent.text("no_sales_tax") != "true"
    return visit is None or visit.estimate.charges.taxed


def _shown_version(visit: Visit | None) -> int:
    """Return the version that the form is based on; after a conflict, the newest one, which the page shows."""
    if visit is None:
        return 0
    return visit.version if form_if_any() is None or _is_conflict() else _version()


def _version() -> int:
    return form().version or 0


# One visit


@visits.get("/visits/<number>")
def detail(number: str) -> ResponseReturnValue:
    """Show a visit: its estimate, what the customer answered, and what can be done with it."""
    served = core()
    visit = served.visits.get(number, caller())
    totals = visit.estimate.totals
    return show(
        "visits/detail.html",
        visit=visit,
        document=served.documents.get(number, caller()),
        totals=totals,
        approved_total=served.documents.approved_total(visit),
        bar=amounts_bar(totals.low, totals.total, totals.high),
        statuses=STATUSES,
        steps=served.visits.timeline(visit),
        step_names=_STEPS,
        link=served.documents.link(number, caller()),
        shop=served.shops.find(caller()),
        can_mail=Channel.EMAIL in served.messages.channels,
        renders=served.documents.renders,
        allowed={action.value for action in visit.allowed_actions},
        invoice_lines=invoice_form.lines_of(visit) if Action.INVOICE in visit.allowed_actions else (),
        is_invoice_rejected=invoice_form.is_rejected(),
        is_expired=visit.is_expired(served.clock().date()),
        is_answerable=is_answerable(visit),
    )


@visits.get("/visits/<number>/print")
def print_view(number: str) -> ResponseReturnValue:
    """Show the document of a visit, for the browser to print."""
    served = core()
    shop = served.shops.find(caller())
    return show(
        "visits/print.html",
        document=served.documents.get(number, caller()),
        has_logo=shop is not None and shop.has_logo,
        number=number,
    )


@visits.get("/visits/<number>/pdf")
def pdf(number: str) -> Response:
    """Return the document of a visit as a PDF."""
    return pdf_reply(number, core().documents.pdf(number, caller()))


@visits.post("/visits/<number>/send", again=detail)
def send(number: str) -> Response:
    """Share the visit through a link, and mail it if that was chosen."""
    by_mail = form().text("by_mail") == "true"
    sent = core().documents.send(number, caller(), version=_version(), by_mail=by_mail)
    return go("visits.detail", number=number, done="visit-mailed" if sent.is_mailed else "visit-sent")


@visits.post("/visits/<number>/revoke", again=detail)
def revoke(number: str) -> Response:
    """End the link."""
    core().documents.revoke(number, caller())
    return go("visits.detail", number=number, done="link-ended")


@visits.post("/visits/<number>/act", again=detail)
def act(number: str) -> Response:
    """Start the work, cancel the visit, or reopen it."""
    action = _chosen_action()
    core().visits.act(number, action, caller(), version=_version())
    return go("visits.detail", number=number, done=_DONE[action])


@visits.post("/visits/<number>/approve", again=detail)
def approve(number: str) -> Response:
    """Approve every line on behalf of a customer who agreed on the phone or in person."""
    core().documents.approve(number, caller(), version=_version(), name=form().text("name"))
    return go("visits.detail", number=number, done="visit-approved")


@visits.post("/visits/<number>/invoice", again=detail, form_bytes=FORM_BYTES)
def invoice(number: str) -> Response:
    """Create the invoice for the approved lines, with the figures that differ from the estimate."""
    visit = core().visits.get(number, caller())
    try:
        data = structure(InvoiceVisit, invoice_form.invoice_in_form(_version()))
        core().visit_invoices.invoice(number, caller(), version=data.version, lines=data.lines)
    except Invalid as error:
        raise invoice_form.in_words(error, visit) from None
    return go("visits.detail", number=number, done="visit-invoiced")


@visits.post("/visits/<number>/delete", again=detail)
def delete(number: str) -> Response:
    """Delete a draft, or a visit that was sent, declined or canceled."""
    core().visits.delete(number, caller(), version=_version())
    return go("visits.index", done="visit-deleted")


@visits.get("/visits/<number>/send")
@visits.get("/visits/<number>/revoke")
@visits.get("/visits/<number>/act")
@visits.get("/visits/<number>/approve")
@visits.get("/visits/<number>/invoice")
@visits.get("/visits/<number>/delete")
def after_acting(number: str) -> Response:
    """Redirect to the visit when a browser opens this POST address with GET."""
    return go("visits.detail", number=number)


def _chosen_action() -> Action:
    text = form().text("action")
    if text not in _ACTIONS:
        raise Invalid({"action": ["Choose what to do."]})
    return Action(text)
