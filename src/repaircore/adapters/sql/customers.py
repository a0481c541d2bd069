"""Customers in the database."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from attrs import asdict
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.engine.dialects import DIALECTS, upsert_in
from repaircore.adapters.sql.engine.listing import Orders, listed, within_days
from repaircore.adapters.sql.schema.partners import customers
from repaircore.customers.model import Customer, CustomerFilter, ResolveCustomer
from repaircore.customers.ports import CustomerRecords
from repaircore.json_text import encode_text
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.emails import fold_email
from repaircore.kernel.paging import Page, PageRequest
from repaircore.kernel.references import Kind, is_reference

_codec: Final = RowCodec(Customer)

# Built once: building it takes longer than running it, and would happen under SQLite's only write lock.
_INSERT: Final = {
    dialect: upsert_in(dialect, customers).on_conflict_do_nothing().returning(customers)
    for dialect in DIALECTS
}


_ORDERS: Final = Orders(
    of="customers", columns={"created_at": customers.c.id}, id=customers.c.id, usual="-created_at"
)
"""Customers are sorted by id, which increases with time and is in the index on a partner's customers."""


class SqlCustomers(CustomerRecords):
    """The stored customers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, data: ResolveCustomer, caller: PartnerCaller, *, ref: str, at: datetime) -> Customer | None:
        values = {
            "ref": ref,
            "partner_id": caller.partner_id,
            "environment": caller.environment,
            **asdict(data),
            "metadata": _json(data.metadata),
            "email_key": fold_email(data.email),
            "created_at": micros(at),
            "updated_at": micros(at),
        }
        # PostgreSQL waits here for a concurrent insert of the same customer; the next statement sees its row.
        row = self._connection.execute(_INSERT[self._connection.dialect.name], values).one_or_none()
        return None if row is None else _codec.read(row)

    @override
    def list_matches(self, data: ResolveCustomer, caller: PartnerCaller) -> Sequence[Customer]:
        key = fold_email(data.email)
        matches = sa.or_(customers.c.email_key == key, customers.c.phone == data.phone)
        rows = self._connection.execute(sa.select(customers).where(*_owned_by(caller), matches)).all()
        return [_codec.read(row) for row in sorted(rows, key=lambda row: row.email_key != key)]

    @override
    def list_page(
        self, wanted: CustomerFilter, caller: PartnerCaller, request: PageRequest
    ) -> Page[Customer]:
        where = [*_owned_by(caller), customers.c.email.is_not(None)]
        if wanted.email is not None:
            where.append(customers.c.email_key == fold_email(wanted.email))
        if wanted.phone is not None:
            where.append(customers.c.phone == wanted.phone)
        where += within_days(customers.c.created_at, wanted.date_from, wanted.date_to)
        return listed(self._connection, sa.select(customers).where(*where), request, _ORDERS, _codec.read)

    @override
    def replace(self, customer: Customer, caller: PartnerCaller) -> bool:
        values = _codec.write(customer)
        del values["id"]
        update = sa.update(customers).where(
            *_owned_by(caller), customers.c.id == customer.id, customers.c.email.is_not(None)
        )
        try:
            with self._connection.begin_nested():
                done = self._connection.execute(
                    update.values(**values, email_key=fold_email(customer.email or ""))
                )
        except sa.exc.IntegrityError:
            return False
        return done.rowcount == 1

    @override
    def find(self, ref: str, caller: PartnerCaller) -> Customer | None:
        if not is_reference(Kind.CUSTOMER, ref):
            return None
        return self._first(customers.c.ref == ref, customers.c.email.is_not(None), caller=caller)

    @override
    def find_by_id(self, customer_id: int, caller: PartnerCaller) -> Customer | None:
        return self._first(customers.c.id == customer_id, caller=caller)

    @override
    def find_all(self, ids: Collection[int]) -> Mapping[int, Customer]:
        query = sa.select(customers).where(customers.c.id.in_(ids))
        return {found.id: found for found in map(_codec.read, self._connection.execute(query) if ids else ())}

    def _first(self, *conditions: "sa.ColumnElement[bool]", caller: PartnerCaller) -> Customer | None:
        query = sa.select(customers).where(*_owned_by(caller), *conditions)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _codec.read(row)


def _json(metadata: Mapping[str, str] | None) -> str | None:
    return None if metadata is None else encode_text(metadata)


def _owned_by(caller: PartnerCaller) -> tuple["sa.ColumnElement[bool]", ...]:
    return customers.c.partner_id == caller.partner_id, customers.c.environment == caller.environment
