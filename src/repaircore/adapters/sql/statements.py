"""The ledger entries for partners' statements."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.schema.payments import payment_entries, payments
from repaircore.adapters.sql.schema.rides import rides
from repaircore.kernel.callers import PartnerCaller
from repaircore.payments.model import Account, EntryKind
from repaircore.payments.statements import StatementLine, StatementRecords


class SqlStatements(StatementRecords):
    """The ledger entries on partners' revenue accounts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def list_earnings(
        self, caller: PartnerCaller, *, since: datetime, until: datetime
    ) -> Sequence[StatementLine]:
        entry = payment_entries.c
        query = (
            sa.select(
                entry.at,
                entry.kind,
                entry.cents,
                payments.c.id,
                payments.c.subject,
                payments.c.currency,
                rides.c.partner_reference,
            )
            .join(payments, payments.c.id == entry.payment_id)
            .outerjoin(rides, rides.c.ref == payments.c.subject)
            .where(
                entry.account == Account.PARTNER_REVENUE.value,
                entry.at >= micros(since),
                entry.at < micros(until),
                payments.c.partner_id == caller.partner_id,
                payments.c.environment == caller.environment,
            )
            .order_by(entry.at, entry.id)
        )
        return [
            StatementLine(
                at=moment(row.at),
                kind=EntryKind(row.kind),
                subject=row.subject,
                partner_reference=row.partner_reference,
                payment_id=row.id,
                currency=row.currency,
                amount=row.cents,
            )
            for row in self._connection.execute(query)
        ]
