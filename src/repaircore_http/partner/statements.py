"""Monthly statements of a partner."""

from flask import Response

from repaircore.payments.views import StatementLineView, StatementView
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth, partner_caller
from repaircore_http.json_io import read_query
from repaircore_http.listing import WholeList, wants_csv, whole_csv
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.routes import Routes

statements = Routes(
    "partner_statements",
    url_prefix=f"{PREFIX}/statements",
    auth=Auth.PARTNER,
    dialect=partner,
    tag="partner statements",
)


@statements.get("/<month>", safe=True, query=WholeList, returns=PartnerData[StatementView])
def show(month: str) -> Response:
    """Return what was captured and refunded in a month (`2026-11`, in UTC), as JSON or as CSV."""
    query = read_query(WholeList)
    statement = StatementView.of(core().statements.of_month(month, partner_caller()))
    if wants_csv(query):
        return whole_csv(statement.lines, StatementLineView, name=f"statement-{statement.month}")
    return reply_data(statement)
