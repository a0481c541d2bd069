"""A shared estimate: what a customer sees and answers through its link, without an account or scripts."""

from typing import Final

from flask import Response, request
from flask.typing import ResponseReturnValue

from repaircore.documents.answers import AnswerVisit, LineAnswer
from repaircore.documents.approvals import SharedVisit
from repaircore.documents.links import PATH
from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import FieldErrors
from repaircore.visits.model import Choice
from repaircore_http.console.forms import form, form_if_any
from repaircore_http.console.pages import Pages, error_reply, show, to
from repaircore_http.console.printing import pdf_reply
from repaircore_http.console.public.access import count_visitor, unlisted
from repaircore_http.core import core
from repaircore_http.guards import Auth

shared_visits = Pages("shared_visits", auth=Auth.OPTIONAL, prefix="")
"""These pages are not among the public ones that a setting closes: anyone who has a link was invited."""

_ALL: Final = "all"
_LARGEST_FORM: Final = 512 * 1024
_DIGITS: Final = 12


@shared_visits.get(f"{PATH}<token>")
def index(token: str) -> ResponseReturnValue:
    """Show the estimate, with the form for the customer's answers."""
    shared = core().approvals.open(token)
    page = show(
        "public/shared_visit.html",
        token=token,
        shared=shared,
        document=shared.document,
        is_invoice=shared.is_invoice,
        name=next((decision.name for decision in reversed([*shared.decisions.values()])), ""),
        choices=_CHOICES,
        renders=core().documents.renders,
        errors=_line_errors(shared),
        is_sent=request.args.get("done") == "answered" and error_reply() is None,
    )
    return unlisted(page)


@shared_visits.get(f"{PATH}<token>/logo")
def logo(token: str) -> Response:
    """Return the shop's logo."""
    return unlisted(Response(core().approvals.logo(token).png, content_type="image/png"))


@shared_visits.get(f"{PATH}<token>/pdf")
def pdf(token: str) -> Response:
    """Return the estimate as a PDF."""
    count_visitor()
    return unlisted(pdf_reply(core().approvals.open(token).document.number, core().approvals.pdf(token)))


@shared_visits.post(f"{PATH}<token>", again=index, form_bytes=_LARGEST_FORM)
def answer(token: str) -> Response:
    """Store the customer's answers."""
    count_visitor()
    shared = core().approvals.open(token)
    core().approvals.answer(token, _answers(shared))
    return to(f"{PATH}{token}?done=answered")


_CHOICES: Final = (
    (Choice.APPROVED, "Approve"),
    (Choice.DECLINED, "Decline"),
    (Choice.ASKED, "Ask"),
)


def _answers(shared: SharedVisit) -> AnswerVisit:
    """Return the answers in the form; one button approves every line."""
    sent = form()
    chosen = Choice.APPROVED if sent.text(_ALL) == Choice.APPROVED else None
    answers = [
        LineAnswer(
            line=int(line.key),
            choice=chosen or Choice(sent.text(f"line-{line.key}")),
            note=sent.text(f"note-{line.key}") or None,
        )
        for line in shared.document.lines
        if chosen is not None or sent.text(f"line-{line.key}") in _VALUES
    ]
    if not answers:
        raise Invalid({"answers": ["Approve or decline at least one line, or ask a question."]})
    return AnswerVisit(name=sent.text("name"), version=_version(sent.text("version")), answers=tuple(answers))


_VALUES: Final = frozenset(choice.value for choice in Choice)


def _line_errors(shared: SharedVisit) -> FieldErrors:
    """Return the errors of the answers, keyed by line."""
    reply, sent = error_reply(), form_if_any()
    if reply is None or reply.fields is None or sent is None:
        return {}
    answered = [line.key for line in shared.document.lines if sent.text(f"line-{line.key}") in _VALUES]
    found: FieldErrors = {}
    for name, texts in reply.fields.items():
        place = name.split(".")[1] if name.startswith("answers.") else ""
        if place.isdecimal() and int(place) < len(answered):
            found.setdefault(answered[int(place)], []).extend(texts)
    return found


def _version(text: str) -> int:
    is_number = text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    return int(text) if is_number else 0
