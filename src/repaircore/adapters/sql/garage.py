"""Garage vehicles in the database: stored, listed and counted."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros, moment
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.fleet_vehicles import FLEET_VEHICLES, fleet_vehicle_of
from repaircore.adapters.sql.outdated_outlooks import NEVER, outdate_outlook
from repaircore.adapters.sql.schema.fleet import fleet_vehicles
from repaircore.adapters.sql.schema.garage import garage_outlooks as outlooks
from repaircore.adapters.sql.schema.garage import garage_services as services
from repaircore.adapters.sql.schema.garage import garage_vehicles as garage
from repaircore.garage.errors import GarageVehicleChanged, NotInGarage
from repaircore.garage.model import (
    DUE_DAYS,
    DueFilter,
    GarageFilter,
    GarageVehicle,
    Labels,
    ListedVehicle,
    OutlookWarning,
    VehicleValueRange,
)
from repaircore.garage.ports import GarageRecords
from repaircore.health.score import Grade
from repaircore.json_text import decode
from repaircore.kernel.callers import Environment
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.paging import Page, PageRequest
from repaircore.pricing.sums import CostSum
from repaircore.recalls.campaign_years import CampaignCoverage
from repaircore.vehicles import vin as vins

_MOST_WORDS: Final = 8
LABELS: Final = RowCodec(Labels)
_OWN: Final = (*(column.name for column in garage.c if column.name != "fleet_vehicle_id"),)

GARAGE_VEHICLES: Final = FLEET_VEHICLES.add_columns(
    *(garage.c[name].label(f"garage_{name}") for name in _OWN)
).join(garage, garage.c.fleet_vehicle_id == fleet_vehicles.c.id)
"""Selects garage vehicles with their records; ``garage_vehicle_of`` reads its rows."""

_GARAGE_LABELS: Final = RowCodec(
    Labels,
    {
        name: f"garage_{name}"
        for name in ("unit_number", "nickname", "department", "zip_code", "in_service_on")
    },
)


def garage_vehicle_of(row: "Row[Any]") -> GarageVehicle:
    """Return the garage vehicle in a row of ``GARAGE_VEHICLES``."""
    return GarageVehicle(
        vehicle=fleet_vehicle_of(row),
        labels=_GARAGE_LABELS.read(row),
        added_at=moment(row.garage_added_at),
        tracked_miles=row.garage_tracked_miles,
        version=row.garage_version,
    )


LISTED: Final = fleet_vehicles.join(garage, garage.c.fleet_vehicle_id == fleet_vehicles.c.id).join(
    outlooks, outlooks.c.fleet_vehicle_id == garage.c.fleet_vehicle_id
)
"""Joins garage vehicles with their labels and outlooks."""

_NEXT: Final = sa.and_(services.c.fleet_vehicle_id == garage.c.fleet_vehicle_id, services.c.turn == 1)
_NEXT_DUE: Final = sa.select(sa.func.min(services.c.due_on)).where(_NEXT).correlate(garage).scalar_subquery()
_NEXT_TITLE: Final = (
    sa.select(services.c.title)
    .where(_NEXT)
    .order_by(services.c.due_on, services.c.id)
    .limit(1)
    .correlate(garage)
    .scalar_subquery()
)
_ORDERS: Final = Orders(
    of="garage",
    columns={
        "name": garage.c.display_name,
        "unit_number": sa.func.coalesce(sa.literal("0", sa.Text) + garage.c.unit_number, "1"),
        "added_at": garage.c.added_at,
        "next_due_on": sa.func.coalesce(_NEXT_DUE, "9999-12-31"),
        "health": sa.func.coalesce(outlooks.c.health, 101.0),
        "cost": sa.func.coalesce(outlooks.c.planned + outlooks.c.unplanned, -1.0),
        "cost_per_mile": sa.func.coalesce(outlooks.c.cost_per_mile, -1.0),
        "odometer": sa.func.coalesce(outlooks.c.odometer, -1),
        "value": sa.func.coalesce(outlooks.c.value_middle, -1),
    },
    id=fleet_vehicles.c.id,
    usual="name",
)
"""Unknown values sort above every unit, date and health score but below every amount, so they usually come last."""


class SqlGarage(GarageRecords):
    """The stored garage vehicles."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def count(self, *, environment: Environment, owner_id: int) -> int:
        count = sa.select(sa.func.count()).select_from(LISTED).where(*_owned(environment, owner_id))
        return self._connection.execute(count).scalar_one()

    @override
    def add(self, vehicle: GarageVehicle) -> bool:
        insert = upsert(self._connection, garage).values(
            fleet_vehicle_id=str(vehicle.id),
            added_at=micros(vehicle.added_at),
            tracked_miles=vehicle.tracked_miles,
            version=vehicle.version,
            **_values(vehicle),
        )
        inserted = insert.on_conflict_do_nothing().returning(garage.c.fleet_vehicle_id)
        if self._connection.execute(inserted).one_or_none() is None:
            return False
        self._connection.execute(sa.insert(outlooks).values(fleet_vehicle_id=str(vehicle.id), valid_on=NEVER))
        return True

    @override
    def find(self, vehicle: str, *, environment: Environment, owner_id: int) -> GarageVehicle | None:
        number = parse_uuid(vehicle)
        criterion = (
            fleet_vehicles.c.vin == vins.normalize(vehicle)
            if number is None
            else fleet_vehicles.c.id == str(number)
        )
        found = GARAGE_VEHICLES.where(criterion, *_owned(environment, owner_id)).limit(1)
        row = self._connection.execute(found).one_or_none()
        return None if row is None else garage_vehicle_of(row)

    @override
    def update(self, old: GarageVehicle, new: GarageVehicle) -> GarageVehicle:
        this = garage.c.fleet_vehicle_id == str(old.id)
        update = sa.update(garage).where(this, garage.c.version == old.version)
        done = self._connection.execute(update.values(version=old.version + 1, **_values(new)))
        if done.rowcount != 1:
            found = self._connection.execute(sa.select(garage.c.version).where(this)).scalar_one_or_none()
            raise NotInGarage if found is None else GarageVehicleChanged(found)
        outdate_outlook(self._connection, old.id)
        return evolve(new, version=old.version + 1)

    @override
    def track_from(self, vehicle_id: UUID, miles: int) -> None:
        update = sa.update(garage).where(
            garage.c.fleet_vehicle_id == str(vehicle_id), garage.c.tracked_miles.is_(None)
        )
        self._connection.execute(update.values(tracked_miles=miles))

    @override
    def remove(self, vehicle_id: UUID) -> bool:
        delete = sa.delete(garage).where(garage.c.fleet_vehicle_id == str(vehicle_id))
        return self._connection.execute(delete).rowcount == 1

    @override
    def list_departments(self, *, environment: Environment, owner_id: int) -> Sequence[str]:
        return self._distinct(garage.c.department, environment, owner_id)

    @override
    def list_makes(self, *, environment: Environment, owner_id: int) -> Sequence[str]:
        return self._distinct(garage.c.make, environment, owner_id)

    @override
    def page(self, wanted: GarageFilter, request: PageRequest, *, today: date) -> Page[ListedVehicle]:
        query = sa.select(*_COLUMNS, *_due_counts(today)).select_from(LISTED).where(*matching(wanted, today))
        return listed(self._connection, query, request, _ORDERS, _listed)

    @override
    def get_listed(self, vehicle_id: UUID, *, today: date) -> ListedVehicle:
        this = fleet_vehicles.c.id == str(vehicle_id)
        found = sa.select(*_COLUMNS, *_due_counts(today)).select_from(LISTED).where(this)
        row = self._connection.execute(found).one_or_none()
        if row is None:
            raise NotInGarage
        return _listed(row)

    def _distinct(self, column: "sa.Column[Any]", environment: Environment, owner_id: int) -> Sequence[str]:
        found = (
            sa.select(column)
            .select_from(LISTED)
            .where(*_owned(environment, owner_id), column.is_not(None))
            .distinct()
        )
        return sorted(self._connection.execute(found).scalars(), key=str.casefold)


_COLUMNS: Final = (
    fleet_vehicles.c.id,
    fleet_vehicles.c.vin,
    *(column for column in garage.c if column.name not in {"fleet_vehicle_id", "search", "tracked_miles"}),
    *(column for column in outlooks.c if column.name != "fleet_vehicle_id"),
    _NEXT_DUE.label("next_due_on"),
    _NEXT_TITLE.label("next_service"),
)


def _due_counts(today: date) -> "Iterator[sa.Label[int]]":
    near = date.fromordinal(today.toordinal() + DUE_DAYS).isoformat()
    count = sa.select(sa.func.count()).where(_NEXT).correlate(garage)
    yield count.where(services.c.due_on < today.isoformat()).scalar_subquery().label("overdue")
    due = services.c.due_on.between(today.isoformat(), near)
    yield count.where(due).scalar_subquery().label("due")


def _owned(environment: Environment, owner_id: int) -> tuple["sa.ColumnElement[bool]", ...]:
    return fleet_vehicles.c.environment == environment, fleet_vehicles.c.owner_id == owner_id


def matching(wanted: GarageFilter, today: date) -> "Iterator[sa.ColumnElement[bool]]":
    """Yield a filter's conditions on ``LISTED``."""
    yield from _owned(wanted.environment, wanted.owner_id)
    for word in (wanted.search or "").split()[:_MOST_WORDS]:
        yield sa.or_(
            garage.c.search.contains(word.casefold(), autoescape=True),
            fleet_vehicles.c.vin.contains(word.upper(), autoescape=True),
        )
    for name in ("department", "make", "model"):
        value = getattr(wanted, name)
        if value is not None:
            column = garage.c[name]
            yield sa.or_(column == value, sa.func.lower(column) == value.lower())
    if wanted.due is not None:
        yield _has_due(wanted.due, today)
    if wanted.recalls is not None:
        is_open = sa.func.coalesce(outlooks.c.open_recalls, 0) > 0
        yield is_open if wanted.recalls else sa.not_(is_open)
    if wanted.health_below is not None:
        yield outlooks.c.health < wanted.health_below


def _has_due(due: DueFilter, today: date) -> "sa.ColumnElement[bool]":
    near = date.fromordinal(today.toordinal() + DUE_DAYS).isoformat()
    limit = services.c.due_on < today.isoformat() if due is DueFilter.OVERDUE else services.c.due_on <= near
    found = sa.select(services.c.id).where(_NEXT, limit).correlate(garage).exists()
    return sa.not_(found) if due is DueFilter.NONE else found


def _values(vehicle: GarageVehicle) -> dict[str, Any]:
    specs, labels = vehicle.vehicle.specs, LABELS.write(vehicle.labels)
    searched = (labels["unit_number"], labels["nickname"], labels["department"], specs.display_name)
    return {
        **labels,
        "display_name": specs.display_name,
        "make": specs.make,
        "model": specs.model,
        "model_year": specs.year,
        "search": "\n".join(text for text in searched if text).casefold(),
    }


def _listed(row: Any) -> ListedVehicle:
    return ListedVehicle(
        id=UUID(row.id),
        vin=row.vin,
        display_name=row.display_name,
        make=row.make,
        model=row.model,
        year=row.model_year,
        labels=LABELS.read(row),
        added_at=moment(row.added_at),
        version=row.version,
        computed_on=day_of(row.computed_on),
        odometer=row.odometer,
        pace=row.pace,
        overdue=row.overdue,
        due=row.due,
        next_due_on=day_of(row.next_due_on),
        next_service=row.next_service,
        health=row.health,
        grade=None if row.grade is None else Grade(row.grade),
        open_recalls=row.open_recalls,
        recall_coverage=None if row.recall_coverage is None else CampaignCoverage(row.recall_coverage),
        value=_value(row),
        cost=cost_of(row),
        past_year=row.past_year,
        cost_per_mile=row.cost_per_mile,
        warnings=tuple(map(OutlookWarning, decode(row.warnings))),
    )


def cost_of(row: Any) -> CostSum | None:
    """Return the coming year's cost in a row of outlooks, or None if the outlook has no prices."""
    if row.unplanned is None:
        return None
    return CostSum(mean=row.planned, common=row.planned_common, own=row.planned_own) + CostSum(
        mean=row.unplanned, common=row.unplanned_common, own=row.unplanned_own
    )


def _value(row: Any) -> VehicleValueRange | None:
    if row.value_middle is None:
        return None
    return VehicleValueRange(low=row.value_low, middle=row.value_middle, high=row.value_high)


def day_of(text: str | None) -> date | None:
    """Return a stored date, or None for NULL."""
    return None if text is None else date.fromisoformat(text)
