"""Transactions: listing, statistics and deleting."""

from collections.abc import Mapping
from typing import Any, Final

from attrs import asdict, frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.structuring import structure
from repaircore.transactions.listing import ALL_TRANSACTIONS, ListTransactions
from repaircore_http.console.charts import columns
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.paging import PER_PAGE, PageQuery
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query_params

transactions = Pages("transactions", auth=Auth.ADMIN)

_FIELDS: Final = ("problem_id", "facility_id", "make", "date_from", "date_to")


@frozen(kw_only=True)
class TransactionPage(ListTransactions, PageQuery):
    """The filters of the list, and the page."""


def unfiltered() -> ResponseReturnValue:
    """List all transactions below an invalid filter, which is shown as it was typed."""
    typed = dict.fromkeys(_FIELDS, "") | read_query_params(TransactionPage)
    return _list(ALL_TRANSACTIONS, typed, page=1, query={})


@transactions.get("/admin/transactions", again=unfiltered)
def index() -> ResponseReturnValue:
    """List transactions, the latest repair first, and their totals by month."""
    params = {name: text for name, text in read_query_params(TransactionPage).items() if text != ""}
    filters = structure(TransactionPage, params)
    return _list(filters, asdict(filters), page=filters.page, query=params)


@transactions.get("/admin/transactions/<int:transaction_id>")
def detail(transaction_id: int) -> ResponseReturnValue:
    """Show a transaction with the records that it refers to."""
    return show("admin/transaction.html", details=core().ledger.get_details(transaction_id, caller()))


@transactions.post("/admin/transactions/<int:transaction_id>/delete")
def delete(transaction_id: int) -> Response:
    """Delete a transaction and everything that was learned from it."""
    core().transactions.delete(transaction_id, caller())
    return go("transactions.index", done="transaction-deleted")


def _list(filters: ListTransactions, typed: Mapping[str, Any], *, page: int, query: Mapping[str, Any]) -> str:
    ledger, known = core().ledger, caller()
    options = ledger.form_options(known)
    statistics = ledger.statistics(filters, known)
    return show(
        "admin/transactions.html",
        page=ledger.page(filters, known, number=page, per_page=PER_PAGE),
        statistics=statistics,
        columns=columns(statistics.months),
        options=options,
        problems={problem.id: problem for problem in options.problems},
        fields=typed,
        query={name: text for name, text in query.items() if name != "page"},
    )
