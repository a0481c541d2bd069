"""Customers in the database."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import DIALECTS, upsert_in
from repaircore.adapters.sql.schema.partners import customers
from repaircore.customers.model import Customer, NewCustomer
from repaircore.customers.ports import Customers
from repaircore.customers.rules import email_key
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.references import Kind, is_reference

# Built once: that takes longer than to run it, while nobody else may write.
_ADD: Final = {
    dialect: upsert_in(dialect, customers).on_conflict_do_nothing().returning(customers)
    for dialect in DIALECTS
}


class SqlCustomers(Customers):
    """The kept customers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, told: NewCustomer, caller: PartnerCaller, *, ref: str, at: datetime) -> Customer | None:
        new = {
            "ref": ref,
            "partner_id": caller.partner_id,
            "environment": caller.environment,
            "first_name": told.first_name,
            "last_name": told.last_name,
            "email": told.email,
            "email_key": email_key(told.email),
            "phone": told.phone,
            "address": told.address,
            "created_at": micros(at),
            "updated_at": micros(at),
        }
        # PostgreSQL waits here for who adds the same one, and what they kept is seen by the next statement.
        added = self._connection.execute(_ADD[self._connection.dialect.name], new).one_or_none()
        return None if added is None else _customer(added)

    @override
    def alike(self, told: NewCustomer, caller: PartnerCaller) -> Sequence[Customer]:
        key = email_key(told.email)
        by_either = sa.or_(customers.c.email_key == key, customers.c.phone == told.phone)
        found = sa.select(customers).where(*_theirs(caller), by_either)
        rows = self._connection.execute(found).all()
        return [_customer(row) for row in sorted(rows, key=lambda row: row.email_key != key)]

    @override
    def by_ref(self, ref: str, caller: PartnerCaller) -> Customer | None:
        if not is_reference(Kind.CUSTOMER, ref):
            return None
        return self._one(customers.c.ref == ref, customers.c.email.is_not(None), caller=caller)

    @override
    def by_id(self, customer_id: int, caller: PartnerCaller) -> Customer | None:
        return self._one(customers.c.id == customer_id, caller=caller)

    def _one(self, *which: "sa.ColumnElement[bool]", caller: PartnerCaller) -> Customer | None:
        found = sa.select(customers).where(*_theirs(caller), *which)
        row = self._connection.execute(found).one_or_none()
        return None if row is None else _customer(row)


def _theirs(caller: PartnerCaller) -> tuple["sa.ColumnElement[bool]", ...]:
    return customers.c.partner_id == caller.partner_id, customers.c.environment == caller.environment


def _customer(row: "Row[Any]") -> Customer:
    return Customer(
        id=row.id,
        ref=row.ref,
        partner_id=row.partner_id,
        environment=Environment(row.environment),
        first_name=row.first_name,
        last_name=row.last_name,
        email=row.email,
        phone=row.phone,
        address=row.address,
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
    )
