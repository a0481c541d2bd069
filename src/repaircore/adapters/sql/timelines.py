"""Timelines in the database."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec
from repaircore.adapters.sql.schema.operations import timeline
from repaircore.kernel.timeline import Step, Timelines

step_codec: Final = RowCodec(Step)


class SqlTimelines(Timelines):
    """The stored timeline steps."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, subject: str, step: Step) -> None:
        self._connection.execute(sa.insert(timeline).values(subject=subject, **step_codec.write(step)))

    @override
    def list_for(self, subject: str) -> Sequence[Step]:
        query = sa.select(timeline).where(timeline.c.subject == subject).order_by(timeline.c.id)
        return [step_codec.read(row) for row in self._connection.execute(query)]
