"""The timelines of records in the database."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.schema.operations import timeline
from repaircore.json_text import decode, encode_text
from repaircore.kernel.timeline import Step, Timelines


class SqlTimelines(Timelines):
    """The stored steps."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, subject: str, step: Step) -> None:
        self._connection.execute(
            sa.insert(timeline).values(
                subject=subject,
                at=micros(step.at),
                action=step.action,
                before=step.before,
                after=step.after,
                actor=step.actor,
                detail=None if step.detail is None else encode_text(step.detail),
            )
        )

    @override
    def list_for(self, subject: str) -> Sequence[Step]:
        query = sa.select(timeline).where(timeline.c.subject == subject).order_by(timeline.c.id)
        return [
            Step(
                at=moment(row.at),
                action=row.action,
                before=row.before,
                after=row.after,
                actor=row.actor,
                detail=None if row.detail is None else decode(row.detail),
            )
            for row in self._connection.execute(query)
        ]
