"""The recalls that owners have marked as done, in the database."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.fleet import fleet_recall_marks as marks
from repaircore.recalls.ports import RecallMarks


class SqlRecallMarks(RecallMarks):
    """Stored marks."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def of(self, vehicle_id: UUID) -> Mapping[str, datetime]:
        found = sa.select(marks.c.campaign, marks.c.dealt_with_at).where(
            marks.c.fleet_vehicle_id == str(vehicle_id)
        )
        return {row.campaign: moment(row.dealt_with_at) for row in self._connection.execute(found)}

    @override
    def mark(self, vehicle_id: UUID, campaign: str, *, at: datetime) -> bool:
        insert = upsert(self._connection, marks).values(
            fleet_vehicle_id=str(vehicle_id), campaign=campaign, dealt_with_at=micros(at)
        )
        inserted = insert.on_conflict_do_nothing().returning(marks.c.campaign)
        return self._connection.execute(inserted).one_or_none() is not None

    @override
    def unmark(self, vehicle_id: UUID, campaign: str) -> bool:
        which = (marks.c.fleet_vehicle_id == str(vehicle_id), marks.c.campaign == campaign)
        return self._connection.execute(sa.delete(marks).where(*which)).rowcount == 1
