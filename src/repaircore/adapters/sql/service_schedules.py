"""Service schedules in the database.

How one stands is not kept, so lists work it out as the pure rule does (``fleet.due``): by comparisons of the date, and of
the miles with the newest odometer reading. A contract test holds the two against each other.
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
from repaircore.adapters.sql.engine.dialects import translated
from repaircore.adapters.sql.fleet_vehicles import FLEET_VEHICLES, fleet_vehicle_of
from repaircore.adapters.sql.schema.fleet import fleet_signals, fleet_vehicles
from repaircore.adapters.sql.schema.fleet import service_schedules as kept
from repaircore.adapters.sql.schema.problems import problems
from repaircore.fleet.signals import SignalKind
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import Page
from repaircore.schedules.due import DUE_DAYS, DUE_MILES, Due, Interval
from repaircore.schedules.model import NamedProblem, ServiceSchedule, Stage, Status
from repaircore.schedules.ports import ScheduleFilter, ScheduleRecords, Watched

_RANKS: Final = {status: rank for rank, status in enumerate(Status)}
_parents = problems.alias("parents")
_WHOLE: Final = (
    FLEET_VEHICLES.add_columns(
        *(column.label(f"schedule_{column.name}") for column in kept.c),
        problems.c.slug.label("problem_slug"),
        problems.c.name.label("problem_name"),
        _parents.c.name.label("parent_name"),
    )
    .join(kept, kept.c.fleet_vehicle_id == fleet_vehicles.c.id)
    .outerjoin(problems, problems.c.id == kept.c.problem_id)
    .outerjoin(_parents, _parents.c.id == problems.c.parent_id)
)
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
    """The kept service schedules."""

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
        with translated():
            self._connection.execute(sa.insert(kept).values(values))

    @override
    def one(self, schedule_id: UUID, *, environment: Environment, owner_id: int | None) -> Watched | None:
        its = sa.select(kept.c.fleet_vehicle_id).where(kept.c.id == str(schedule_id)).scalar_subquery()
        wanted = ScheduleFilter(environment=environment, owner_id=owner_id)
        cars = _cars(wanted, fleet_vehicles.c.id == its)
        found = (
            sa.select(kept.c.id, cars.c.odometer)
            .join(cars, cars.c.id == kept.c.fleet_vehicle_id)
            .where(kept.c.id == str(schedule_id))
        )
        return next(iter(self._whole(self._connection.execute(found))), None)

    @override
    def page(self, wanted: ScheduleFilter, *, today: date, number: int, per_page: int) -> Page[Watched]:
        cars = _cars(wanted)
        rank = _rank(today, cars.c.odometer)
        found = (
            sa.select(kept.c.id, cars.c.odometer)
            .join(cars, cars.c.id == kept.c.fleet_vehicle_id)
            .where(*_conditions(wanted, rank, cars.c.odometer))
        )
        count = sa.select(sa.func.count()).select_from(found.subquery())
        total: int = self._connection.execute(count).scalar_one()
        start = (number - 1) * per_page
        shown = max(0, min(per_page, total - start))
        order = (rank, kept.c.due_on.is_(None), kept.c.due_on, kept.c.id)
        listed = found.order_by(*order).offset(start).limit(shown)
        rows = self._whole(self._connection.execute(listed)) if shown else ()
        return Page(items=tuple(rows), number=number, per_page=per_page, total=total)

    @override
    def planned(self, vehicle_id: UUID) -> Sequence[Due]:
        query = sa.select(kept.c.due_on, kept.c.due_mileage).where(
            kept.c.fleet_vehicle_id == str(vehicle_id), kept.c.stage == Stage.PLANNED.value
        )
        return [Due(on=_day(row.due_on), mileage=row.due_mileage) for row in self._connection.execute(query)]

    @override
    def replace(self, old: ServiceSchedule, new: ServiceSchedule) -> ServiceSchedule:
        update = sa.update(kept).where(*_unchanged(old))
        with translated():
            done = self._connection.execute(update.values(version=old.version + 1, **_values(new)))
        _require_one(done.rowcount)
        return evolve(new, version=old.version + 1)

    @override
    def remove(self, schedule: ServiceSchedule) -> None:
        _require_one(self._connection.execute(sa.delete(kept).where(*_unchanged(schedule))).rowcount)

    def _whole(self, found: "Iterable[Row[Any]]") -> Sequence[Watched]:
        """Read schedules whole, in the order in which their ids and odometers were found."""
        odometers = {row.id: row.odometer for row in found}
        query = _WHOLE.where(kept.c.id.in_(odometers))
        schedules = {row.schedule_id: _schedule(row) for row in self._connection.execute(query)}
        # One that is removed at this moment is listed no more.
        return [(schedules[number], miles) for number, miles in odometers.items() if number in schedules]


def _cars(wanted: ScheduleFilter, *more: "sa.ColumnElement[bool]") -> "sa.CTE":
    """Give the vehicles that are meant, with the odometer of each."""
    which = [fleet_vehicles.c.environment == wanted.environment, *more]
    if wanted.owner_id is not None:
        which.append(fleet_vehicles.c.owner_id == wanted.owner_id)
    if wanted.vehicle_id is not None:
        which.append(fleet_vehicles.c.id == str(wanted.vehicle_id))
    if wanted.vin is not None:
        which.append(fleet_vehicles.c.vin == wanted.vin)
    cars = sa.select(fleet_vehicles.c.id, _ODOMETER.label("odometer")).where(*which)
    # Materialized, an odometer is looked up once, however many schedules and comparisons there are.
    return cars.cte("cars").prefix_with("MATERIALIZED")


def _rank(today: date, odometer: "sa.ColumnElement[int]") -> "sa.Case[int]":
    """Place a schedule in the order of ``Status``; a comparison with what is not known does not hold."""
    near = (today + timedelta(days=DUE_DAYS)).isoformat()
    return sa.case(
        (kept.c.stage == Stage.COMPLETED.value, _RANKS[Status.COMPLETED]),
        (kept.c.stage == Stage.CANCELLED.value, _RANKS[Status.CANCELLED]),
        (
            sa.or_(kept.c.due_on < today.isoformat(), kept.c.due_mileage < odometer),
            _RANKS[Status.OVERDUE],
        ),
        (sa.or_(kept.c.due_on <= near, _near_by_miles(odometer)), _RANKS[Status.DUE]),
        else_=_RANKS[Status.UPCOMING],
    )


def _near_by_miles(odometer: "sa.ColumnElement[int]") -> "sa.ColumnElement[bool]":
    return kept.c.due_mileage <= odometer + DUE_MILES


def _conditions(
    wanted: ScheduleFilter, rank: "sa.Case[int]", odometer: "sa.ColumnElement[int]"
) -> Sequence["sa.ColumnElement[bool]"]:
    which: list[sa.ColumnElement[bool]] = []
    if wanted.statuses is not None:
        which.append(rank.in_(sorted(_RANKS[status] for status in wanted.statuses)))
    if wanted.due_by is not None:
        near = sa.or_(kept.c.due_on <= wanted.due_by.isoformat(), _near_by_miles(odometer))
        which += [kept.c.stage == Stage.PLANNED.value, near]
    return which


def _unchanged(schedule: ServiceSchedule) -> Sequence["sa.ColumnElement[bool]"]:
    return kept.c.id == str(schedule.id), kept.c.version == schedule.version


def _require_one(rows: int) -> None:
    if rows != 1:
        raise Conflict("The service schedule was changed by somebody else.")


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


def _schedule(row: "Row[Any]") -> ServiceSchedule:
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


def _problem(row: "Row[Any]") -> NamedProblem | None:
    if row.schedule_problem_id is None:
        return None
    return NamedProblem(
        id=row.schedule_problem_id,
        slug=row.problem_slug,
        display_name=f"{row.parent_name} > {row.problem_name}",
    )


def _text(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)
