"""Transactions: listing, statistics, recording, updating and deleting."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Final
from uuid import UUID

from attrs import asdict, frozen
from flask import Response

from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.money import cents
from repaircore.kernel.paging import sort_by
from repaircore.kernel.rules import Length, NotBlank, Range, WholeCents
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.learning.views import (
    FormOptionsView,
    TransactionDetailsView,
    TransactionStatsView,
    TransactionView,
)
from repaircore.structuring import structure_partially
from repaircore.transactions.limits import (
    DEAREST,
    DEAREST_HOUR,
    LONGEST_NAME,
    LONGEST_NOTES,
    MOST_HOURS,
    MOST_LINES,
    MOST_MILES,
    MOST_PIECES,
)
from repaircore.transactions.listing import ListTransactions
from repaircore.transactions.model import TransactionPart
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataWithMessage, Message
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_json, read_query, reply
from repaircore_http.listing import ListPage, ListQuery, reply_list
from repaircore_http.paging import PageQuery
from repaircore_http.routes import Routes

transactions = Routes(
    "admin_transactions", url_prefix="/api/v1/admin/transactions", auth=Auth.ADMIN, tag="admin transactions"
)


@frozen(kw_only=True)
class TransactionPage(ListTransactions, ListQuery):
    """Filters, sort order and page for the list of transactions."""

    sort: Annotated[str, sort_by("performed_on")] = ""


@frozen(kw_only=True)
class TransactionSelection(ListTransactions, PageQuery):
    """Filters for transaction statistics; the page is ignored."""


@frozen(kw_only=True)
class TransactionPartInput:
    """A line of parts; ``unit_price`` is in dollars."""

    name: Annotated[str, NotBlank(LONGEST_NAME)]
    unit_price: Annotated[float, Range(0, DEAREST // 100), WholeCents()]
    quantity: Annotated[int, Range(1, MOST_PIECES)]


@frozen(kw_only=True)
class TransactionInput:
    """An invoice. Money is in dollars, ``labor_rate`` in dollars per hour.

    Totals are computed from the other fields; totals that are given must agree to the cent.
    """

    vehicle_id: UUID
    problem_id: int
    performed_on: date
    labor_hours: Annotated[float, Range(0, MOST_HOURS)]
    labor_rate: Annotated[float, Range(0, DEAREST_HOUR // 100), WholeCents()]
    parts: Annotated[tuple[TransactionPartInput, ...], Length(0, MOST_LINES)] = ()
    parts_total: Annotated[float, Range(0, DEAREST // 100), WholeCents()] | None = None
    labor_total: Annotated[float, WholeCents()] | None = None
    total: Annotated[float, WholeCents()] | None = None
    facility_id: int | None = None
    mileage: Annotated[int, Range(0, MOST_MILES)] | None = None
    notes: Annotated[str, Length(0, LONGEST_NOTES)] | None = None
    session_id: UUID | None = None
    vin: str | None = None


@frozen(kw_only=True)
class UpdateTransaction(TransactionInput):
    """The fields of an invoice to update, and the version that the update is based on."""

    version: int | None = None


@transactions.get("", safe=True, query=TransactionPage, returns=ListPage[TransactionView])
def index() -> Response:
    """List transactions, latest repair first, paginated."""
    query, ledger, known = read_query(TransactionPage), core().ledger, caller()
    return reply_list(
        query,
        lambda request: ledger.page(query, known, request=request),
        TransactionView,
        TransactionView.of,
        name="transactions",
    )


@transactions.get("/stats", safe=True, query=TransactionSelection, returns=Data[TransactionStatsView])
def stats() -> Response:
    """Count transactions and add up their amounts, in total and by month."""
    statistics = core().ledger.statistics(read_query(TransactionSelection), caller())
    return reply(Data(data=TransactionStatsView.of(statistics)))


@transactions.get("/form-options", safe=True, returns=Data[FormOptionsView])
def form_options() -> Response:
    """List the choices for a transaction form."""
    return reply(Data(data=FormOptionsView.of(core().ledger.form_options(caller()))))


@transactions.post("", accepts=TransactionInput, returns=DataWithMessage[TransactionView], status=201)
def create() -> Response:
    """Record a transaction and learn from it."""
    fields = _read(TransactionInput, read_json())
    transaction = core().transactions.record(CreateTransaction(**fields), caller())
    return reply(
        DataWithMessage(message="The transaction was added.", data=TransactionView.of(transaction)), 201
    )


@transactions.get("/<int:transaction_id>", safe=True, returns=Data[TransactionView])
def show(transaction_id: int) -> Response:
    """Return a transaction."""
    return reply(Data(data=TransactionView.of(core().ledger.get(transaction_id, caller()))))


@transactions.get("/<int:transaction_id>/details", safe=True, returns=Data[TransactionDetailsView])
def details(transaction_id: int) -> Response:
    """Return a transaction with the records that it refers to, and what was learned from it."""
    found = core().ledger.get_details(transaction_id, caller())
    return reply(Data(data=TransactionDetailsView.of_details(found)))


@transactions.put(
    "/<int:transaction_id>",
    accepts=UpdateTransaction,
    partial=True,
    returns=DataWithMessage[TransactionView],
    raises=(Conflict,),
)
def update(transaction_id: int) -> Response:
    """Update a transaction: estimates learn from the new version instead of the old one."""
    changes = _read(UpdateTransaction, read_json(), is_partial=True)
    transaction = core().transactions.update(transaction_id, caller(), **changes)
    return reply(
        DataWithMessage(message="The transaction was changed.", data=TransactionView.of(transaction))
    )


@transactions.delete("/<int:transaction_id>", returns=Message, raises=(Conflict,))
def delete(transaction_id: int) -> Response:
    """Delete a transaction and everything that was learned from it."""
    core().transactions.delete(transaction_id, caller())
    return reply(Message(message="The transaction was deleted."))


def _read(shape: type[TransactionInput], body: dict[str, Any], *, is_partial: bool = False) -> dict[str, Any]:
    """Return the fields of a body, with money in cents; if some are invalid, the core still checks the others.

    Raises:
        Invalid: with every invalid field.
    """
    valid, errors = structure_partially(shape, body)
    fields = _in_cents(valid)
    if is_partial:
        errors = {name: texts for name, texts in errors.items() if name.partition(".")[0] in body}
    if errors:
        checked = {name: value for name, value in fields.items() if name != "version"}
        raise Invalid({**core().transactions.validate(caller(), **checked), **errors})
    return fields


def _in_cents(fields: Mapping[str, Any]) -> dict[str, Any]:
    amounts = {name: cents(fields[name]) for name in _MONEY if fields.get(name) is not None}
    parts = {"parts": tuple(map(_part, fields["parts"]))} if "parts" in fields else {}
    return {**fields, **amounts, **parts}


def _part(part: TransactionPartInput) -> TransactionPart:
    return TransactionPart(**{**asdict(part), "unit_price": cents(part.unit_price)})


_MONEY: Final = ("labor_rate", "parts_total", "labor_total", "total")
