"""Transactions: listing, statistics and deleting."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from attrs import asdict, frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.paging import sort_by
from repaircore.learning.views import TransactionView
from repaircore.transactions.listing import ListTransactions
from repaircore_http.console.charts import columns
from repaircore_http.console.lists import ListQuery, read_list, sort_links
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query_params
from repaircore_http.listing import csv_reply

transactions = Pages("transactions", auth=Auth.ADMIN)

_FIELDS: Final = ("problem_id", "facility_id", "make", "date_from", "date_to")


@frozen(kw_only=True)
class TransactionPage(ListTransactions, ListQuery):
    """Filters, sort order and page for the list of transactions."""

    sort: Annotated[str, sort_by("performed_on")] = ""


def unfiltered() -> ResponseReturnValue:
    """List all transactions if the filter is invalid; the field keeps what was typed."""
    typed = dict.fromkeys(_FIELDS, "") | read_query_params(TransactionPage)
    return _list(TransactionPage(), typed, query={})


@transactions.get("/admin/transactions", again=unfiltered)
def index() -> ResponseReturnValue:
    """List transactions, the latest repair first, and their totals by month."""
    wanted, query = read_list(TransactionPage)
    return _list(wanted, asdict(wanted), query=query)


@transactions.get("/admin/transactions.csv")
def download() -> Response:
    """Download the transactions that the filters select, as CSV."""
    wanted, _ = read_list(TransactionPage)
    ledger, known = core().ledger, caller()
    return csv_reply(
        wanted.sort,
        lambda request: ledger.page(wanted, known, request=request),
        TransactionView,
        TransactionView.of,
        name="transactions",
    )


@transactions.get("/admin/transactions/<int:transaction_id>")
def detail(transaction_id: int) -> ResponseReturnValue:
    """Show a transaction with the records that it refers to."""
    return show("admin/transaction.html", details=core().ledger.get_details(transaction_id, caller()))


@transactions.post("/admin/transactions/<int:transaction_id>/delete")
def delete(transaction_id: int) -> Response:
    """Delete a transaction and everything that was learned from it."""
    core().transactions.delete(transaction_id, caller())
    return go("transactions.index", done="transaction-deleted")


def _list(filters: TransactionPage, typed: Mapping[str, Any], *, query: Mapping[str, Any]) -> str:
    ledger, known = core().ledger, caller()
    options = ledger.form_options(known)
    statistics = ledger.statistics(filters, known)
    return show(
        "admin/transactions.html",
        page=ledger.page(filters, known, request=filters.request()),
        sorts=sort_links({"-performed_on": "Date"}, filters.sort, usual="-performed_on"),
        statistics=statistics,
        columns=columns(statistics.months),
        options=options,
        problems={problem.id: problem for problem in options.problems},
        fields=typed,
        query=query,
    )
