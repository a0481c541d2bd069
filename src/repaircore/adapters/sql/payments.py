"""Payments, their ledger entries, and sandbox charges, in the database."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, changed, micros
from repaircore.adapters.sql.engine.dialects import translating_errors, upsert
from repaircore.adapters.sql.engine.pages import page_of
from repaircore.adapters.sql.schema.payments import UNDER_WAY, payment_entries, payments, sandbox_charges
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import Page
from repaircore.payments.errors import PaymentExists
from repaircore.payments.model import (
    ACTIVE,
    LAPSED,
    Entry,
    Payment,
    PaymentFilter,
    PaymentState,
    SandboxCharge,
)
from repaircore.payments.ports import PaymentRecords, SandboxCharges

payment_codec: Final = RowCodec(Payment)
_entry: Final = RowCodec(Entry)
_charge: Final = RowCodec(SandboxCharge)


class SqlPayments(PaymentRecords):
    """The stored payments."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, payment: Payment) -> None:
        insert = upsert(self._connection, payments).values(payment_codec.write(payment))
        # Waits for a concurrent insert of the same part of the subject.
        once = insert.on_conflict_do_nothing(
            index_elements=["environment", "subject", "part"],
            index_where=sa.text("state NOT IN ('declined', 'voided')"),
        )
        with translating_errors():
            added = self._connection.execute(once.returning(payments.c.id)).one_or_none()
        if added is None:
            raise PaymentExists(payment.subject)

    @override
    def find(self, payment_id: str) -> Payment | None:
        return self._first(payments.c.id == payment_id)

    @override
    def find_active(self, subject: str, *, environment: Environment, part: int = 0) -> Payment | None:
        return self._first(
            payments.c.environment == environment,
            payments.c.subject == subject,
            payments.c.part == part,
            payments.c.state.in_(sorted(ACTIVE)),
        )

    @override
    def list_for(self, subject: str, *, environment: Environment) -> Sequence[Payment]:
        query = (
            sa.select(payments)
            .where(payments.c.environment == environment, payments.c.subject == subject)
            .order_by(payments.c.id)
        )
        return self._all(query)

    @override
    def list_for_each(
        self, subjects: Sequence[str], *, environment: Environment
    ) -> Mapping[str, Sequence[Payment]]:
        query = sa.select(payments).where(
            payments.c.environment == environment, payments.c.subject.in_(subjects)
        )
        found: dict[str, list[Payment]] = {}
        # Sorted here: SQLite would rather read a whole environment in order than sort a few rows.
        for payment in sorted(self._all(query), key=lambda payment: payment.id):
            found.setdefault(payment.subject, []).append(payment)
        return found

    @override
    def replace(self, old: Payment, new: Payment) -> Payment:
        saved = evolve(new, version=old.version + 1)
        unchanged = (
            payments.c.id == old.id,
            payments.c.version == old.version,
            payments.c.state == old.state,
        )
        values = changed(payment_codec.write(old), payment_codec.write(saved))
        result = self._connection.execute(sa.update(payments).where(*unchanged).values(values))
        if result.rowcount != 1:
            raise Conflict("The payment was changed by another request. Try again.")
        return saved

    @override
    def add_entries(self, entries: Sequence[Entry]) -> None:
        if sum(entry.cents for entry in entries):
            raise ValueError("The entries do not sum to zero.")
        if entries:
            self._connection.execute(sa.insert(payment_entries), [*map(_entry.write, entries)])

    @override
    def list_entries(self, payment_id: str) -> Sequence[Entry]:
        query = (
            sa.select(payment_entries)
            .where(payment_entries.c.payment_id == payment_id)
            .order_by(payment_entries.c.id)
        )
        return [_entry.read(row) for row in self._connection.execute(query)]

    @override
    def list_under_way(self, *, before: datetime, after: str | None, limit: int) -> Sequence[Payment]:
        query = (
            sa.select(payments)
            .where(sa.text(UNDER_WAY), payments.c.updated_at <= micros(before))
            .order_by(payments.c.id)
            .limit(limit)
        )
        return self._all(query if after is None else query.where(payments.c.id > after))

    @override
    def list_page(self, selection: PaymentFilter, *, number: int, per_page: int) -> Page[Payment]:
        query = sa.select(payments).where(*_conditions(selection)).order_by(payments.c.id.desc())
        return page_of(self._connection, query, payment_codec.read, number=number, per_page=per_page)

    def _first(self, *conditions: "sa.ColumnElement[bool]") -> Payment | None:
        row = self._connection.execute(sa.select(payments).where(*conditions)).one_or_none()
        return None if row is None else payment_codec.read(row)

    def _all(self, query: "sa.Select[Any]") -> list[Payment]:
        return [payment_codec.read(row) for row in self._connection.execute(query)]


class SqlSandboxCharges(SandboxCharges):
    """The stored sandbox charges. On SQLite, the transaction is the lock."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, charge: SandboxCharge) -> bool:
        insert = upsert(self._connection, sandbox_charges).values(_charge.write(charge))
        # Waits for a concurrent insert of the same key. The reference follows from the key: either may collide first.
        once = insert.on_conflict_do_nothing().returning(sandbox_charges.c.ref)
        return self._connection.execute(once).one_or_none() is not None

    @override
    def lock_by_key(self, key: str) -> SandboxCharge | None:
        return self._lock(sandbox_charges.c.key == key)

    @override
    def lock_by_ref(self, ref: str) -> SandboxCharge | None:
        return self._lock(sandbox_charges.c.ref == ref)

    @override
    def save(self, charge: SandboxCharge) -> None:
        self._connection.execute(
            sa.update(sandbox_charges)
            .where(sandbox_charges.c.ref == charge.ref)
            .values(_charge.write(charge))
        )

    def _lock(self, condition: "sa.ColumnElement[bool]") -> SandboxCharge | None:
        query = sa.select(sandbox_charges).where(condition).with_for_update()
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _charge.read(row)


def _conditions(selection: PaymentFilter) -> "list[sa.ColumnElement[bool]]":
    conditions = [payments.c.environment == selection.environment]
    if selection.partner_id is not None:
        conditions.append(payments.c.partner_id == selection.partner_id)
    if selection.state is not None:
        conditions.append(payments.c.state == selection.state)
    if selection.subject is not None:
        conditions.append(payments.c.subject == selection.subject)
    if selection.is_lapsed:
        conditions += [payments.c.state == PaymentState.VOIDED, payments.c.reason == LAPSED]
    return conditions
