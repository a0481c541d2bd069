"""Actions on a visit: send it, answer for its customer, begin the work, invoice it, and cancel it."""

from functools import partial

from flask import Response

from repaircore.documents.actuals import InvoiceVisit
from repaircore.documents.answers import AnswerVisit
from repaircore.documents.views import SentVisitView
from repaircore.kernel.errors import Conflict, NotFound, Unresolvable
from repaircore.visits.lifecycle import Action
from repaircore.visits.model import Visit
from repaircore.visits.requests import ActOnVisit, SendVisit
from repaircore.visits.views import VisitView
from repaircore_http.core import core
from repaircore_http.envelopes import DataWithMessage, Message
from repaircore_http.errors import versioned
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import RawResponse, Routes

visit_actions = Routes(
    "visit_actions", url_prefix="/api/v1/visits/<number>", auth=Auth.SECRET, dialect=versioned, tag="visits"
)


@visit_actions.post(
    "/send", accepts=SendVisit, returns=DataWithMessage[SentVisitView], raises=(NotFound, Conflict)
)
def send(number: str) -> Response:
    """Share a visit through a link, and optionally e-mail it to the customer."""
    served, known = core(), caller()
    served.visits.get(number, known)  # 404 before 422
    data = read_body(SendVisit)
    sent = served.documents.send(number, known, version=data.version, by_mail=data.by_mail)
    message = "The estimate is on its way." if sent.is_mailed else "The estimate now has a link."
    return reply(
        DataWithMessage(message=message, data=SentVisitView.of(sent, served.visits.timeline(sent.visit)))
    )


@visit_actions.delete("/link", returns=Message, raises=(NotFound,))
def revoke(number: str) -> Response:
    """Revoke the link to a visit; sending the visit again creates a new one."""
    core().documents.revoke(number, caller())
    return reply(Message(message="The link no longer works."))


@visit_actions.post(
    "/answers", accepts=AnswerVisit, returns=DataWithMessage[VisitView], raises=(NotFound, Conflict)
)
def answer(number: str) -> Response:
    """Record what the customer answered on the phone or in person, line by line.

    Lines that are left out keep their answer, and a question (`asked`) needs a `note`. Answers that are already stored
    change nothing.
    """
    served, known = core(), caller()
    served.visits.get(number, known)  # 404 before 422
    data = read_body(AnswerVisit, validate=partial(served.documents.validate_answers, number, known))
    return _done(served.documents.answer(number, data, known), "The answers were saved.")


@visit_actions.post(
    "/begin", accepts=ActOnVisit, returns=DataWithMessage[VisitView], raises=(NotFound, Conflict)
)
def begin(number: str) -> Response:
    """Begin the work; the customer can no longer change the answers."""
    return _act(number, Action.BEGIN, "The work has begun.")


@visit_actions.post(
    "/invoice", accepts=InvoiceVisit, returns=DataWithMessage[VisitView], raises=(NotFound, Conflict)
)
def invoice(number: str) -> Response:
    """Create the invoice for what was approved; `lines` are those that took different hours or parts.

    A visit that is already invoiced with the same figures is returned unchanged.
    """
    served, known = core(), caller()
    served.visits.get(number, known)  # 404 before 422
    data = read_body(InvoiceVisit, validate=partial(served.visit_invoices.validate, number, known))
    invoiced = served.visit_invoices.invoice(number, known, version=data.version, lines=data.lines)
    return _done(invoiced, f"Visit {invoiced.number} is invoiced.")


@visit_actions.post(
    "/cancel", accepts=ActOnVisit, returns=DataWithMessage[VisitView], raises=(NotFound, Conflict)
)
def cancel(number: str) -> Response:
    """Cancel a visit; its link stops working."""
    return _act(number, Action.CANCEL, f"Visit {number} is canceled.")


@visit_actions.post(
    "/reopen", accepts=ActOnVisit, returns=DataWithMessage[VisitView], raises=(NotFound, Conflict)
)
def reopen(number: str) -> Response:
    """Make a canceled visit a draft again."""
    return _act(number, Action.REOPEN, f"Visit {number} is a draft again.")


@visit_actions.get(
    "/pdf",
    safe=True,
    returns=RawResponse(media_type="application/pdf", description="The estimate or invoice on US Letter."),
    raises=(NotFound, Unresolvable),
)
def pdf(number: str) -> Response:
    """Return the estimate or invoice of a visit as a PDF, with its customer and VIN."""
    return Response(core().documents.pdf(number, caller()), content_type="application/pdf")


def _act(number: str, action: Action, message: str) -> Response:
    served, known = core(), caller()
    served.visits.get(number, known)  # 404 before 422
    return _done(served.visits.act(number, action, known, version=read_body(ActOnVisit).version), message)


def _done(visit: Visit, message: str) -> Response:
    view = VisitView.of_visit(visit, core().visits.timeline(visit))
    return reply(DataWithMessage(message=message, data=view))
