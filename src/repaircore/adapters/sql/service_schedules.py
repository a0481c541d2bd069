"""Service schedules in the database.

The status is not stored, so queries compute it as the pure rule does (``schedules.due``), from the date, the miles and
the newest odometer reading. A contract test compares the two.
"""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment, moment_or_none
from repaircore.adapters.sql.engine.dialects import translating_errors
from repaircore.adapters.sql.engine.pages import page_rows
from repaircore.adapters.sql.fleet_vehicles import FLEET_VEHICLES, fleet_vehicle_of
from repaircore.adapters.sql.outdated_outlooks import outdate_outlook
from repaircore.adapters.sql.schema.fleet import fleet_signals, fleet_vehicles
from repaircore.adapters.sql.schema.fleet import service_schedules as stored
from repaircore.adapters.sql.schema.problems import problems
from repaircore.fleet.signals import SignalKind
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import Page
from repaircore.schedules.due import DUE_DAYS, DUE_MILES, Due, Interval
from repaircore.schedules.model import ScheduledProblem, ServiceSchedule, Stage, Status
from repaircore.schedules.ports import ScheduleFilter, ScheduleRecords, TrackedSchedule

_RANKS: Final = {status: rank for rank, status in enumerate(Status)}
_parents = problems.alias("parents")
SCHEDULES: Final = (
    FLEET_VEHICLES.add_columns(
        *(column.label(f"schedule_{column.name}") for column in stored.c),
        problems.c.slug.label("problem_slug"),
        problems.c.name.label("problem_name"),
        _parents.c.name.label("parent_name"),
    )
    .join(stored, stored.c.fleet_vehicle_id == fleet_vehicles.c.id)
    .outerjoin(problems, problems.c.id == stored.c.problem_id)
    .outerjoin(_parents, _parents.c.id == problems.c.parent_id)
)
"""Selects schedules with their vehicles and repairs; ``schedule_of`` reads its rows."""
_ODOMETER: Final = (
    sa.select(sa.cast(fleet_signals.c.value, sa.BigInteger))
    .where(
        fleet_signals.c.fleet_vehicle_id == fleet_vehicles.c.id,
        fleet_signals.c.kind == SignalKind.ODOMETER.value,
    )
    .order_by(fleet_signals.c.at.desc(), fleet_signals.c.id.desc())
    .limit(1)
    .correlate(fleet_vehicles)
    .scalar_subquery()
)


class SqlServiceSchedules(ScheduleRecords):
    """The stored service schedules."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, schedule: ServiceSchedule) -> None:
        values = {
            "id": str(schedule.id),
            "fleet_vehicle_id": str(schedule.vehicle.id),
            "created_at": micros(schedule.created_at),
            "version": schedule.version,
            **_values(schedule),
        }
        with translating_errors():
            self._connection.execute(sa.insert(stored).values(values))
        outdate_outlook(self._connection, schedule.vehicle.id)

    @override
    def find(
        self, schedule_id: UUID, *, environment: Environment, owner_id: int | None
    ) -> TrackedSchedule | None:
        vehicle_id = (
            sa.select(stored.c.fleet_vehicle_id).where(stored.c.id == str(schedule_id)).scalar_subquery()
        )
        wanted = ScheduleFilter(environment=environment, owner_id=owner_id)
        cars = _cars(wanted, fleet_vehicles.c.id == vehicle_id)
        found = (
            sa.select(stored.c.id, cars.c.odometer)
            .join(cars, cars.c.id == stored.c.fleet_vehicle_id)
            .where(stored.c.id == str(schedule_id))
        )
        return next(iter(self._load(self._connection.execute(found))), None)

    @override
    def page(
        self, wanted: ScheduleFilter, *, today: date, number: int, per_page: int
    ) -> Page[TrackedSchedule]:
        cars = _cars(wanted)
        rank = _rank(today, cars.c.odometer)
        found = (
            sa.select(stored.c.id, cars.c.odometer)
            .join(cars, cars.c.id == stored.c.fleet_vehicle_id)
            .where(*_conditions(wanted, rank, cars.c.odometer))
        )
        listed = found.order_by(rank, stored.c.due_on.is_(None), stored.c.due_on, stored.c.id)
        rows, total = page_rows(self._connection, listed, number=number, per_page=per_page)
        items = tuple(self._load(rows)) if rows else ()
        return Page(items=items, number=number, per_page=per_page, total=total)

    @override
    def list_planned_due(self, vehicle_id: UUID) -> Sequence[Due]:
        query = sa.select(stored.c.due_on, stored.c.due_mileage).where(
            stored.c.fleet_vehicle_id == str(vehicle_id), stored.c.stage == Stage.PLANNED.value
        )
        return [Due(on=_day(row.due_on), mileage=row.due_mileage) for row in self._connection.execute(query)]

    @override
    def update(self, old: ServiceSchedule, new: ServiceSchedule) -> ServiceSchedule:
        update = sa.update(stored).where(*_unchanged(old))
        with translating_errors():
            done = self._connection.execute(update.values(version=old.version + 1, **_values(new)))
        _require_row(done.rowcount)
        outdate_outlook(self._connection, old.vehicle.id)
        return evolve(new, version=old.version + 1)

    @override
    def delete(self, schedule: ServiceSchedule) -> None:
        _require_row(self._connection.execute(sa.delete(stored).where(*_unchanged(schedule))).rowcount)
        outdate_outlook(self._connection, schedule.vehicle.id)

    def _load(self, found: "Iterable[Row[Any]]") -> Sequence[TrackedSchedule]:
        """Return the schedules with the given ids, in the same order, each with the odometer reading in its row."""
        odometers = {row.id: row.odometer for row in found}
        query = SCHEDULES.where(stored.c.id.in_(odometers))
        schedules = {row.schedule_id: schedule_of(row) for row in self._connection.execute(query)}
        # A schedule that was deleted in between is skipped.
        return [(schedules[number], miles) for number, miles in odometers.items() if number in schedules]


def _cars(wanted: ScheduleFilter, *more: "sa.ColumnElement[bool]") -> "sa.CTE":
    """Return a CTE of the matching vehicles with their newest odometer readings."""
    criteria = [fleet_vehicles.c.environment == wanted.environment, *more]
    if wanted.owner_id is not None:
        criteria.append(fleet_vehicles.c.owner_id == wanted.owner_id)
    if wanted.vehicle_id is not None:
        criteria.append(fleet_vehicles.c.id == str(wanted.vehicle_id))
    if wanted.vin is not None:
        criteria.append(fleet_vehicles.c.vin == wanted.vin)
    cars = sa.select(fleet_vehicles.c.id, _ODOMETER.label("odometer")).where(*criteria)
    # Materialized, an odometer is looked up once, not once per schedule and comparison.
    return cars.cte("cars").prefix_with("MATERIALIZED")


def _rank(today: date, odometer: "sa.ColumnElement[int]") -> "sa.Case[int]":
    """Return an expression for the rank of a schedule's status in ``Status``; comparisons with NULL are not true."""
    near = (today + timedelta(days=DUE_DAYS)).isoformat()
    return sa.case(
        (stored.c.stage == Stage.COMPLETED.value, _RANKS[Status.COMPLETED]),
        (stored.c.stage == Stage.CANCELLED.value, _RANKS[Status.CANCELLED]),
        (
            sa.or_(stored.c.due_on < today.isoformat(), stored.c.due_mileage < odometer),
            _RANKS[Status.OVERDUE],
        ),
        (sa.or_(stored.c.due_on <= near, _near_by_miles(odometer)), _RANKS[Status.DUE]),
        else_=_RANKS[Status.UPCOMING],
    )


def _near_by_miles(odometer: "sa.ColumnElement[int]") -> "sa.ColumnElement[bool]":
    return stored.c.due_mileage <= odometer + DUE_MILES


def _conditions(
    wanted: ScheduleFilter, rank: "sa.Case[int]", odometer: "sa.ColumnElement[int]"
) -> Sequence["sa.ColumnElement[bool]"]:
    criteria: list[sa.ColumnElement[bool]] = []
    if wanted.statuses is not None:
        criteria.append(rank.in_(sorted(_RANKS[status] for status in wanted.statuses)))
    if wanted.due_by is not None:
        near = sa.or_(stored.c.due_on <= wanted.due_by.isoformat(), _near_by_miles(odometer))
        criteria += [stored.c.stage == Stage.PLANNED.value, near]
    return criteria


def _unchanged(schedule: ServiceSchedule) -> Sequence["sa.ColumnElement[bool]"]:
    return stored.c.id == str(schedule.id), stored.c.version == schedule.version


def _require_row(rows: int) -> None:
    if rows != 1:
        raise Conflict("The service schedule was changed by another request. Reload it and try again.")


def _values(schedule: ServiceSchedule) -> dict[str, Any]:
    ended = schedule.ended_at
    return {
        "problem_id": None if schedule.problem is None else schedule.problem.id,
        "title": schedule.title,
        "notes": schedule.notes,
        "due_on": _text(schedule.due.on),
        "due_mileage": schedule.due.mileage,
        "interval_months": schedule.interval.months,
        "interval_miles": schedule.interval.miles,
        "stage": schedule.stage.value,
        "completed_on": _text(schedule.completed_on),
        "completed_mileage": schedule.completed_mileage,
        "ended_at": None if ended is None else micros(ended),
    }


def schedule_of(row: "Row[Any]") -> ServiceSchedule:
    """Return the schedule in a row of ``SCHEDULES``."""
    return ServiceSchedule(
        id=UUID(row.schedule_id),
        vehicle=fleet_vehicle_of(row),
        title=row.schedule_title,
        due=Due(on=_day(row.schedule_due_on), mileage=row.schedule_due_mileage),
        created_at=moment(row.schedule_created_at),
        problem=_problem(row),
        interval=Interval(months=row.schedule_interval_months, miles=row.schedule_interval_miles),
        notes=row.schedule_notes,
        stage=Stage(row.schedule_stage),
        completed_on=_day(row.schedule_completed_on),
        completed_mileage=row.schedule_completed_mileage,
        ended_at=moment_or_none(row.schedule_ended_at),
        version=row.schedule_version,
    )


def _problem(row: "Row[Any]") -> ScheduledProblem | None:
    if row.schedule_problem_id is None:
        return None
    return ScheduledProblem(
        id=row.schedule_problem_id,
        slug=row.problem_slug,
        display_name=f"{row.parent_name} > {row.problem_name}",
    )


def _text(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
