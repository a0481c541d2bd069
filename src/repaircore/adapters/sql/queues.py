"""Queue lengths in the database."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from typing_extensions import override

from repaircore.adapters.sql.deliveries import SqlDeliveries
from repaircore.adapters.sql.engine.codec import micros, moment_or_none
from repaircore.adapters.sql.job_leases import SqlJobLeases
from repaircore.adapters.sql.job_processes import running_jobs
from repaircore.adapters.sql.schema.operations import messages
from repaircore.adapters.sql.schema.payments import UNDER_WAY, payments
from repaircore.checkup.model import QueueLength, Queues
from repaircore.checkup.ports import QueueReader
from repaircore.messages.model import Channel

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from repaircore.adapters.sql.engine.database import Database


class SqlQueues(QueueReader):
    """The lengths of the queues in a database, and when each job was last done."""

    def __init__(self, database: "Callable[[], Database]") -> None:
        self._database = database

    @override
    def queues(self, *, now: datetime) -> Queues:
        with self._database().transaction(write=False) as connection:
            leases = SqlJobLeases(connection).list_all()
            return Queues(
                webhooks=SqlDeliveries(connection).get_backlog(now=now),
                messages=_messages(connection, now),
                payments=_length(connection, payments.c.updated_at, now, UNDER_WAY),
                jobs={lease.name: lease.done_at for lease in leases},
                job_processes=running_jobs(connection, now).processes,
                failed=frozenset(lease.name for lease in leases if lease.failure is not None),
            )


def _messages(connection: "Connection", now: datetime) -> Mapping[Channel, QueueLength]:
    """Return each channel's number of pending messages and its oldest due time, reading only a partial index."""
    due = sa.case((messages.c.due_at <= micros(now), messages.c.due_at))
    rows = connection.execute(
        sa.select(messages.c.channel, sa.func.count(), sa.func.min(due))
        .where(sa.text("state = 'pending'"))
        .group_by(messages.c.channel)
    )
    lengths = {
        Channel(channel): QueueLength(number=number, oldest=moment_or_none(oldest))
        for channel, number, oldest in rows
    }
    return {channel: lengths.get(channel, QueueLength(number=0, oldest=None)) for channel in Channel}


def _length(connection: "Connection", since: "sa.Column[int]", now: datetime, condition: str) -> QueueLength:
    """Return the number of rows that meet a partial index's condition and their oldest time, reading only the index."""
    due = sa.case((since <= micros(now), since))
    row = connection.execute(sa.select(sa.func.count(), sa.func.min(due)).where(sa.text(condition))).one()
    return QueueLength(number=row[0], oldest=moment_or_none(row[1]))
