"""Past repairs: listed, told in figures, recorded, changed and removed."""

from datetime import date
from typing import Any, Final, cast
from uuid import UUID

from attrs import asdict, frozen
from flask import Response

from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.money import cents
from repaircore.learning.transaction_rows import NewTransaction
from repaircore.learning.views import choices_shape, details_shape, shape, stats_shape
from repaircore.structuring import structure_partially
from repaircore.transactions.listing import TransactionFilterInput
from repaircore.transactions.model import TransactionPart
from repaircore_http.core import core
from repaircore_http.envelopes import Data, DataPage, DataWithMessage, Message
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_json, read_query, reply
from repaircore_http.paging import PageQuery, meta
from repaircore_http.routes import Routes
from repaircore_http.told.operators import (
    TransactionDetails,
    TransactionKept,
    TransactionOptions,
    TransactionStats,
)

transactions = Routes(
    "admin_transactions", url_prefix="/api/v1/admin/transactions", auth=Auth.ADMIN, tag="admin transactions"
)


@frozen(kw_only=True)
class ListTransactions(PageQuery):
    """Which transactions, and which page of them; figures are told of all pages."""

    problem_id: int | None = None
    vehicle_id: UUID | None = None
    facility_id: int | None = None
    make: str | None = None
    date_from: date | None = None
    date_to: date | None = None


@frozen(kw_only=True)
class TransactionPartInput:
    """A line of parts; ``unit_price`` in dollars."""

    name: str
    unit_price: float
    quantity: int


@frozen(kw_only=True)
class CreateTransaction:
    """An invoice. Money is in dollars, ``labor_rate`` in dollars per hour; what follows from the rest is not asked."""

    vehicle_id: UUID
    problem_id: int
    performed_on: date
    labor_hours: float
    labor_rate: float
    parts: tuple[TransactionPartInput, ...] = ()
    parts_total: float | None = None
    facility_id: int | None = None
    mileage: int | None = None
    notes: str | None = None
    session_id: UUID | None = None
    vin: str | None = None


@frozen(kw_only=True)
class UpdateTransaction(CreateTransaction):
    """What is to be changed of an invoice, and the version that the change was made on."""

    version: int | None = None


@transactions.get("", safe=True, query=ListTransactions, returns=DataPage[TransactionKept])
def index() -> Response:
    """List transactions, the latest repair first, in pages."""
    asked = read_query(ListTransactions)
    page = core().ledger.page(number=asked.page, per_page=asked.per_page, caller=caller(), **_filters(asked))
    return reply({"success": True, "data": [shape(one) for one in page], "meta": meta(page)})


@transactions.get("/stats", safe=True, query=ListTransactions, returns=Data[TransactionStats])
def stats() -> Response:
    """Count transactions and add them up, together and by month."""
    told = core().ledger.statistics(caller(), **_filters(read_query(ListTransactions)))
    return reply({"success": True, "data": stats_shape(told)})


@transactions.get("/form-options", safe=True, returns=Data[TransactionOptions])
def form_options() -> Response:
    """Tell what a form may offer."""
    return reply({"success": True, "data": choices_shape(core().ledger.choices(caller()))})


@transactions.post("", accepts=CreateTransaction, returns=DataWithMessage[TransactionKept], status=201)
def create() -> Response:
    """Record a transaction and learn from it."""
    fields = _fields(CreateTransaction, read_json())
    kept = core().transactions.record(NewTransaction(**fields), caller())
    return reply({"success": True, "message": "The transaction was added.", "data": shape(kept)}, 201)


@transactions.get("/<int:transaction_id>", safe=True, returns=Data[TransactionKept])
def show(transaction_id: int) -> Response:
    """Show a transaction."""
    return reply({"success": True, "data": shape(core().ledger.show(transaction_id, caller()))})


@transactions.get("/<int:transaction_id>/details", safe=True, returns=Data[TransactionDetails])
def details(transaction_id: int) -> Response:
    """Show a transaction with what it names, and what was learned from it."""
    return reply({"success": True, "data": details_shape(core().ledger.details(transaction_id, caller()))})


@transactions.put(
    "/<int:transaction_id>",
    accepts=UpdateTransaction,
    partial=True,
    returns=DataWithMessage[TransactionKept],
    raises=(Conflict,),
)
def update(transaction_id: int) -> Response:
    """Change a transaction: what was learned from it is taken out, and it is learned from anew."""
    fields = _fields(UpdateTransaction, read_json())
    kept = core().transactions.change(transaction_id, caller(), **fields)
    return reply({"success": True, "message": "The transaction was changed.", "data": shape(kept)})


@transactions.delete("/<int:transaction_id>", returns=Message, raises=(Conflict,))
def delete(transaction_id: int) -> Response:
    """Remove a transaction and all that was learned from it."""
    core().transactions.remove(transaction_id, caller())
    return reply({"success": True, "message": "The transaction was deleted."})


def _filters(asked: ListTransactions) -> TransactionFilterInput:
    names = TransactionFilterInput.__annotations__
    return cast("TransactionFilterInput", {name: getattr(asked, name) for name in names})


def _fields(shape_: type[CreateTransaction], body: dict[str, Any]) -> Any:
    """Read what is told; when some values are of the wrong type, the core still judges all the others.

    A change need not name what it leaves as it is.
    """
    good, told = structure_partially(shape_, body)
    if shape_ is UpdateTransaction:
        told = {name: texts for name, texts in told.items() if name.split(".")[0] in body}
    if told:
        raise Invalid({**_faults(good, body), **told})
    return _in_cents(good)


def _faults(good: dict[str, Any], body: dict[str, Any]) -> dict[str, list[str]]:
    validate, fields = core().transactions.validate, _in_cents(good)
    fields.pop("version", None)
    if "parts" in fields:
        return validate(caller(), **fields)
    # Of lines of which some are bad, what is good is judged by itself: what they come to is not known.
    return {**validate(caller(), **fields), **validate(caller(), parts=_judgeable(body.get("parts")))}


def _judgeable(lines: object) -> tuple[TransactionPart, ...]:
    harmless = {"name": "part", "unit_price": 0, "quantity": 1}
    told = lines if isinstance(lines, list) else []
    good = [
        structure_partially(TransactionPartInput, line)[0] if isinstance(line, dict) else {} for line in told
    ]
    return tuple(TransactionPart(**{**harmless, **_in_cents(line)}) for line in good)


def _in_cents(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: _inside(name, value) for name, value in fields.items()}


def _inside(name: str, value: Any) -> Any:
    if name == "parts":
        return tuple(TransactionPart(**_in_cents(asdict(part))) for part in value)
    return cents(value) if name in _MONEY and value is not None else value


_MONEY: Final = frozenset({"labor_rate", "parts_total", "unit_price"})
