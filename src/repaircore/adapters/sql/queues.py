"""The lengths of the queues in the database."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from typing_extensions import override

from repaircore.adapters.sql.deliveries import SqlDeliveries
from repaircore.adapters.sql.engine.codec import micros, moment_or_none
from repaircore.adapters.sql.job_leases import SqlJobLeases
from repaircore.adapters.sql.schema.operations import mails
from repaircore.adapters.sql.schema.payments import UNDER_WAY, payments
from repaircore.checkup.model import QueueLength, Queues
from repaircore.checkup.ports import QueueReader

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from repaircore.adapters.sql.engine.database import Database


class SqlQueues(QueueReader):
    """The queues of a database."""

    def __init__(self, database: "Callable[[], Database]") -> None:
        self._database = database

    @override
    def queues(self, *, now: datetime) -> Queues:
        with self._database().transaction(write=False) as connection:
            leases = SqlJobLeases(connection).list_all()
            return Queues(
                webhooks=SqlDeliveries(connection).get_backlog(now=now),
                mails=_length(connection, mails.c.due_at, now, "state = 'pending'"),
                payments=_length(connection, payments.c.updated_at, now, UNDER_WAY),
                jobs={lease.name: lease.done_at for lease in leases},
                failed=frozenset(lease.name for lease in leases if lease.failure is not None),
            )


def _length(connection: "Connection", since: "sa.Column[int]", now: datetime, condition: str) -> QueueLength:
    """Count the rows that meet a condition, which is that of a partial index, so that only the index is read."""
    due = sa.case((since <= micros(now), since))
    row = connection.execute(sa.select(sa.func.count(), sa.func.min(due)).where(sa.text(condition))).one()
    return QueueLength(number=row[0], oldest=moment_or_none(row[1]))
