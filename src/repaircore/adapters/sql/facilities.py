"""Facilities in the database."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import translating_errors
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.engine.references import count_references
from repaircore.adapters.sql.schema.transactions import facilities, transaction_sums, transactions
from repaircore.facilities.labor import LaborBill
from repaircore.facilities.model import Facility, FacilityFields, FacilityMonth, FacilityStats, StateSummary
from repaircore.facilities.normalization import fields_of
from repaircore.facilities.ports import FacilityRecords, LaborBills
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import Point
from repaircore.kernel.paging import Page, PageRequest
from repaircore.kernel.spelling import key
from repaircore.transactions.sums import Dimension

_BATCH: Final = 2_000

_ORDERS: Final = Orders(
    of="facilities",
    columns={
        "facility_name": facilities.c.name_key,
        "city": sa.func.coalesce(facilities.c.city_key, ""),
        "state": sa.func.coalesce(facilities.c.state, ""),
        "zip_code": sa.func.coalesce(facilities.c.zip_code, ""),
        "avg_labor_rate": sa.func.coalesce(facilities.c.avg_labor_rate, 0),
        "created_at": facilities.c.id,  # ids increase with time
    },
    id=facilities.c.id,
    usual="facility_name",
)
_known_rate = sa.func.nullif(facilities.c.avg_labor_rate, 0)


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
        sample_size=row.sample_size,
        version=row.version,
    )


def _values(shop: FacilityFields, point: Point | None) -> dict[str, Any]:
    return {
        "name": shop.name,
        "name_key": key(shop.name),
        "city": shop.city,
        "city_key": None if shop.city is None else key(shop.city),
        "state": shop.state,
        "zip_code": shop.zip_code,
        "country": shop.country,
        "avg_labor_rate": shop.avg_labor_rate,
        "latitude": None if point is None else point.latitude,
        "longitude": None if point is None else point.longitude,
    }


class SqlFacilities(FacilityRecords):
    """The stored facilities."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, shop: FacilityFields, *, point: Point | None, at: datetime) -> Facility:
        insert = sa.insert(facilities).values(**_values(shop, point), created_at=micros(at))
        with translating_errors():
            return _facility(self._connection.execute(insert.returning(facilities)).one())

    @override
    def by_id(self, facility_id: int) -> Facility | None:
        found = sa.select(facilities).where(facilities.c.id == facility_id)
        row = self._connection.execute(found).one_or_none()
        return None if row is None else _facility(row)

    @override
    def replace(self, old: Facility, new: Facility) -> Facility:
        saved = evolve(new, version=old.version + 1)
        unchanged = (facilities.c.id == old.id, facilities.c.version == old.version)
        update = sa.update(facilities).where(*unchanged)
        with translating_errors():
            done = self._connection.execute(
                update.values(
                    **_values(fields_of(saved), saved.point),
                    sample_size=saved.sample_size,
                    version=saved.version,
                )
            )
        if done.rowcount != 1:
            raise Conflict("The region was changed by another request. Reload it and try again.")
        return saved

    @override
    def remove(self, facility_id: int) -> bool:
        with translating_errors():
            gone = self._connection.execute(sa.delete(facilities).where(facilities.c.id == facility_id))
        return gone.rowcount == 1

    @override
    def referents(self, facility_id: int) -> Mapping[str, int]:
        return count_references(self._connection, facilities.c.id, facility_id)

    @override
    def page(self, *, search: str, state: str | None, request: PageRequest) -> Page[Facility]:
        found = sa.select(facilities).where(*_criteria(search, state))
        return listed(self._connection, found, request, _ORDERS, _facility)

    @override
    def named(self, names: Collection[str]) -> Sequence[Facility]:
        alike = sa.select(facilities).where(facilities.c.name_key.in_({key(name) for name in names}))
        return [_facility(row) for row in self._connection.execute(alike.order_by(facilities.c.id))]

    @override
    def after(self, facility_id: int, *, limit: int) -> Sequence[Facility]:
        rest = sa.select(facilities).where(facilities.c.id > facility_id)
        return [
            _facility(row) for row in self._connection.execute(rest.order_by(facilities.c.id).limit(limit))
        ]

    @override
    def states(self) -> Sequence[StateSummary]:
        summed = (
            sa.select(
                facilities.c.state, sa.func.count(), sa.func.count(_known_rate), sa.func.avg(_known_rate)
            )
            .where(facilities.c.state.is_not(None))
            .group_by(facilities.c.state)
        )
        found = [
            StateSummary(state=state, shops=shops, with_rate=with_rate, mean_rate=_mean(mean))
            for state, shops, with_rate, mean in self._connection.execute(summed)
        ]
        # Databases differ in their collations.
        return sorted(found, key=lambda summary: (summary.state.casefold(), summary.state))

    @override
    def stats(self, environment: Environment) -> FacilityStats:
        summed = sa.select(
            sa.func.count(),
            sa.func.count(_known_rate),
            sa.func.count(facilities.c.state.distinct()),
            sa.func.avg(_known_rate),
            sa.func.min(_known_rate),
            sa.func.max(_known_rate),
            sa.func.coalesce(sa.func.sum(facilities.c.sample_size), 0),
        )
        shops, with_rate, states, mean, lowest, highest, samples = self._connection.execute(summed).one()
        return FacilityStats(
            shops=shops,
            with_rate=with_rate,
            states=states,
            mean_rate=_mean(mean),
            lowest_rate=lowest,
            highest_rate=highest,
            sample_size=int(samples),
            by_month=tuple(self._months(environment)),
        )

    @override
    def around(self, point: Point, *, degrees: float) -> Sequence[Facility]:
        south, north = point.latitude - degrees, point.latitude + degrees
        near = (
            sa.select(facilities).where(facilities.c.latitude.between(south, north)).order_by(facilities.c.id)
        )
        return [_facility(row) for row in self._connection.execute(near)]

    def _months(self, environment: Environment) -> Iterator[FacilityMonth]:
        sums = transaction_sums.c
        summed = (
            sa.select(
                sums.month, *(sa.func.sum(column) for column in (sums.n, sums.parts_total, sums.labor_total))
            )
            .where(sums.environment == environment, sums.dimension == Dimension.FACILITY)
            .group_by(sums.month)
            .order_by(sums.month)
        )
        for month, n, parts_total, labor_total in self._connection.execute(summed):
            yield FacilityMonth(
                month=month, transactions=int(n), parts_total=int(parts_total), labor_total=int(labor_total)
            )


class SqlLaborBills(LaborBills):
    """The labor on the stored live invoices."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def of(self, facility_id: int) -> Iterator[LaborBill]:
        invoice = transactions.c
        labor = (
            sa.select(invoice.performed_on, invoice.labor_hours, invoice.labor_total)
            .where(invoice.facility_id == facility_id, invoice.environment == Environment.LIVE)
            .execution_options(yield_per=_BATCH)
        )
        for performed_on, hours, total in self._connection.execute(labor):
            yield LaborBill(performed_on=date.fromisoformat(performed_on), hours=hours, total=total)


def _criteria(search: str, state: str | None) -> list["sa.ColumnElement[bool]"]:
    criteria = [] if state is None else [facilities.c.state == state]
    if not search.strip():
        return criteria
    words = key(search)
    found = [facilities.c.zip_code.startswith(search.strip(), autoescape=True)]
    if words:
        found += [column.contains(words) for column in (facilities.c.name_key, facilities.c.city_key)]
    return [*criteria, sa.or_(*found)]


def _mean(value: Any) -> float | None:
    return None if value is None else float(value)
