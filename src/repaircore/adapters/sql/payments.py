"""Payments in the database: the payments, the books about them, and what the sandbox holds."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import changed, micros, moment
from repaircore.adapters.sql.engine.dialects import translated, upsert
from repaircore.adapters.sql.schema.payments import UNDER_WAY, payment_entries, payments, sandbox_charges
from repaircore.json_text import decode, encode_text
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import Page
from repaircore.payments.errors import PaymentExists
from repaircore.payments.model import (
    LAPSED,
    LIVING,
    Account,
    Entry,
    EntryKind,
    GatewayName,
    HeldState,
    Payment,
    PaymentFilter,
    PaymentState,
    SandboxCharge,
)
from repaircore.payments.ports import PaymentRecords, SandboxCharges


class SqlPayments(PaymentRecords):
    """The kept payments."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, payment: Payment) -> None:
        insert = upsert(self._connection, payments).values(_values(payment))
        # Waits for whoever adds one for the same subject at this moment.
        once = insert.on_conflict_do_nothing(
            index_elements=["environment", "subject"],
            index_where=sa.text("state NOT IN ('declined', 'voided')"),
        )
        with translated():
            added = self._connection.execute(once.returning(payments.c.id)).one_or_none()
        if added is None:
            raise PaymentExists(payment.subject)

    @override
    def by_id(self, payment_id: str) -> Payment | None:
        found = sa.select(payments).where(payments.c.id == payment_id)
        return _payment_or_none(self._connection.execute(found).one_or_none())

    @override
    def living(self, subject: str, *, environment: Environment) -> Payment | None:
        found = sa.select(payments).where(
            payments.c.environment == environment,
            payments.c.subject == subject,
            payments.c.state.in_(sorted(LIVING)),
        )
        return _payment_or_none(self._connection.execute(found).one_or_none())

    @override
    def of(self, subject: str, *, environment: Environment) -> Sequence[Payment]:
        found = (
            sa.select(payments)
            .where(payments.c.environment == environment, payments.c.subject == subject)
            .order_by(payments.c.id)
        )
        return [payment_of(row) for row in self._connection.execute(found)]

    @override
    def of_each(
        self, subjects: Sequence[str], *, environment: Environment
    ) -> Mapping[str, Sequence[Payment]]:
        found = sa.select(payments).where(
            payments.c.environment == environment, payments.c.subject.in_(subjects)
        )
        told: dict[str, list[Payment]] = {}
        # Sorted here: SQLite would rather read a whole environment in order than sort what it finds.
        for row in sorted(self._connection.execute(found), key=lambda row: row.id):
            told.setdefault(row.subject, []).append(payment_of(row))
        return told

    @override
    def replace(self, old: Payment, new: Payment) -> Payment:
        kept = evolve(new, version=old.version + 1)
        unchanged = (
            payments.c.id == old.id,
            payments.c.version == old.version,
            payments.c.state == old.state,
        )
        values = changed(_values(old), _values(kept))
        done = self._connection.execute(sa.update(payments).where(*unchanged).values(values))
        if done.rowcount != 1:
            raise Conflict("The payment was changed by somebody else.")
        return kept

    @override
    def post(self, lines: Sequence[Entry]) -> None:
        if sum(line.cents for line in lines):
            raise ValueError("The lines do not sum to zero.")
        if lines:
            rows = [
                {
                    "payment_id": line.payment_id,
                    "at": micros(line.at),
                    "kind": line.kind,
                    "account": line.account,
                    "cents": line.cents,
                }
                for line in lines
            ]
            self._connection.execute(sa.insert(payment_entries), rows)

    @override
    def entries(self, payment_id: str) -> Sequence[Entry]:
        found = (
            sa.select(payment_entries)
            .where(payment_entries.c.payment_id == payment_id)
            .order_by(payment_entries.c.id)
        )
        return [
            Entry(
                payment_id=row.payment_id,
                at=moment(row.at),
                kind=EntryKind(row.kind),
                account=Account(row.account),
                cents=row.cents,
            )
            for row in self._connection.execute(found)
        ]

    @override
    def under_way(self, *, before: datetime, after: str | None, limit: int) -> Sequence[Payment]:
        found = (
            sa.select(payments)
            .where(sa.text(UNDER_WAY), payments.c.updated_at <= micros(before))
            .order_by(payments.c.id)
            .limit(limit)
        )
        if after is not None:
            found = found.where(payments.c.id > after)
        return [payment_of(row) for row in self._connection.execute(found)]

    @override
    def page(self, wanted: PaymentFilter, *, number: int, per_page: int) -> Page[Payment]:
        which = _which(wanted)
        count = sa.select(sa.func.count()).select_from(payments).where(*which)
        total: int = self._connection.execute(count).scalar_one()
        start = (number - 1) * per_page
        if start >= total:
            return Page(items=(), number=number, per_page=per_page, total=total)
        query = sa.select(payments).where(*which).order_by(payments.c.id.desc()).offset(start).limit(per_page)
        items = tuple(payment_of(row) for row in self._connection.execute(query))
        return Page(items=items, number=number, per_page=per_page, total=total)


class SqlSandboxCharges(SandboxCharges):
    """What the sandbox holds. On SQLite a unit of work that writes is alone anyway."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, charge: SandboxCharge) -> bool:
        insert = upsert(self._connection, sandbox_charges).values(_charge_values(charge))
        # Waits for whoever adds the same key at this moment. Its reference follows from the key, so either may collide first.
        once = insert.on_conflict_do_nothing().returning(sandbox_charges.c.ref)
        return self._connection.execute(once).one_or_none() is not None

    @override
    def by_key(self, key: str) -> SandboxCharge | None:
        return self._locked(sandbox_charges.c.key == key)

    @override
    def by_ref(self, ref: str) -> SandboxCharge | None:
        return self._locked(sandbox_charges.c.ref == ref)

    @override
    def keep(self, charge: SandboxCharge) -> None:
        self._connection.execute(
            sa.update(sandbox_charges)
            .where(sandbox_charges.c.ref == charge.ref)
            .values(_charge_values(charge))
        )

    def _locked(self, which: "sa.ColumnElement[bool]") -> SandboxCharge | None:
        found = sa.select(sandbox_charges).where(which).with_for_update()
        row = self._connection.execute(found).one_or_none()
        if row is None:
            return None
        return SandboxCharge(
            ref=row.ref,
            key=row.key,
            state=HeldState(row.state),
            amount=row.amount,
            captured=row.captured,
            refunded=row.refunded,
            sandbox=row.sandbox,
            done=decode(row.done),
            created_at=moment(row.created_at),
        )


def _which(wanted: PaymentFilter) -> "list[sa.ColumnElement[bool]]":
    which = [payments.c.environment == wanted.environment]
    if wanted.partner_id is not None:
        which.append(payments.c.partner_id == wanted.partner_id)
    if wanted.state is not None:
        which.append(payments.c.state == wanted.state)
    if wanted.subject is not None:
        which.append(payments.c.subject == wanted.subject)
    if wanted.is_lapsed:
        which += [payments.c.state == PaymentState.VOIDED, payments.c.reason == LAPSED]
    return which


def _values(payment: Payment) -> dict[str, object]:
    return {
        "id": payment.id,
        "partner_id": payment.partner_id,
        "environment": payment.environment,
        "subject": payment.subject,
        "offer_ref": payment.offer_ref,
        "amount": payment.amount,
        "captured": payment.captured,
        "refunded": payment.refunded,
        "moving": payment.moving,
        "currency": payment.currency,
        "state": payment.state,
        "gateway": payment.gateway,
        "gateway_ref": payment.gateway_ref,
        "claim": payment.claim,
        "payment_method": payment.payment_method,
        "sandbox": payment.sandbox,
        "reason": payment.reason,
        "created_at": micros(payment.created_at),
        "updated_at": micros(payment.updated_at),
        "version": payment.version,
    }


def _payment_or_none(row: "Row[Any] | None") -> Payment | None:
    return None if row is None else payment_of(row)


def payment_of(row: "Row[Any]") -> Payment:
    """Read a row of the payments."""
    return Payment(
        id=row.id,
        partner_id=row.partner_id,
        environment=Environment(row.environment),
        subject=row.subject,
        offer_ref=row.offer_ref,
        amount=row.amount,
        captured=row.captured,
        refunded=row.refunded,
        moving=row.moving,
        currency=row.currency,
        state=PaymentState(row.state),
        gateway=GatewayName(row.gateway),
        gateway_ref=row.gateway_ref,
        claim=row.claim,
        payment_method=row.payment_method,
        sandbox=row.sandbox,
        reason=row.reason,
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        version=row.version,
    )


def _charge_values(charge: SandboxCharge) -> dict[str, object]:
    return {
        "ref": charge.ref,
        "key": charge.key,
        "state": charge.state,
        "amount": charge.amount,
        "captured": charge.captured,
        "refunded": charge.refunded,
        "sandbox": charge.sandbox,
        "done": encode_text(charge.done),
        "created_at": micros(charge.created_at),
    }
