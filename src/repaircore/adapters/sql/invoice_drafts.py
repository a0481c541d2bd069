"""Invoice drafts in the database."""

from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, changed, micros
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.schema.invoice_drafts import invoice_drafts
from repaircore.invoice_drafts.errors import DraftChanged, DraftNotFound
from repaircore.invoice_drafts.model import DraftSummary, InvoiceDraft
from repaircore.invoice_drafts.ports import DraftFilter, InvoiceDraftRecords
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page, PageRequest

_codec: Final = RowCodec(InvoiceDraft)
_summaries: Final = RowCodec(DraftSummary)
_LISTED: Final = (
    *(
        "number",
        "status",
        "shop_name",
        "vehicle",
        "vin",
        "performed_on",
        "total",
        "line_count",
        "doubt_count",
    ),
    *("created_at", "updated_at", "expires_at", "version"),
)
_ORDERS: Final = Orders(
    of="invoice_drafts",
    columns={
        "created_at": invoice_drafts.c.id,  # ids increase with time
        "updated_at": invoice_drafts.c.updated_at,
        "performed_on": sa.func.coalesce(invoice_drafts.c.performed_on, ""),
        "shop_name": sa.func.coalesce(invoice_drafts.c.shop_name, ""),
        "vehicle": invoice_drafts.c.vehicle,
        "total": invoice_drafts.c.total,
    },
    id=invoice_drafts.c.id,
    usual="-created_at",
)


class SqlInvoiceDrafts(InvoiceDraftRecords):
    """The stored drafts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, draft: InvoiceDraft) -> bool:
        values = {name: value for name, value in _values(draft).items() if name != "id"}
        insert = (
            upsert(self._connection, invoice_drafts)
            .values(values)
            .on_conflict_do_nothing()
            .returning(invoice_drafts.c.id)
        )
        return self._connection.execute(insert).one_or_none() is not None

    @override
    def find(
        self, number: str, *, environment: Environment, owner_id: int | None, now: datetime
    ) -> InvoiceDraft | None:
        query = sa.select(invoice_drafts).where(
            invoice_drafts.c.number == number, *_visible(environment, owner_id, now)
        )
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _codec.read(row)

    @override
    def find_same(
        self, file_hash: bytes, *, environment: Environment, owner_id: int, now: datetime
    ) -> InvoiceDraft | None:
        query = (
            sa.select(invoice_drafts)
            .where(invoice_drafts.c.file_hash == file_hash, *_visible(environment, owner_id, now))
            .order_by(invoice_drafts.c.id.desc())
            .limit(1)
        )
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _codec.read(row)

    @override
    def page(self, wanted: DraftFilter, request: PageRequest, *, now: datetime) -> Page[DraftSummary]:
        query = sa.select(*(invoice_drafts.c[name] for name in _LISTED)).where(
            *_visible(wanted.environment, wanted.owner_id, now), *_matching(wanted)
        )
        return listed(self._connection, query, request, _ORDERS, _summaries.read)

    @override
    def update(self, old: InvoiceDraft, new: InvoiceDraft) -> InvoiceDraft:
        saved = evolve(new, version=old.version + 1)
        update = (
            sa.update(invoice_drafts).where(*_unchanged(old)).values(changed(_values(old), _values(saved)))
        )
        self._require(self._connection.execute(update).rowcount, old)
        return saved

    @override
    def delete(self, draft: InvoiceDraft) -> None:
        done = self._connection.execute(sa.delete(invoice_drafts).where(*_unchanged(draft)))
        self._require(done.rowcount, draft)

    @override
    def prune(self, now: datetime) -> int:
        expired = sa.delete(invoice_drafts).where(invoice_drafts.c.expires_at <= micros(now))
        return self._connection.execute(expired).rowcount

    def _require(self, rows: int, draft: InvoiceDraft) -> None:
        if rows == 1:
            return
        version = self._connection.execute(
            sa.select(invoice_drafts.c.version).where(invoice_drafts.c.id == draft.id)
        ).scalar_one_or_none()
        raise DraftNotFound if version is None else DraftChanged(version)


def _visible(environment: Environment, owner_id: int | None, now: datetime) -> "list[sa.ColumnElement[bool]]":
    owner = [] if owner_id is None else [invoice_drafts.c.owner_id == owner_id]
    return [
        invoice_drafts.c.environment == environment,
        invoice_drafts.c.expires_at > micros(now),
        *owner,
    ]


def _matching(wanted: DraftFilter) -> "list[sa.ColumnElement[bool]]":
    found: list[sa.ColumnElement[bool]] = []
    if wanted.status is not None:
        found.append(invoice_drafts.c.status == wanted.status)
    if wanted.search is not None:
        found.append(invoice_drafts.c.search.contains(wanted.search.casefold(), autoescape=True))
    return found


def _unchanged(draft: InvoiceDraft) -> "tuple[sa.ColumnElement[bool], ...]":
    return invoice_drafts.c.id == draft.id, invoice_drafts.c.version == draft.version


def _values(draft: InvoiceDraft) -> dict[str, Any]:
    invoice = draft.invoice
    day = invoice.performed_on
    searched = (draft.number, invoice.shop_name, invoice.vin, invoice.vehicle_name, invoice.invoice_number)
    return {
        **_codec.write(draft),
        "shop_name": invoice.shop_name,
        "vehicle": invoice.vehicle_name,
        "vin": invoice.vin,
        "performed_on": None if day is None else day.isoformat(),
        "total": invoice.line_total,
        "line_count": len(invoice.lines),
        "doubt_count": len(draft.doubts),
        "search": "\n".join(text for text in searched if text).casefold(),
    }
