"""Shops' quotes: is the price fair?"""

from typing import Annotated, Any, Final

from attrs import asdict, frozen
from flask import Response

from repaircore.kernel.errors import Invalid, NotFound
from repaircore.kernel.money import cents
from repaircore.kernel.rules import Length
from repaircore.predictions.errors import ProblemDoesNotFit
from repaircore.quotes.comparison import MOST_LINES, Quote, QuoteLine
from repaircore.quotes.views import checked_as_wire
from repaircore.structuring import structure_partially
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_json, reply
from repaircore_http.routes import Routes
from repaircore_http.told.predictions import QuoteChecked

_MONEY: Final = frozenset({"total", "parts_total", "labor_rate"})

quotes = Routes(
    "quotes", url_prefix="/api/v1/predict/quote-check", auth=Auth.KEY, dialect=flagged, tag="predictions"
)


@frozen(kw_only=True)
class QuoteLineInput:
    """A line of the quote; money in dollars."""

    total: float
    problem_identifier: str | None = None
    description: str | None = None
    parts_total: float | None = None
    labor_hours: float | None = None
    labor_rate: float | None = None


@frozen(kw_only=True)
class CheckQuote:
    """A quote on the vehicle with a VIN, in a place."""

    vin: str
    zip_code: str
    lines: Annotated[tuple[QuoteLineInput, ...], Length(1, MOST_LINES)]
    force: bool = False


@quotes.post("", accepts=CheckQuote, returns=Data[QuoteChecked], raises=(NotFound, ProblemDoesNotFit))
def check() -> Response:
    """Say for each line of a quote, and for the whole, whether the price is fair, and why not."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    checked = served.quotes.check(_asked(read_json()), known)
    return reply({"success": True, "data": checked_as_wire(checked)})


def _asked(body: dict[str, Any]) -> Quote:
    """Read the quote; when some values are of the wrong type, the core still judges all the others."""
    good, told = structure_partially(CheckQuote, body)
    if told:
        rest = {**good, "lines": _judgeable(body.get("lines"))}
        raise Invalid({**core().quotes.validate(**rest), **told})
    asked = CheckQuote(**good)
    lines = tuple(QuoteLine(**_in_cents(asdict(line))) for line in asked.lines)
    return Quote(vin=asked.vin, zip_code=asked.zip_code, lines=lines, force=asked.force)


def _judgeable(lines: object) -> list[dict[str, Any] | None] | None:
    """Give what is good of each line, None for one that is no object, and for no list at all."""
    if not isinstance(lines, list):
        return None
    return [
        _in_cents(structure_partially(QuoteLineInput, line)[0]) if isinstance(line, dict) else None
        for line in lines
    ]


def _in_cents(line: dict[str, Any]) -> dict[str, Any]:
    return {
        name: cents(value) if name in _MONEY and value is not None else value for name, value in line.items()
    }
