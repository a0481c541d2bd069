"""Past repairs: looked through, told in figures, and removed."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final, cast

from attrs import asdict, frozen
from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.structuring import structure
from repaircore.transactions.listing import TransactionFilterInput
from repaircore_http.console.charts import columns
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.paging import PER_PAGE, WhichPage
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query_params

transactions = Pages("transactions", auth=Auth.ADMIN)

_FIELDS: Final = ("problem_id", "facility_id", "make", "date_from", "date_to")


@frozen(kw_only=True)
class FilterTransactions(WhichPage):
    """Which transactions, and which page of them."""

    problem_id: int | None = None
    facility_id: int | None = None
    make: str | None = None
    date_from: date | None = None
    date_to: date | None = None


def unfiltered() -> ResponseReturnValue:
    """List all transactions below a filter that has to be mended, as it was typed."""
    filled_in = dict.fromkeys(_FIELDS, "") | read_query_params(FilterTransactions)
    return _list({}, filled_in, page=1, query={})


@transactions.get("/admin/transactions", again=unfiltered)
def index() -> ResponseReturnValue:
    """List transactions, the latest repair first, with what they come to by month."""
    told = {name: text for name, text in read_query_params(FilterTransactions).items() if text != ""}
    asked = structure(FilterTransactions, told)
    filters = cast("TransactionFilterInput", {name: getattr(asked, name) for name in _FIELDS})
    return _list(filters, asdict(asked), page=asked.page, query=told)


@transactions.get("/admin/transactions/<int:transaction_id>")
def detail(transaction_id: int) -> ResponseReturnValue:
    """Show a transaction with what it names."""
    return show("admin/transaction.html", told=core().ledger.details(transaction_id, caller()))


@transactions.post("/admin/transactions/<int:transaction_id>/delete")
def delete(transaction_id: int) -> Response:
    """Remove a transaction and all that was learned from it."""
    core().transactions.remove(transaction_id, caller())
    return go("transactions.index", done="transaction-deleted")


def _list(
    filters: TransactionFilterInput, filled_in: Mapping[str, Any], *, page: int, query: Mapping[str, Any]
) -> str:
    ledger, known = core().ledger, caller()
    choices = ledger.choices(known)
    statistics = ledger.statistics(known, **filters)
    return show(
        "admin/transactions.html",
        page=ledger.page(number=page, per_page=PER_PAGE, caller=known, **filters),
        statistics=statistics,
        columns=columns(statistics.months),
        choices=choices,
        problems={problem.id: problem for problem in choices.problems},
        asked=filled_in,
        query={name: text for name, text in query.items() if name != "page"},
    )
