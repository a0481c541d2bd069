"""Shops' quotes: is the price fair?"""

from flask import Response

from repaircore.kernel.errors import NotFound
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore.quotes.quote import CheckQuote
from repaircore.quotes.views import CheckedQuoteView
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_json, reply
from repaircore_http.routes import Routes

quotes = Routes(
    "quotes", url_prefix="/api/v1/predict/quote-check", auth=Auth.KEY, dialect=flagged, tag="predictions"
)


@quotes.post("", accepts=CheckQuote, returns=Data[CheckedQuoteView], raises=(NotFound, ProblemDoesNotFit))
def check() -> Response:
    """Check for each line of a quote, and for the whole, whether the price is fair, and why not."""
    served, known = core(), caller()
    served.limits.count_prediction(known)
    quote = served.quotes.parse(read_json())
    return reply(Data(data=CheckedQuoteView.of(served.quotes.check(quote, known))))
