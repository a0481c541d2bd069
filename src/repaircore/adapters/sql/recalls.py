"""Recalls in the database."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import ColumnCodec, RowCodec, micros, moment
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.outdated_outlooks import outdate_outlook
from repaircore.adapters.sql.schema.fleet import fleet_recall_marks as marks
from repaircore.adapters.sql.schema.recalls import recall_campaigns, recall_years, recalled_vehicles
from repaircore.kernel.spelling import key, make_key
from repaircore.recalls.model import Campaign, Recall, RecalledVehicle
from repaircore.recalls.ports import RecallMarks, RecallRecords

_NO_YEAR: Final = 0
"""Stored for a missing year, because NULL cannot be part of a primary key."""

_UPDATED: Final = [column.name for column in recall_campaigns.c if not column.primary_key]

_joined = recalled_vehicles.join(
    recall_campaigns, recall_campaigns.c.campaign == recalled_vehicles.c.campaign
)
_columns = (*recall_campaigns.c, *(column for column in recalled_vehicles.c if column.name != "campaign"))

_campaign: Final = RowCodec(Campaign)
_year: Final = ColumnCodec(read=lambda stored: stored or None, write=lambda year: year)
_vehicle: Final = RowCodec(RecalledVehicle, year=_year)


class SqlRecalls(RecallRecords):
    """The imported recalls."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def campaigns(self, numbers: Collection[str]) -> Sequence[Campaign]:
        found = sa.select(recall_campaigns).where(recall_campaigns.c.campaign.in_(numbers))
        return [_campaign.read(row) for row in self._connection.execute(found)]

    @override
    def vehicles(self, numbers: Collection[str]) -> Sequence[RecalledVehicle]:
        found = sa.select(recalled_vehicles).where(recalled_vehicles.c.campaign.in_(numbers))
        return [_vehicle.read(row) for row in self._connection.execute(found)]

    @override
    def save_campaigns(self, campaigns: Collection[Campaign]) -> None:
        if campaigns:
            insert = upsert(self._connection, recall_campaigns)
            updated = {name: insert.excluded[name] for name in _UPDATED}
            self._connection.execute(
                insert.on_conflict_do_update(index_elements=["campaign"], set_=updated),
                [_campaign.write(campaign) for campaign in campaigns],
            )

    @override
    def save_vehicles(self, vehicles: Collection[RecalledVehicle]) -> None:
        if vehicles:
            insert = upsert(self._connection, recalled_vehicles)
            self._connection.execute(
                insert.on_conflict_do_update(
                    index_elements=[column.name for column in recalled_vehicles.primary_key],
                    set_={"component": insert.excluded.component},
                ),
                [_vehicle_values(vehicle) for vehicle in vehicles],
            )

    @override
    def of(self, *, make: str, year: int) -> Sequence[Recall]:
        criteria = (
            recalled_vehicles.c.make_key == make_key(make),
            recalled_vehicles.c.year.in_({year, _NO_YEAR}),
        )
        newest_first = (
            sa.func.coalesce(recall_campaigns.c.reported_on, "").desc(),
            recall_campaigns.c.campaign.desc(),
            recalled_vehicles.c.model_key,
            recalled_vehicles.c.year.desc(),
        )
        found = sa.select(*_columns).select_from(_joined).where(*criteria).order_by(*newest_first)
        return [_recall(row) for row in self._connection.execute(found)]

    @override
    def after(self, campaign: str, *, limit: int) -> Sequence[Recall]:
        number = recalled_vehicles.alias().c.campaign
        next_campaigns = sa.select(number).where(number > campaign).distinct().order_by(number).limit(limit)
        order = (recalled_vehicles.c[name] for name in ("campaign", "make_key", "model_key", "year"))
        found = (
            sa.select(*_columns)
            .select_from(_joined)
            .where(recalled_vehicles.c.campaign.in_(next_campaigns))
            .order_by(*order)
        )
        return [_recall(row) for row in self._connection.execute(found)]

    @override
    def covered_years(self) -> Sequence[int]:
        years = sa.select(recall_years.c.year).order_by(recall_years.c.year)
        return list(self._connection.scalars(years))

    @override
    def cover_years(self, years: Collection[int]) -> None:
        if years:
            insert = upsert(self._connection, recall_years).on_conflict_do_nothing()
            self._connection.execute(insert, [{"year": year} for year in sorted(years)])


def _recall(row: "Row[tuple[object, ...]]") -> Recall:
    return Recall(campaign=_campaign.read(row), vehicle=_vehicle.read(row))


def _vehicle_values(vehicle: RecalledVehicle) -> dict[str, Any]:
    return {
        **_vehicle.write(vehicle),
        "make_key": make_key(vehicle.make),
        "model_key": key(vehicle.model),
        "year": vehicle.year or _NO_YEAR,
    }


class SqlRecallMarks(RecallMarks):
    """The recalls that are marked as done, by vehicle."""

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
        outdate_outlook(self._connection, vehicle_id)
        return self._connection.execute(inserted).one_or_none() is not None

    @override
    def unmark(self, vehicle_id: UUID, campaign: str) -> bool:
        criteria = (marks.c.fleet_vehicle_id == str(vehicle_id), marks.c.campaign == campaign)
        outdate_outlook(self._connection, vehicle_id)
        return self._connection.execute(sa.delete(marks).where(*criteria)).rowcount == 1
