"""A partner's monthly statements."""

from typing import Annotated

from attrs import frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.rules import Length
from repaircore.payments.views import StatementLineView
from repaircore_http.console.lists import read_list
from repaircore_http.console.partner.access import own_partner, partner_pages, show_own
from repaircore_http.core import core
from repaircore_http.json_io import read_query_params
from repaircore_http.listing import whole_csv

partner_statements = partner_pages("partner_statements")


@frozen(kw_only=True)
class WhichMonth:
    """The month of a statement, in UTC; the current one if none is given."""

    month: Annotated[str | None, Length(0, 7)] = None


def unfiltered() -> ResponseReturnValue:
    """Show the current month if the requested one is invalid; the month field keeps what was typed."""
    return _show(_current_month(), str(read_query_params(WhichMonth).get("month", "")))


@partner_statements.get("/partner/statements", again=unfiltered)
def index() -> ResponseReturnValue:
    """Show what was captured and refunded in a month."""
    month = read_list(WhichMonth)[0].month or _current_month()
    return _show(month, month)


@partner_statements.get("/partner/statements/<month>.csv")
def download(month: str) -> Response:
    """Download the lines of a month's statement as CSV."""
    statement = core().statements.of_month(month, own_partner())
    lines = [StatementLineView.of(line) for line in statement.lines]
    return whole_csv(lines, StatementLineView, name=f"statement-{statement.month}")


def _show(month: str, typed: str) -> str:
    statement = core().statements.of_month(month, own_partner())
    return show_own("partner/statements.html", statement=statement, month=typed)


def _current_month() -> str:
    return f"{core().clock():%Y-%m}"
