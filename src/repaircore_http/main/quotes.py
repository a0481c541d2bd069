"""Shops' quotes: is the price fair?"""

from typing import Final

from flask import Response, request

from repaircore.kernel.errors import Invalid, NotFound, Unresolvable
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore.quotes.quote import CheckQuote, ReadQuoteText
from repaircore.quotes.views import CheckedQuoteView, ReadQuoteView
from repaircore.text_extraction.service import MAX_DOCUMENT_BYTES, document_too_large
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import parse_input, read_environ_json, read_json, reply
from repaircore_http.routes import MAX_BODY_BYTES, FormFile, Routes
from repaircore_http.uploads import FORM_OVERHEAD, is_form, uploaded_form

_DOCUMENT: Final = FormFile(
    field="file",
    media_types="application/pdf, image/jpeg, image/png, image/webp",
    required=False,
    instead_of="text",
)
_NO_FILE: Final = "The file field must be a file. Send a form (multipart/form-data) instead of JSON."

quotes = Routes(
    "quotes", url_prefix="/api/v1/predict/quote-check", auth=Auth.KEY, dialect=flagged, tag="predictions"
)


@quotes.post("", accepts=CheckQuote, returns=Data[CheckedQuoteView], raises=(NotFound, ProblemDoesNotFit))
def check() -> Response:
    """Check whether a quote is fair, as a whole and line by line, and explain each verdict."""
    served, known = core(), caller()
    served.limits.count_prediction(known)
    quote = served.quotes.parse(read_json())
    return reply(Data(data=CheckedQuoteView.of(served.quotes.check(quote, known))))


@quotes.post(
    "/read",
    max_bytes=MAX_DOCUMENT_BYTES + FORM_OVERHEAD,
    accepts=ReadQuoteText,
    file=_DOCUMENT,
    returns=Data[ReadQuoteView],
    raises=(Unresolvable,),
)
def read() -> Response:
    """Read the lines of a quote from text, a photo or a PDF, for correction; nothing is compared or stored."""
    served, known = core(), caller()
    served.limits.count_prediction(known)
    return reply(Data(data=ReadQuoteView.of(served.quotes.read(_text()))))


def _text() -> str:
    """Return the text in a JSON body or a form, or the text of the document in a form."""
    if not is_form():
        body = read_environ_json(request.environ, MAX_BODY_BYTES)
        if body.get("file") is not None:
            raise Invalid({"file": [_NO_FILE]})
        return parse_input(ReadQuoteText, body).text
    with uploaded_form(
        ("text",), file="file", max_bytes=MAX_DOCUMENT_BYTES, too_large=document_too_large
    ) as (fields, file):
        if file is None:
            return parse_input(ReadQuoteText, fields).text
        if "text" in fields:
            raise Invalid({"file": ["Send either the text or the file, not both."]})
        return core().text_extraction.read_text(file)
