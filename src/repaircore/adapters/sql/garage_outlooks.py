"""Outlooks for garage vehicles in the database: what each vehicle needs and costs, and sums over vehicles."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.fleet_vehicles import FLEET_VEHICLES, fleet_vehicle_of
from repaircore.adapters.sql.garage import (
    GARAGE_VEHICLES,
    LABELS,
    LISTED,
    cost_of,
    garage_vehicle_of,
    matching,
)
from repaircore.adapters.sql.garage_history import GarageHistory
from repaircore.adapters.sql.schema.fleet import fleet_vehicles
from repaircore.adapters.sql.schema.garage import garage_outlooks as outlooks
from repaircore.adapters.sql.schema.garage import garage_services as services
from repaircore.adapters.sql.schema.garage import garage_vehicles as garage
from repaircore.garage.expenses import months_from, year_from
from repaircore.garage.model import (
    DUE_DAYS,
    NOTHING_PAID,
    DueService,
    FleetSums,
    GarageCounts,
    GarageFilter,
    GarageVehicle,
    ListedService,
    ModelCost,
    MonthCost,
    Outlook,
    PaidCosts,
    ServiceBasis,
    VehicleRecords,
    VehicleService,
)
from repaircore.garage.ports import GarageOutlooks
from repaircore.json_text import encode_text
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import PriceRange
from repaircore.kernel.paging import Page, PageRequest
from repaircore.pricing.sums import NO_COST, CostSum, cost_of_lines, deviation_of
from repaircore.schedules.due import Interval

_serviced: sa.Column[str] = services.c.fleet_vehicle_id
_LINES: Final = (
    sa.func.count().label("n"),
    sa.func.coalesce(sa.func.sum(services.c.average), 0).label("average"),
    sa.func.coalesce(sa.func.sum(services.c.deviation), 0).label("deviation"),
    sa.func.coalesce(sa.func.sum(services.c.deviation * services.c.deviation), 0).label("squares"),
)


_ORDERS: Final = Orders(
    of="services",
    columns={"due_on": services.c.due_on},
    # Rows are replaced when an outlook is recomputed, so their own ids are not stable.
    id=_serviced + " " + services.c.name,
    usual="due_on",
)


class SqlGarageOutlooks(GarageOutlooks):
    """The stored outlooks."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def list_outdated(
        self, *, before: date, environment: Environment | None, owner_id: int | None, limit: int
    ) -> Sequence[GarageVehicle]:
        found = (
            GARAGE_VEHICLES.join(outlooks, outlooks.c.fleet_vehicle_id == garage.c.fleet_vehicle_id)
            .where(outlooks.c.valid_on < before.isoformat())
            .limit(limit)
        )
        if environment is not None:
            found = found.where(fleet_vehicles.c.environment == environment)
        if owner_id is not None:
            found = found.where(fleet_vehicles.c.owner_id == owner_id)
        return [garage_vehicle_of(row) for row in self._connection.execute(found)]

    @override
    def is_valid(self, vehicle_id: UUID, *, on: date) -> bool:
        valid_on = sa.select(outlooks.c.valid_on).where(outlooks.c.fleet_vehicle_id == str(vehicle_id))
        return bool(self._connection.execute(valid_on).scalar_one_or_none() == on.isoformat())

    @override
    def unplanned_of(self, vehicle_id: UUID) -> CostSum | None:
        found = sa.select(outlooks).where(outlooks.c.fleet_vehicle_id == str(vehicle_id))
        row = self._connection.execute(found).one_or_none()
        if row is None or row.unplanned is None:
            return None
        return CostSum(mean=row.unplanned, common=row.unplanned_common, own=row.unplanned_own)

    @override
    def load_records(
        self, vehicles: Collection[GarageVehicle], *, since: date
    ) -> Mapping[UUID, VehicleRecords]:
        history = GarageHistory(self._connection)
        ids = [str(vehicle.id) for vehicle in vehicles]
        readings, planned = history.readings(ids, since=since), history.planned(ids)
        completed = history.completed(ids)
        fleet = [vehicle.vehicle for vehicle in vehicles]
        paid, done = history.paid(fleet, since=since)
        zips = history.default_zips({(vehicle.environment, vehicle.owner_id) for vehicle in fleet})
        return {
            vehicle.id: VehicleRecords(
                readings=tuple(readings.get(str(vehicle.id), ())),
                planned=tuple(planned.get(str(vehicle.id), ())),
                done=(*completed.get(str(vehicle.id), ()), *done.get(vehicle.id, ())),
                paid=paid.get(vehicle.id, NOTHING_PAID),
                default_zip=zips.get((vehicle.environment.value, vehicle.owner_id)),
            )
            for vehicle in fleet
        }

    @override
    def save(self, outlooks_: Collection[Outlook]) -> None:
        ids = [str(outlook.vehicle_id) for outlook in outlooks_]
        stored = sa.select(outlooks.c.fleet_vehicle_id).where(outlooks.c.fleet_vehicle_id.in_(ids))
        known = set(self._connection.execute(stored).scalars())
        saved = [outlook for outlook in outlooks_ if str(outlook.vehicle_id) in known]
        if not saved:
            return
        self._connection.execute(sa.delete(services).where(_serviced.in_(known)))
        update = sa.update(outlooks).where(outlooks.c.fleet_vehicle_id == sa.bindparam("vehicle"))
        self._connection.execute(update, [_outlook_values(outlook) for outlook in saved])
        rows = [row for outlook in saved for row in _service_rows(outlook)]
        if rows:
            self._connection.execute(sa.insert(services), rows)

    @override
    def sums(self, wanted: GarageFilter, *, today: date) -> FleetSums:
        conditions = [*matching(wanted, today)]
        counts, unplanned = self._counts(conditions, today)
        planned = self._months(
            sa.select(garage.c.fleet_vehicle_id).select_from(LISTED).where(*conditions), today
        )
        months = tuple(
            MonthCost(
                month=month,
                services=0 if found is None else found.services,
                cost=unplanned.part(share) + (NO_COST if found is None else found.cost),
            )
            for month, share in months_from(today)
            for found in (planned.get(month),)
        )
        models = self._models(conditions)
        return FleetSums(
            counts=counts,
            today=today,
            due_now=planned.get(f"{today:%Y-%m}", MonthCost(month=f"{today:%Y-%m}", services=0)),
            months=months,
            year=sum((model.cost for model in models), NO_COST),
            models=models,
        )

    @override
    def list_paid(self, wanted: GarageFilter, *, since: date, today: date) -> Sequence[PaidCosts]:
        found = (
            FLEET_VEHICLES.join(garage, garage.c.fleet_vehicle_id == fleet_vehicles.c.id)
            .join(outlooks, outlooks.c.fleet_vehicle_id == garage.c.fleet_vehicle_id)
            # Outlooks record which vehicles had no payments in a year, and are recomputed after a payment.
            .where(*matching(wanted, today), sa.or_(outlooks.c.past_year.is_(None), outlooks.c.past_year > 0))
        )
        vehicles = [fleet_vehicle_of(row) for row in self._connection.execute(found)]
        paid, _ = GarageHistory(self._connection).paid(vehicles, since=since)
        return [*paid.values()]

    @override
    def page_of_services(
        self, wanted: GarageFilter, request: PageRequest, *, due_by: date, today: date
    ) -> Page[ListedService]:
        query = (
            sa.select(fleet_vehicles.c.id.label("vehicle_id"), fleet_vehicles.c.vin, *_LABELS, *_SERVICE)
            .select_from(LISTED.join(services, _serviced == garage.c.fleet_vehicle_id))
            .where(*matching(wanted, today), services.c.turn == 1, services.c.due_on <= due_by.isoformat())
        )
        return listed(self._connection, query, request, _ORDERS, listed_service)

    @override
    def services_of(self, vehicle_id: UUID) -> Sequence[VehicleService]:
        found = (
            sa.select(*_SERVICE)
            .where(_serviced == str(vehicle_id), services.c.turn == 1)
            .order_by(services.c.due_on, services.c.id)
        )
        return [_service(row) for row in self._connection.execute(found)]

    @override
    def months_of(self, vehicle_id: UUID, *, today: date) -> Sequence[MonthCost]:
        return [*self._months(sa.select(sa.literal(str(vehicle_id))), today).values()]

    def _counts(
        self, conditions: Sequence["sa.ColumnElement[bool]"], today: date
    ) -> tuple[GarageCounts, CostSum]:
        near = date.fromordinal(today.toordinal() + DUE_DAYS).isoformat()
        next_due = (
            sa.select(sa.func.min(services.c.due_on))
            .where(_serviced == garage.c.fleet_vehicle_id, services.c.turn == 1)
            .correlate(garage)
            .scalar_subquery()
        )
        rows = (
            sa.select(outlooks, next_due.label("next_due")).select_from(LISTED).where(*conditions).subquery()
        )
        c = rows.c
        row = self._connection.execute(
            sa.select(
                sa.func.count().label("vehicles"),
                _number(c.next_due < today.isoformat()).label("overdue"),
                _number(c.next_due <= near).label("due"),
                _number(c.open_recalls > 0).label("with_recalls"),
                _number(c.unplanned.is_not(None)).label("priced"),
                _number(c.computed_on.is_(None)).label("pending"),
                _sum(c.value_middle).label("value"),
                _sum(c.past_year).label("past_year"),
                *(_sum(c[name]).label(name) for name in ("unplanned", "unplanned_common", "unplanned_own")),
            )
        ).one()
        names = ("vehicles", "overdue", "due", "with_recalls", "priced", "pending", "value", "past_year")
        unplanned = CostSum(
            mean=float(row.unplanned), common=float(row.unplanned_common), own=float(row.unplanned_own)
        )
        return GarageCounts(**{name: int(getattr(row, name)) for name in names}), unplanned

    def _months(self, ids: "sa.Select[Any]", today: date) -> Mapping[str, MonthCost]:
        day = sa.case((services.c.due_on < today.isoformat(), today.isoformat()), else_=services.c.due_on)
        month = sa.func.substr(day, 1, 7).label("month")
        query = (
            sa.select(month, *_LINES)
            .where(_serviced.in_(ids), services.c.due_on < year_from(today).isoformat())
            .group_by(month)
            .order_by(month)
        )
        return {
            row.month: MonthCost(month=row.month, services=row.n, cost=_lines_cost(row))
            for row in self._connection.execute(query)
        }

    def _models(self, conditions: Sequence["sa.ColumnElement[bool]"]) -> tuple[ModelCost, ...]:
        names = ("planned", "planned_common", "planned_own", "unplanned", "unplanned_common", "unplanned_own")
        query = (
            sa.select(
                garage.c.make,
                garage.c.model,
                sa.func.count().label("vehicles"),
                *(_sum(outlooks.c[name]).label(name) for name in names),
                _sum(outlooks.c.past_year).label("past_year"),
                _sum(outlooks.c.cost_amount).label("cost_amount"),
                _sum(outlooks.c.cost_miles).label("cost_miles"),
            )
            .select_from(LISTED)
            .where(*conditions)
            .group_by(garage.c.make, garage.c.model)
            .order_by(garage.c.make, garage.c.model)
        )
        return tuple(
            ModelCost(
                make=row.make,
                model=row.model,
                vehicles=row.vehicles,
                cost=cost_of(row) or NO_COST,
                past_year=int(row.past_year),
                miles=int(row.cost_miles),
                cost_per_mile=float(row.cost_amount / row.cost_miles) if row.cost_miles else None,
            )
            for row in self._connection.execute(query)
        )


_LABELS: Final = (
    garage.c.display_name,
    *(garage.c[name] for name in ("unit_number", "nickname", "department", "zip_code", "in_service_on")),
)
_SERVICE: Final = tuple(
    services.c[name]
    for name in (
        *("name", "title", "due_on", "due_mileage", "interval_miles", "interval_months"),
        *("basis", "period", "low", "average", "high"),
    )
)


def _number(condition: "sa.ColumnElement[bool]") -> "sa.ColumnElement[int]":
    return sa.func.coalesce(sa.func.sum(sa.case((condition, 1), else_=0)), 0)


def _sum(column: "sa.ColumnElement[Any]") -> "sa.ColumnElement[Any]":
    return sa.func.coalesce(sa.func.sum(column), 0)


def _lines_cost(row: "Row[Any]") -> CostSum:
    return cost_of_lines(
        average=float(row.average), deviation=float(row.deviation), squares=float(row.squares)
    )


def listed_service(row: Any) -> ListedService:
    """Return the service in a row, with its vehicle."""
    return ListedService(
        vehicle_id=UUID(row.vehicle_id),
        vin=row.vin,
        display_name=row.display_name,
        labels=LABELS.read(row),
        service=_service(row),
    )


def _service(row: Any) -> VehicleService:
    is_priced = row.average is not None
    return VehicleService(
        name=row.name,
        title=row.title,
        due_on=date.fromisoformat(row.due_on),
        due_mileage=row.due_mileage,
        interval=Interval(months=row.interval_months, miles=row.interval_miles),
        basis=ServiceBasis(row.basis),
        period=row.period,
        price=PriceRange(low=row.low, average=row.average, high=row.high) if is_priced else None,
    )


def _outlook_values(outlook: Outlook) -> dict[str, Any]:
    driving, planned, unplanned = outlook.driving, outlook.planned, outlook.unplanned
    is_priced, mile = unplanned is not None, outlook.cost_per_mile
    today = outlook.computed_on.isoformat()
    return {
        "vehicle": str(outlook.vehicle_id),
        "valid_on": today,
        "computed_on": today,
        "odometer": driving.since.miles if driving.is_read else None,
        "odometer_on": driving.since.day.isoformat() if driving.is_read else None,
        "pace": driving.pace,
        "pace_basis": driving.basis.value,
        "planned": planned.mean if is_priced else None,
        "planned_common": planned.common if is_priced else None,
        "planned_own": planned.own if is_priced else None,
        "unplanned": None if unplanned is None else unplanned.mean,
        "unplanned_common": None if unplanned is None else unplanned.common,
        "unplanned_own": None if unplanned is None else unplanned.own,
        "health": outlook.health,
        "grade": None if outlook.grade is None else outlook.grade.value,
        "open_recalls": outlook.open_recalls,
        "recall_coverage": None if outlook.recall_coverage is None else outlook.recall_coverage.value,
        "value_low": outlook.value.low,
        "value_middle": outlook.value.middle,
        "value_high": outlook.value.high,
        "past_year": outlook.past_year,
        "cost_per_mile": None if mile is None else mile.cents,
        "cost_miles": None if mile is None else mile.miles,
        "cost_amount": None if mile is None else mile.amount,
        "cost_since": None if mile is None else mile.since.isoformat(),
        "cost_until": None if mile is None else mile.until.isoformat(),
        "warnings": encode_text([warning.value for warning in outlook.warnings]),
    }


def _service_rows(outlook: Outlook) -> Iterator[dict[str, Any]]:
    for service in outlook.services:
        for turn, day in enumerate(service.days, start=1):
            yield {
                "fleet_vehicle_id": str(outlook.vehicle_id),
                "turn": turn,
                "due_on": day.isoformat(),
                **_service_values(service),
            }


def _service_values(service: DueService) -> dict[str, Any]:
    price = service.price
    return {
        "name": service.key,
        "title": service.title,
        "due_mileage": service.due.miles,
        "basis": service.basis.value,
        "period": service.due.period,
        "interval_miles": service.interval.miles,
        "interval_months": service.interval.months,
        "low": None if price is None else price.low,
        "average": None if price is None else price.average,
        "high": None if price is None else price.high,
        "deviation": None if price is None else deviation_of(price),
    }
