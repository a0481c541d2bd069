"""What waits in the database."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa
from typing_extensions import override

from repaircore.adapters.sql.deliveries import SqlDeliveries
from repaircore.adapters.sql.engine.codec import micros, moment_or_none
from repaircore.adapters.sql.job_turns import SqlJobTurns
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
            turns = SqlJobTurns(connection).all()
            return Queues(
                webhooks=SqlDeliveries(connection).get_backlog(now=now),
                mails=_waiting(connection, mails.c.due_at, now, "state = 'pending'"),
                payments=_waiting(connection, payments.c.updated_at, now, UNDER_WAY),
                jobs={turn.name: turn.done_at for turn in turns},
                failed=frozenset(turn.name for turn in turns if turn.failure is not None),
            )


def _waiting(connection: "Connection", since: "sa.Column[int]", now: datetime, which: str) -> QueueLength:
    """Count what waits; ``which`` is said in the words of an index, so that nothing else is read."""
    due = sa.case((since <= micros(now), since))
    row = connection.execute(sa.select(sa.func.count(), sa.func.min(due)).where(sa.text(which))).one()
    return QueueLength(number=row[0], oldest=moment_or_none(row[1]))
