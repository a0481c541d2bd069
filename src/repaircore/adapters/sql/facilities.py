"""Shops in the database."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.dialects import translated
from repaircore.adapters.sql.tables import facilities
from repaircore.adapters.sql.values import micros, moment
from repaircore.facilities.model import Facility
from repaircore.facilities.ports import Facilities
from repaircore.facilities.rates import NO_SHOPS, ShopRates
from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents

__all__ = ["SqlFacilities"]


def _facility(row: "Row[tuple[object, ...]]") -> Facility:
    return Facility(
        id=row.id,
        name=row.name,
        city=row.city,
        state=row.state,
        zip_code=row.zip_code,
        country=row.country,
        avg_labor_rate=row.avg_labor_rate,
        point=None if row.latitude is None else Point(row.latitude, row.longitude),
        created_at=moment(row.created_at),
    )


class SqlFacilities(Facilities):
    """The kept shops."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(
        self,
        *,
        name: str,
        city: str | None,
        state: str | None,
        zip_code: str | None,
        country: str | None,
        avg_labor_rate: Cents | None,
        point: Point | None,
        at: datetime,
    ) -> Facility:
        insert = sa.insert(facilities).values(
            name=name,
            city=city,
            state=state,
            zip_code=zip_code,
            country=country,
            avg_labor_rate=avg_labor_rate,
            latitude=None if point is None else point.latitude,
            longitude=None if point is None else point.longitude,
            created_at=micros(at),
        )
        with translated():
            return _facility(self._connection.execute(insert.returning(facilities)).one())

    @override
    def by_id(self, facility_id: int) -> Facility | None:
        found = sa.select(facilities).where(facilities.c.id == facility_id)
        row = self._connection.execute(found).one_or_none()
        return None if row is None else _facility(row)

    @override
    def after(self, facility_id: int, *, limit: int) -> Sequence[Facility]:
        rest = sa.select(facilities).where(facilities.c.id > facility_id)
        return [
            _facility(row) for row in self._connection.execute(rest.order_by(facilities.c.id).limit(limit))
        ]

    @override
    def around(self, point: Point, *, degrees: float) -> Sequence[Facility]:
        south, north = point.latitude - degrees, point.latitude + degrees
        near = (
            sa.select(facilities).where(facilities.c.latitude.between(south, north)).order_by(facilities.c.id)
        )
        return [_facility(row) for row in self._connection.execute(near)]

    @override
    def rates_in(self, state: str) -> ShopRates:
        told = sa.select(
            sa.func.count(facilities.c.avg_labor_rate), sa.func.avg(facilities.c.avg_labor_rate)
        ).where(facilities.c.state == state)
        count, mean = self._connection.execute(told).one()
        return ShopRates(count, float(mean)) if count else NO_SHOPS
