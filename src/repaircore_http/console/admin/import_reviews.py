"""Lines of imported files whose repair is uncertain: a decision applies to all lines with the same text."""

from typing import Any

from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import Invalid
from repaircore_http.console.forms import form, form_if_any
from repaircore_http.console.lists import read_list
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.paging import PER_PAGE, PageQuery
from repaircore_http.console.repairs import found_repairs
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

import_reviews = Pages("import_reviews", auth=Auth.ADMIN)

_NONE = "none"


@import_reviews.get("/admin/import/review")
def index() -> ResponseReturnValue:
    """List the texts of lines that wait for a decision, those with the most lines first."""
    return _list(read_list(PageQuery)[0].page)


def again() -> ResponseReturnValue:
    """List the texts of lines again, with the error of a rejected decision."""
    return _list(1)


@import_reviews.post("/admin/import/review", again=again)
def decide() -> ResponseReturnValue:
    """Import the lines with a text as a repair, or skip them; if no repair was chosen, search for repairs."""
    sent, reviews, known = form(), core().invoice_reviews, caller()
    text, repair = sent.text("text"), sent.text("repair")
    if not repair:
        if not sent.text("words").strip():
            raise Invalid({"words": ["Choose a repair, or type its name."]})
        return _list(_page_number(), searched={text: found_repairs(sent.text("words"))})
    if repair == _NONE:
        reviews.skip(text, known)
        return _next()
    decided = reviews.accept(text, repair, known)
    return _list(_page_number(), decided=decided) if decided.rejected else _next()


def _next() -> Response:
    return go("import_reviews.index", page=_page_number(), done="text-decided")


def _page_number() -> int:
    text = form().text("page")
    return int(text) if text.isascii() and text.isdecimal() and 0 < len(text) < 4 else 1  # noqa: PLR2004


def _list(number: int, **values: Any) -> str:
    reviews, known = core().invoice_reviews, caller()
    found = reviews.list_waiting(known, limit=PER_PAGE + 1, start=(number - 1) * PER_PAGE)
    if not found.texts and number > 1:
        number, found = 1, reviews.list_waiting(known, limit=PER_PAGE + 1)
    sent = form_if_any()
    return show(
        "admin/import_review.html",
        texts=found.texts[:PER_PAGE],
        lines=found.lines,
        number=number,
        has_more=len(found.texts) > PER_PAGE,
        typed_for=None if sent is None else sent.text("text"),
        **{"searched": {}, "decided": None, **values},
    )
